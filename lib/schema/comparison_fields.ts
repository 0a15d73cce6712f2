import { type Window, WINDOWS } from "./vocabulary.ts";

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
 * A measure with a latest value and a change per window.
 *
 * @category Vocabulary
 */
export type LevelMeasure = typeof LEVEL_MEASURES[number];
/**
 * A measure with a sum and a trend per window.
 *
 * @category Vocabulary
 */
export type FlowMeasure = typeof FLOW_MEASURES[number];

/**
 * Name of one of the 95 numeric fields of a blockchain comparison record.
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
 * A measure of a chain.
 *
 * @category Vocabulary
 */
type ComparisonMeasure =
  | LevelMeasure
  | FlowMeasure
  | "transaction_count"
  | "ecosystem_project_count";

/**
 * Statistic of a field: latest value, change, sum or trend.
 *
 * @category Vocabulary
 */
type ComparisonStatistic = "latest" | "change" | "sum" | "trend";

/**
 * One of the 95 numeric fields, split into its parts.
 *
 * @category Vocabulary
 */
export interface ComparisonField {
  /** Name of the field and of its column. */
  readonly name: ComparisonFieldName;
  /** Measure. */
  readonly measure: ComparisonMeasure;
  /** Statistic. */
  readonly statistic: ComparisonStatistic;
  /** Trailing window; `max` for all of the data, null for a latest value. */
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
