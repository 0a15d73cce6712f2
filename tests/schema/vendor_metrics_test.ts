import { deepEqual, equal } from "node:assert/strict";
import { fieldNamed } from "../../lib/schema/dictionary.ts";

// The ids of metrics that the vendor's first version sent in July 2022 (see tests/contract/recorded_test.ts), and ids
// that its documentation names since.
const UNITS: Readonly<Record<string, string | null>> = {
  active_users: "users",
  ath: "usd",
  atl: "usd",
  composition: null,
  // help() reads this word as TVL.
  deposits: null,
  gmv: "usd",
  market_cap: "usd",
  market_cap_circulating: "usd",
  market_cap_fully_diluted: "usd",
  pe: "statistic",
  pe_circulating: "statistic",
  pe_fully_diluted: "statistic",
  price: "usd",
  ps: "statistic",
  ps_circulating: "statistic",
  ps_fully_diluted: "statistic",
  revenue: "usd",
  revenue_protocol: "usd",
  revenue_supply_side: "usd",
  revenue_total: "usd",
  roi: null,
  token_incentives: "usd",
  token_trading_volume: "usd",
  tokenholders: "addresses",
  total_deposits: "usd",
  treasury: "usd",
  tvl: "usd",
  volmc_circulating: "statistic",
  volmc_fully_diluted: "statistic",
  active_addresses_daily: "addresses",
  active_addresses_monthly: "addresses",
  active_addresses_weekly: "addresses",
  active_developers: "developers",
  active_loans: "usd",
  core_developers: "developers",
  earnings: "usd",
  expenses: "usd",
  fees: "usd",
  fees_supply_side: "usd",
  gas_used: "gas",
  market_cap_circ: "usd",
  market_cap_fd: "usd",
  pf_circulating: "statistic",
  pf_fully_diluted: "statistic",
  take_rate: "fraction",
  transaction_count: "transactions",
  treasury_net: "usd",
  user_dau: "users",
  user_mau: "users",
  user_wau: "users",
};

Deno.test("the ids of metrics of the vendor have units, but those whose unit is not known", () => {
  equal(Object.keys(UNITS).length, 50);
  deepEqual(
    Object.fromEntries(Object.keys(UNITS).map((id) => [id, fieldNamed(id)?.unit ?? null])),
    UNITS,
  );
});

Deno.test("metrics of the vendor have titles, and add over days and groups only where that has a meaning", () => {
  const read = (name: string) => {
    const { title, unit, adds } = fieldNamed(name)!;
    return [title, unit, adds];
  };
  deepEqual(read("pf_circulating"), ["Price-to-fees ratio, circulating", "statistic", "none"]);
  deepEqual(read("ps"), ["Price-to-sales ratio", "statistic", "none"]);
  deepEqual(read("market_cap_circulating"), ["Market cap, circulating", "usd", "groups"]);
  deepEqual(read("user_mau"), ["Monthly active users", "users", "none"]);
  deepEqual(read("tokenholders"), ["Token holders", "addresses", "none"]);
  deepEqual(read("token_trading_volume"), ["Token trading volume", "usd", "both"]);
  deepEqual(read("revenue_supply_side_sum"), ["Revenue supply side, sum", "usd", "both"]);
  deepEqual(read("price_latest"), ["Price, latest", "usd", "none"]);
  deepEqual(read("treasury_trend")[1], "change");
});

Deno.test("names that only contain the word of a metric have no unit", () => {
  for (
    const name of ["fees_unit", "price_level_note", "revenue_share", "petrol", "fees_per_user"]
  ) {
    equal(fieldNamed(name), undefined, name);
  }
});
