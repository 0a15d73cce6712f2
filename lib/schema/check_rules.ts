import type { Column } from "./dictionary.ts";

/** `broken`: the value cannot be right. `look`: it is unusual. `not judged`: the rule cannot be applied. */
export type Severity = "broken" | "look" | "not judged";

/** How columns of one row relate. The first group of `field` is the rest of the name, which replaces `*`. */
export interface Relation {
  readonly rule: string;
  readonly severity: Severity;
  readonly field: RegExp;
  /** The name of a column. */
  readonly other: string;
  /** With `minus` or `per`, the field equals the result; without, the field is at most `other`. */
  readonly minus?: string;
  readonly per?: string;
  /** Largest difference, relative to the largest value of the rule. */
  readonly tolerance: number;
}

export const RELATIONS: readonly Relation[] = [
  {
    rule: "gas per transaction",
    severity: "broken",
    field: /^transaction_gas(_1d)_avg$/,
    other: "gas_used*_sum",
    per: "transaction_count*_sum",
    tolerance: 1e-6,
  },
  {
    rule: "net flows are inflows minus outflows",
    severity: "look",
    field: /^net_flows(|_sum|_1d_sum)$/,
    other: "inflows*",
    minus: "outflows*",
    tolerance: 1e-6,
  },
  {
    rule: "revenue not above fees",
    severity: "look",
    field: /^revenue(|_sum)$/,
    other: "fees*",
    tolerance: 1e-9,
  },
  {
    rule: "revenue not above fees",
    severity: "look",
    field: /^ecosystem_revenue(_.*_sum)$/,
    other: "ecosystem_fees*",
    tolerance: 1e-9,
  },
  {
    rule: "circulating not above fully diluted",
    severity: "look",
    field: /^market_cap_circ(|_latest)$/,
    other: "market_cap_fd*",
    tolerance: 1e-9,
  },
  {
    rule: "not above month 0",
    severity: "broken",
    field: /^month_(\d+)$/,
    other: "month_0",
    tolerance: 1e-9,
  },
];

/** Sums and counts over windows that contain each other: the name, the window and the end of the name. */
export const NESTED = /^((?!net_flows).+)_(1d|7d|30d|90d|180d|365d|max)(|_sum|_distinct_count)$/;
/** Shares of a total, and the column whose values make groups of shares that add to at most 1. */
export const SHARES = ["gas_market_share_1d_avg", "chain_id"] as const;

/** Names of quantities that can be negative, although a part of the name cannot: differences and balances. */
const SIGNED =
  /(^|_)(net|earnings|profit|loss|pnl|balance|change|trend|growth|contribution|difference|diff|effect|index|shift|delta)(_|$)/;
/** Names of quantities that cannot be negative. */
const UNSIGNED =
  /(^|_)(fees?|revenues?|tvl|market_cap|volumes?|loans|supply|inflows|outflows|users|addresses|developers|transactions?|txs?|counts?|gas|price|treasury)(_|$)/;
const COUNTED = [
  "users",
  "addresses",
  "developers",
  "transactions",
  "contracts",
  "projects",
  "gas",
  "days",
];

/** Returns whether the values of a column cannot be negative: counts, fees and levels, but no differences. */
export function cannotBeNegative(column: Column | undefined, name: string): boolean {
  if (/^month_\d+$/.test(name)) return true;
  if (SIGNED.test(name)) return false;
  if (["change", "index", "fraction", "retention"].includes(String(column?.unit))) return false;
  return UNSIGNED.test(name) || COUNTED.includes(String(column?.unit));
}

/** Columns that are not judged as series: changes, and numbers of days. */
export const NO_SERIES = /_(change|trend|days|growth|index|rank)$/;
