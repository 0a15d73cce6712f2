import { type Window, WINDOWS } from "./vocabulary.ts";

/**
 * The measures that come as a latest value and its change over each window (INTERFACE 2.4).
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
 * The measures that come as a sum over each window and its trend (INTERFACE 2.4).
 *
 * @category Vocabulary
 */
export const FLOW_MEASURES = [
  "ecosystem_fees",
  "ecosystem_revenue",
  "ecosystem_dex_trading_volume",
] as const;

/**
 * A measure that comes as a latest value and its change over each window.
 *
 * @category Vocabulary
 */
export type LevelMeasure = typeof LEVEL_MEASURES[number];
/**
 * A measure that comes as a sum over each window and its trend.
 *
 * @category Vocabulary
 */
export type FlowMeasure = typeof FLOW_MEASURES[number];

/**
 * The name of one of the 95 numeric fields of a blockchain comparison record.
 *
 * @category Vocabulary
 */
export type ComparisonFieldName =
  | `${LevelMeasure}_latest`
  | `${LevelMeasure}_${Window}_change`
  | `transaction_count_${Window}`
  | `transaction_count_${Window}_trend`
  | "transaction_count_max"
  | `${FlowMeasure}_${Window}_sum`
  | `${FlowMeasure}_${Window}_trend`
  | `${FlowMeasure}_max_sum`
  | "ecosystem_project_count_latest";

/**
 * What is measured about a chain.
 *
 * @category Vocabulary
 */
export type ComparisonMeasure =
  | LevelMeasure
  | FlowMeasure
  | "transaction_count"
  | "ecosystem_project_count";

/**
 * What the number says about the measure.
 *
 * @category Vocabulary
 */
export type ComparisonStatistic = "latest" | "change" | "sum" | "trend";

/**
 * One of the 95 numeric fields, taken apart: no caller has to split its name.
 *
 * @category Vocabulary
 */
export interface ComparisonField {
  /** The name of the field, which is its name as a column. */
  readonly name: ComparisonFieldName;
  /** What is measured. */
  readonly measure: ComparisonMeasure;
  /** What the number says about it. */
  readonly statistic: ComparisonStatistic;
  /** The trailing window, `max` for all of the data, null for a latest value. */
  readonly window: Window | "max" | null;
}

function levelFields(measure: LevelMeasure): ComparisonField[] {
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

function flowFields(measure: FlowMeasure): ComparisonField[] {
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
