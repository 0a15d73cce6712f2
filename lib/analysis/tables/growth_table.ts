import { checkOptions, oneOf, required } from "../../platform/check_options.ts";
import { createWarn } from "../../platform/terminal.ts";
import {
  COMPARISON_FIELDS,
  FLOW_MEASURES,
  LEVEL_MEASURES,
} from "../../schema/comparison_fields.ts";
import { computedColumn, computedColumns, partsIn } from "../../table/track/descriptions.ts";
import { utf8 } from "../../table/columns/cell_values.ts";
import { partWindows, partWindowText } from "../../table/read/part_windows.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { numberOfColumn } from "../columnar.ts";

const MEASURES = [...LEVEL_MEASURES, "transaction_count", ...FLOW_MEASURES] as const;
const warn = createWarn();
const RULES = { field: required(oneOf(MEASURES)) };

/**
 * Returns how much one measured quantity, such as `ecosystem_fees`, has grown over six windows. Returns one row per
 * chain, in the order of the frame.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `chain_id`, `chain_name` | String | unchanged |
 * | `measure` | String | the measured quantity, the same in every row |
 * | `statistic` | String | `change` or `trend`, the same in every row |
 * | `1d`, `7d`, `30d`, `90d`, `180d`, `365d` | Float64 | a fraction: 0.05 is 5% more; null if the service sends no value |
 * | `partly_filled` | String | the windows of this row before which a window may be only partly filled: `180d, 365d`; null for other rows |
 *
 * For levels (`market_cap_fd`, `active_users_daily`, `ecosystem_tvl`, …), the growth is the `change` of the latest value
 * over the window. For sums (`transaction_count`, `ecosystem_fees`, …), it is the `trend`: from the sum over the previous
 * window to the sum over the latest window. The service computes both: docs/live.md has what live services do. A notice
 * names the chains of which nothing was counted before the previous window: it may be only partly filled.
 *
 * @example How fast fees grew on each chain
 * ```ts
 * import { blockchainComparison, growthTable } from "@chainframe/chainframe";
 *
 * const growth = growthTable(await blockchainComparison(), { field: "ecosystem_fees" });
 * console.log(growth.toString()); // 1d, 7d, 30d, 90d, 180d, 365d
 * ```
 *
 * @param comparison a frame of `blockchainComparison`
 * @throws {RangeError} when `field` has no growth, or columns are missing.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function growthTable(
  comparison: DataFrame,
  options: {
    /** The measured quantity: the name of a field without its window and statistic, such as `ecosystem_fees`. */
    readonly field: string;
  },
): Frame {
  const { field: measure } = checkOptions(options, RULES, "growthTable");
  const fields = COMPARISON_FIELDS.filter((field) =>
    field.measure === measure && (field.statistic === "change" || field.statistic === "trend")
  );
  requireColumns(comparison, {
    fn: "growthTable",
    source: "a frame of blockchainComparison",
    columns: ["chain_id", "chain_name"],
    numbers: fields.map(({ name }) => name),
  });
  const parts = partWindows(comparison, fields.map(({ name }) => name));
  const notice = partWindowText(comparison, parts);
  if (notice !== null) warn(`growthTable: ${notice}`);
  const windows = Map.groupBy(parts, ({ row }) => row);
  const table = comparison.select(
    pl.col("chain_id"),
    pl.col("chain_name"),
    pl.lit(measure).alias("measure"),
    pl.lit(fields[0]!.statistic).alias("statistic"),
    ...fields.map(({ name, window }) => numberOfColumn(name).alias(window!)),
  ).withColumn(utf8(
    "partly_filled",
    Array.from(
      { length: comparison.height },
      (_, row) => windows.get(row)?.map(({ window }) => window).join(", ") ?? null,
    ),
  ));
  const growth = fields.map(({ name, window }) =>
    [
      window!,
      {
        ...computedColumn(window!, "change"),
        title: `Growth over ${window}`,
        window,
        of: partsIn(comparison, [name]),
      },
    ] as const
  );
  return withProvenance(comparison, table, {
    fn: "growthTable",
    options,
    first: growth.map(([window]) => window),
    columns: new Map([
      ...computedColumns([["id", "measure", "statistic"], ["note", "partly_filled"]]),
      ...growth,
    ]),
  });
}
