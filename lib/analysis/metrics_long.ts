import { checkOptions, listOf, string } from "../platform/check_options.ts";
import { AGGREGATIONS } from "../schema/vocabulary.ts";
import { dtypeNames } from "../table/dtypes.ts";
import { annotationOf } from "../table/provenance.ts";
import { withProvenance } from "../table/show.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { longForm } from "./columns.ts";

/**
 * The columns that describe the period. The result keeps these columns, so that the periods of a timeline stay
 * separate.
 */
const PERIOD = ["date", "until", "complete"];
const IDS = ["data_id", "chain_id", "product_id"];

function askedMetrics(frame: DataFrame): readonly string[] {
  const asked = annotationOf(frame)?.provenance.query.metric_ids;
  if (typeof asked === "string") return [asked.trim()];
  if (Array.isArray(asked)) return asked.map((id) => String(id).trim());
  throw new RangeError(
    "metricsLong: metric_ids: is required for a frame without the provenance of metricBreakdown",
  );
}

/**
 * Returns the columns of the given metrics, in the order of the frame. If a column name begins with the names of
 * several metrics, the column belongs to the metric with the longest name. Columns of text, such as units, are left
 * out.
 */
function columnsOf(frame: DataFrame, metrics: readonly string[]) {
  const types = dtypeNames(frame);
  const longestFirst = [...metrics].sort((a, b) => b.length - a.length);
  return frame.columns.filter((column) => !IDS.includes(column)).flatMap((column) => {
    const metric = longestFirst.find((id) => column === id || column.startsWith(`${id}_`));
    if (metric === undefined) return [];
    const aggregation = column === metric ? null : column.slice(metric.length + 1);
    const known = aggregation === null || AGGREGATIONS.some((name) => name === aggregation);
    const isText = ["String", "Bool"].includes(types[frame.columns.indexOf(column)]!);
    return known || !isText ? [{ column, metric_id: metric, aggregation }] : [];
  });
}

/**
 * Converts a metric breakdown to long form: one row per item, metric and aggregation, in the order of the frame.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `date`, `until` | Date | the first and the last day of the period; only for frames of `timeline` |
 * | `complete` | Boolean | whether the period is complete; only for frames of `timeline` |
 * | `data_id`, `chain_id`, `product_id` | String | unchanged |
 * | `metric_id` | String | the metric |
 * | `aggregation` | String | `sum`, `avg`, `latest`, `change`, `trend` or another name that the service sends; null if the metric is a plain number |
 * | `value` | Float64 | the value, unchanged |
 *
 * The metrics come from the query in the frame's provenance, or from `metric_ids`. Columns of other metrics are left
 * out.
 *
 * @example Two metrics of every chain, in one column
 * ```ts
 * import { metricBreakdown, metricsLong } from "@chainframe/chainframe";
 *
 * const breakdown = await metricBreakdown({
 *   metric_ids: ["fees", "active_users"],
 *   interval: "30d",
 *   group_by: "chains",
 * });
 * console.log(metricsLong(breakdown).toString());
 * ```
 *
 * @param breakdown a frame of `metricBreakdown` or `timeline`
 * @throws {RangeError} when columns are missing, when a metric has no column, or when neither the provenance nor
 * `metric_ids` lists the metrics.
 * @throws {TypeError} when a metric's column is not numeric.
 * @category Analysis
 */
export function metricsLong(breakdown: DataFrame, options: {
  /**
   * The metrics whose columns are read. Required if the provenance of the frame does not list the metrics.
   *
   * @default {the requested metrics}
   */
  readonly metric_ids?: readonly string[];
} = {}): DataFrame {
  const { metric_ids = askedMetrics(breakdown) } = checkOptions(
    options,
    { metric_ids: listOf(string) },
    "metricsLong",
  );
  const found = columnsOf(breakdown, metric_ids);
  const without = metric_ids.filter((id) => !found.some(({ metric_id }) => metric_id === id));
  requireColumns(breakdown, {
    fn: "metricsLong",
    source: "a frame of metricBreakdown",
    columns: [...IDS, ...without],
    numbers: found.map(({ column }) => column),
  });
  const keys = [...PERIOD.filter((name) => breakdown.columns.includes(name)), ...IDS];
  return withProvenance(breakdown, longForm(breakdown, keys, found), "metricsLong");
}
