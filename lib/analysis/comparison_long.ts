import { COMPARISON_FIELDS } from "../schema/comparison_fields.ts";
import { withProvenance } from "../table/show.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { longForm } from "./columns.ts";

const CHAIN = ["chain_id", "chain_name"];

/**
 * Converts a blockchain comparison frame to long form: one row per chain and field. Chains keep the order of the frame,
 * and fields have the order of the API.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `chain_id`, `chain_name` | String | unchanged |
 * | `measure` | String | the measured quantity: `market_cap_fd`, `ecosystem_fees`, `transaction_count`, … |
 * | `statistic` | String | `latest`, `change`, `sum` or `trend` |
 * | `window` | String | `1d`, `7d`, `30d`, `90d`, `180d`, `365d` or `max`; null only for a latest value |
 * | `value` | Float64 | the unchanged value. `latest` and `sum` are US dollars or counts; `change` and `trend` are fractions |
 *
 * The schema defines the measure, statistic and window of each field. Fields that the frame does not have get no rows.
 * Columns that are not fields are ignored.
 *
 * @example Every 30-day figure of every chain
 * ```ts
 * import { blockchainComparison, comparisonLong, pl } from "@chainframe/chainframe";
 *
 * const long = comparisonLong(await blockchainComparison());
 * console.log(long.filter(pl.col("window").eq(pl.lit("30d"))).toString());
 * ```
 *
 * @param comparison a frame of `blockchainComparison`
 * @throws {RangeError} when `chain_id` or `chain_name` is missing, or if the frame has none of the 95 fields.
 * @throws {TypeError} when one of the fields is not numeric.
 * @category Analysis
 */
export function comparisonLong(comparison: DataFrame): DataFrame {
  const there = new Set(comparison.columns);
  const fields = COMPARISON_FIELDS.filter(({ name }) => there.has(name));
  requireColumns(comparison, {
    fn: "comparisonLong",
    source: "a frame of blockchainComparison",
    columns: CHAIN,
    numbers: fields.length > 0
      ? fields.map(({ name }) => name)
      : ["any of the 95 fields, as ecosystem_fees_30d_sum"],
  });
  const columns = fields.map(({ name, measure, statistic, window }) => (
    { column: name, measure, statistic, window }
  ));
  return withProvenance(comparison, longForm(comparison, CHAIN, columns), "comparisonLong");
}
