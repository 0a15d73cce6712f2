import { COMPARISON_FIELDS } from "../../schema/comparison_fields.ts";
import { AGGREGATIONS } from "../../schema/vocabulary.ts";
import { dtypeNames } from "../../table/build/dtypes.ts";
import { responseOf } from "../../table/track/provenance.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { numberOfColumn } from "../columnar.ts";

/** The columns that identify a row: ids, names, and the columns of a period. */
const KEY = /_(id|name)$|^(date|until|complete|retrieved_at)$/;
const AGGREGATION = new RegExp(`^(.+)_(${AGGREGATIONS.join("|")})$`);

/** Returns the fields of a blockchain comparison, in the order of the API. */
function comparisonColumns(frame: DataFrame) {
  const there = new Set(frame.columns);
  return COMPARISON_FIELDS.filter(({ name }) => there.has(name))
    .map(({ name, measure, statistic, window }) => ({ column: name, measure, statistic, window }));
}

/** Returns the metrics of the query that made a frame, longest name first; undefined if the query is not known. */
function askedMetrics(frame: DataFrame): string[] | undefined {
  const asked = responseOf(frame)?.query.metric_ids;
  return asked === undefined || asked === null
    ? undefined
    : [asked].flat().map((id) => String(id).trim()).sort((a, b) => b.length - a.length);
}

/**
 * Returns the columns of metrics, in the order of the frame. If a column name begins with the names of several metrics,
 * the column belongs to the metric with the longest name. Columns of text, such as units, are left out.
 */
function metricColumns(frame: DataFrame) {
  const types = dtypeNames(frame);
  const asked = askedMetrics(frame);
  return frame.columns.flatMap((column, index) => {
    if (KEY.test(column) || ["String", "Bool"].includes(types[index]!)) return [];
    const [, before = column, known] = AGGREGATION.exec(column) ?? [];
    const metric_id = asked === undefined
      ? before
      : asked.find((id) => column === id || column.startsWith(`${id}_`));
    if (metric_id === undefined) return [];
    const aggregation = asked === undefined
      ? known ?? null
      : column.slice(metric_id.length + 1) || null;
    return [{ column, metric_id, aggregation }];
  });
}

/** Stacks columns of numbers into one column `value`, with the texts that `columns` lists for each. */
function stacked(
  frame: DataFrame,
  keys: readonly string[],
  columns: readonly (Readonly<Record<string, string | null>> & { readonly column: string })[],
): DataFrame {
  const rows = frame.withRowIndex("(row)");
  const parts = columns.map(({ column, ...texts }) =>
    rows.select(
      "(row)",
      ...keys,
      ...Object.entries(texts).map(([name, text]) => pl.lit(text).cast(pl.Utf8).alias(name)),
      numberOfColumn(column).alias("value"),
    )
  );
  return pl.concat(parts).sort({ by: "(row)", maintainOrder: true }).drop("(row)");
}

/**
 * Converts a frame to long form: one row per row of the frame and field or metric. Rows keep the order of the frame.
 *
 * Keeps the columns of ids, names and periods, and adds for a blockchain comparison:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `measure` | String | the measured quantity: `market_cap_fd`, `ecosystem_fees`, `transaction_count`, … |
 * | `statistic` | String | `latest`, `change`, `sum` or `trend` |
 * | `window` | String | `1d`, `7d`, `30d`, `90d`, `180d`, `365d` or `max`; null only for a latest value |
 * | `value` | Float64 | the unchanged value. `latest` and `sum` are US dollars or counts; `change` and `trend` are fractions |
 *
 * For a frame of metrics, adds:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `metric_id` | String | the metric |
 * | `aggregation` | String | `sum`, `avg`, `latest`, `change`, `trend` or another name that the service sends; null if the metric is a plain number |
 * | `value` | Float64 | the unchanged value |
 *
 * Other columns are left out. The metrics are those of the query in the frame's provenance. Without a query, each
 * column of numbers is a metric, and its aggregation is the end of its name.
 *
 * @example Every 30-day figure of every chain
 * ```ts
 * import { blockchainComparison, long, where } from "@chainframe/chainframe";
 *
 * const chains = long(await blockchainComparison());
 * console.log(where(chains, { window: "30d" }));
 * ```
 *
 * @param frame a frame of `blockchainComparison`, `metricBreakdown` or `timeline`
 * @throws {RangeError} when the frame has neither fields of the comparison nor metrics.
 * @throws {TypeError} when a field or metric is not numeric.
 * @category Analysis
 */
export function long(frame: DataFrame): Frame {
  const fn = "long";
  const source = "a frame of blockchainComparison, metricBreakdown or timeline";
  requireColumns(frame, { fn, source });
  const keys = frame.columns.filter((column) => KEY.test(column));
  const [fields, metrics] = [comparisonColumns(frame), metricColumns(frame)];
  const columns = fields.length > 0 ? fields : metrics;
  if (columns.length === 0) requireColumns(frame, { fn, source, columns: ["any field or metric"] });
  requireColumns(frame, { fn, source, numbers: columns.map(({ column }) => column) });
  const made = fields.length > 0 ? stacked(frame, keys, fields) : stacked(frame, keys, metrics);
  return withProvenance(frame, made, {
    fn,
    options: {},
    first: ["value"],
    columns: computedColumns([
      ["id", "measure", "statistic", "window", "metric_id", "aggregation"],
      ["number", "value"],
    ]),
  });
}
