import { WINDOWS } from "./vocabulary.ts";

/**
 * Measures whose fields are the latest value and, for each window, the change (INTERFACE 2.4).
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
 * Measures whose fields are, for each window, the sum and the trend (INTERFACE 2.4).
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
  /** The quantity that the field measures, such as `ecosystem_fees`. */
  readonly measure:
    | typeof LEVEL_MEASURES[number]
    | typeof FLOW_MEASURES[number]
    | "transaction_count"
    | "ecosystem_project_count";
  /** The statistic of the measure: its latest value, change, sum or trend. */
  readonly statistic: "latest" | "change" | "sum" | "trend";
  /** The trailing window, such as `30d`, or `max` for all days of the data. Null for a latest value. */
  readonly window: typeof WINDOWS[number] | "max" | null;
}

/** Returns a field. `rest` is the end of its name: the window and the statistic, such as `_30d_change`. */
function field(measure: ComparisonField["measure"], rest: string): ComparisonField {
  const [, window = null, statistic = "sum"] = /^_(?:(\d+d|max)(?:_|$))?(\w+)?$/.exec(rest) ?? [];
  return { name: measure + rest, measure, statistic, window } as ComparisonField;
}

/**
 * The 95 numeric fields of a blockchain comparison record, in the order of INTERFACE 2.4.
 *
 * @category Vocabulary
 */
export const COMPARISON_FIELDS: readonly ComparisonField[] = [
  ...LEVEL_MEASURES.flatMap((measure) => [
    field(measure, "_latest"),
    ...WINDOWS.map((window) => field(measure, `_${window}_change`)),
  ]),
  ...WINDOWS.flatMap((window) => [
    field("transaction_count", `_${window}`),
    field("transaction_count", `_${window}_trend`),
  ]),
  field("transaction_count", "_max"),
  ...FLOW_MEASURES.flatMap((measure) =>
    WINDOWS.flatMap((window) => [
      field(measure, `_${window}_sum`),
      field(measure, `_${window}_trend`),
    ])
  ),
  ...FLOW_MEASURES.map((measure) => field(measure, "_max_sum")),
  field("ecosystem_project_count", "_latest"),
];
