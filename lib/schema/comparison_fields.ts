import { WINDOWS } from "./vocabulary.ts";

/**
 * Measures with a latest value and a change per window (INTERFACE 2.4).
 *
 * @category Vocabulary
 */
export const LEVEL_MEASURES = [
  "market_cap_fd",
  "market_cap_circ",
  "active_users_daily",
  "core_developers",
  "ecosystem_tvl",
  "ecosystem_active_loans",
] as const;

/**
 * Measures with a sum and a trend per window (INTERFACE 2.4).
 *
 * @category Vocabulary
 */
export const FLOW_MEASURES = [
  "ecosystem_fees",
  "ecosystem_revenue",
  "ecosystem_dex_trading_volume",
] as const;

/**
 * A numeric field of a blockchain comparison record, and the parts of its name.
 *
 * @category Vocabulary
 */
export interface ComparisonField {
  /** Name of the field and of its column. */
  readonly name:
    | `${typeof LEVEL_MEASURES[number]}_latest`
    | `${typeof LEVEL_MEASURES[number]}_${typeof WINDOWS[number]}_change`
    | `transaction_count_${typeof WINDOWS[number]}`
    | `transaction_count_${typeof WINDOWS[number]}_trend`
    | "transaction_count_max"
    | `${typeof FLOW_MEASURES[number]}_${typeof WINDOWS[number]}_sum`
    | `${typeof FLOW_MEASURES[number]}_${typeof WINDOWS[number]}_trend`
    | `${typeof FLOW_MEASURES[number]}_max_sum`
    | "ecosystem_project_count_latest";
  /** The measure of the field. */
  readonly measure:
    | typeof LEVEL_MEASURES[number]
    | typeof FLOW_MEASURES[number]
    | "transaction_count"
    | "ecosystem_project_count";
  /** The statistic of the field. */
  readonly statistic: "latest" | "change" | "sum" | "trend";
  /** Trailing window, or `max` for all of the data. Null for a latest value. */
  readonly window: typeof WINDOWS[number] | "max" | null;
}

function levelFields(measure: typeof LEVEL_MEASURES[number]): ComparisonField[] {
  return [
    { name: `${measure}_latest`, measure, statistic: "latest", window: null },
    ...WINDOWS.map((window): ComparisonField => (
      { name: `${measure}_${window}_change`, measure, statistic: "change", window }
    )),
  ];
}

function transactionFields(): ComparisonField[] {
  const measure = "transaction_count";
  return [
    ...WINDOWS.flatMap((window): ComparisonField[] => [
      { name: `${measure}_${window}`, measure, statistic: "sum", window },
      { name: `${measure}_${window}_trend`, measure, statistic: "trend", window },
    ]),
    { name: `${measure}_max`, measure, statistic: "sum", window: "max" },
  ];
}

function flowFields(measure: typeof FLOW_MEASURES[number]): ComparisonField[] {
  return WINDOWS.flatMap((window): ComparisonField[] => [
    { name: `${measure}_${window}_sum`, measure, statistic: "sum", window },
    { name: `${measure}_${window}_trend`, measure, statistic: "trend", window },
  ]);
}

/**
 * The 95 numeric fields of a blockchain comparison record, in the order of INTERFACE 2.4.
 *
 * @category Vocabulary
 */
export const COMPARISON_FIELDS: readonly ComparisonField[] = [
  ...LEVEL_MEASURES.flatMap(levelFields),
  ...transactionFields(),
  ...FLOW_MEASURES.flatMap(flowFields),
  ...FLOW_MEASURES.map((measure): ComparisonField => (
    { name: `${measure}_max_sum`, measure, statistic: "sum", window: "max" }
  )),
  {
    name: "ecosystem_project_count_latest",
    measure: "ecosystem_project_count",
    statistic: "latest",
    window: null,
  },
];
