import type { Unit } from "./format.ts";

/** What the name of a numeric field says. */
export interface FieldWords {
  /** For a heading: `Ecosystem fees over 30 days`. */
  readonly title: string;
  readonly unit: Unit;
  /** For an axis: `US$`, `users`, `%`. */
  readonly axis: string;
  /** Whether the values of several entities may be added up. */
  readonly additive: boolean;
}

const NAME = /^(.+?)(?:_(1d|7d|30d|90d|180d|365d|max))?(?:_(latest|change|sum|trend|avg|days))?$/;

const BASES: Readonly<Record<string, string>> = {
  market_cap_fd: "Market cap, fully diluted",
  market_cap_circ: "Market cap, circulating",
  active_users_daily: "Daily active users",
};

const ABBREVIATIONS: Readonly<Record<string, string>> = { tvl: "TVL", dex: "DEX", nft: "NFT" };

const MONEY = new Set([
  ...["market_cap_fd", "market_cap_circ", "tvl", "active_loans", "fees", "revenue"],
  ...["dex_trading_volume", "inflows", "outflows", "net_flows"],
]);

/** What a field of the interface counts, and whether its values of several entities may be added up. */
const COUNTED: Readonly<Record<string, readonly [axis: string, additive: boolean]>> = {
  active_users: ["users", false],
  active_users_daily: ["users", false],
  active_addresses: ["addresses", false],
  core_developers: ["developers", false],
  transaction_count: ["transactions", true],
  contracts: ["contracts", true],
  project_count: ["projects", false],
  gas_used: ["gas", true],
  transaction_gas: ["gas", false],
  initial_cohort_size: ["users", true],
  size: ["users", true],
  retained: ["users", true],
};

const SHARES = new Set([
  ...["share", "cumulative_share", "gas_market_share", "retention", "lower", "upper"],
  ...["observed", "predicted", "top_1_share", "top_3_share"],
]);

function sentence(base: string): string {
  const words = base.split("_").map((word) => ABBREVIATIONS[word] ?? word).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function days(window: string): string {
  return window === "1d" ? "1 day" : `${window.slice(0, -1)} days`;
}

function titleOf(base: string, window: string | undefined, statistic: string | undefined): string {
  const name = BASES[base] ?? sentence(base);
  const over = window === undefined
    ? ""
    : window === "max"
    ? " over all time"
    : ` over ${days(window)}`;
  switch (statistic) {
    case "change":
      return over === "" ? `${name}, change` : `${name}, change${over}`;
    case "trend":
      return over === ""
        ? `${name} against the window before`
        : `${name}${over} against the ${days(window!)} before`;
    case "latest":
      return `${name}, latest`;
    case "avg":
      return `${name}, average${over}`;
    case "days":
      return `${name}, days of the average`;
    case "sum":
      return over === "" ? `${name}, sum` : `${name}${over}`;
    default:
      return `${name}${over}`;
  }
}

/**
 * Reads the name of a field. What it counts is known of the fields of the interface and of our analysis only:
 * `fees_eur` is a plain number.
 */
export function fieldWords(field: string): FieldWords {
  const [, base = field, window, statistic] = NAME.exec(field) ?? [];
  const title = titleOf(base, window, statistic);
  const known = base.replace(/^ecosystem_/, "").replace(/_distinct_count$/, "");
  const counted = COUNTED[known];
  const money = MONEY.has(known);
  const additive = statistic !== "avg";
  if ((statistic === "change" || statistic === "trend") && (counted !== undefined || money)) {
    return { title, unit: "change", axis: "change, %", additive: false };
  }
  if (statistic === "days" && (counted !== undefined || money)) {
    return { title, unit: "count", axis: "days", additive: false };
  }
  if (SHARES.has(known)) return { title, unit: "share", axis: "%", additive: false };
  if (counted !== undefined) {
    return { title, unit: "count", axis: counted[0], additive: counted[1] && additive };
  }
  if (money) return { title, unit: "usd", axis: "US$", additive };
  // What is not known to add up is never added up.
  return { title, unit: "count", axis: "", additive: false };
}

const UNITS: Readonly<Record<string, Pick<FieldWords, "unit" | "axis">>> = {
  usd: { unit: "usd", axis: "US$" },
  share: { unit: "share", axis: "%" },
  change: { unit: "change", axis: "change, %" },
  count: { unit: "count", axis: "" },
};

/** What a field is, where the user says what its values are: one of our units, or a text for the axis. */
export function wordsFor(field: string, unit: string | undefined): FieldWords {
  const words = fieldWords(field);
  return unit === undefined ? words : { ...words, ...UNITS[unit] ?? { unit: "count", axis: unit } };
}
