import type { Activity, Facts } from "./facts_model.ts";

function use(day: string, user_address: string, account_address: string): Activity {
  return {
    day,
    user_address,
    chain_id: "c1",
    account_address,
    transaction_count: 2,
    gas_used: 100,
    fees_usd: 1.25,
    revenue_usd: 0.5,
    dex_trading_volume_usd: null,
    inflows_usd: 10,
    outflows_usd: 4,
  };
}

/** Facts small enough to reckon by hand: one chain, two projects, three users, two days. */
export function tinyFacts(): Facts {
  return {
    chains: [{ chain_id: "c1", chain_name: "Chain One" }],
    market_sectors: [{ market_sector_id: "s1", market_sector_name: "Sector One" }],
    projects: [
      { project_id: "p1", project_name: "One", market_sector_id: "s1", symbol: "ONE" },
      { project_id: "p2", project_name: "Two", market_sector_id: "s1", symbol: null },
    ],
    products: [
      { product_id: "x1", product_name: "X One", project_id: "p1" },
      { product_id: "x2", product_name: "X Two", project_id: "p2" },
    ],
    contracts: ["0xa", "0xb"].map((account_address, index) => ({
      chain_id: "c1",
      account_address,
      account_title: null,
      product_id: `x${index + 1}`,
      account_creation_timestamp: null,
    })),
    activity: [
      use("2026-01-30", "u1", "0xa"),
      use("2026-01-31", "u1", "0xa"),
      use("2026-01-31", "u2", "0xa"),
      use("2026-01-31", "u2", "0xb"),
    ],
    contract_events: [],
    contract_transfers: [],
    product_daily: [
      {
        day: "2026-01-31",
        product_id: "x1",
        chain_id: "c1",
        tvl_usd: 99.5,
        active_loans_usd: null,
      },
    ],
    project_daily: [],
    chain_daily: [],
  };
}
