import type { DataFrame } from "../table/polars.ts";
import { withProvenance } from "../table/show.ts";
import { columnsOf, GROUP, tableOf, withKeys } from "./columns.ts";
import { type CurveMonth, curveTable } from "./curve_table.ts";
import { chained } from "./observed_curve.ts";
import type { AtStage, Staged } from "./stage.ts";

const MONTHS = [1, 3, 6, 11];
const HALF = 0.5;

/** The value of a curve in a month. NaN means null. */
interface Point {
  readonly month: number;
  readonly value: number;
}

/** Returns the position between two months at which the line first reaches 0.5. */
function crossing(points: readonly Point[]): number {
  const known = points.filter(({ value }) => !Number.isNaN(value));
  const at = known.findIndex(({ value }) => value <= HALF);
  const [before, after] = [known[at - 1], known[at]];
  if (after === undefined) return NaN;
  if (before === undefined) return after.month === 0 ? 0 : NaN;
  const part = (before.value - HALF) / (before.value - after.value);
  return before.month + (after.month - before.month) * part;
}

function firstAtHalf(points: readonly Point[]): number {
  return points.find(({ value }) => value <= HALF)?.month ?? NaN;
}

function churnOf(observed: readonly CurveMonth[]): number {
  const pairs = observed.filter(({ month, size }, index) =>
    observed[index - 1]?.month === month - 1 && size > 0
  );
  const sum = (name: "lost" | "atRisk") =>
    pairs.reduce((total, { [name]: users }) => total + (users || 0), 0);
  return pairs.length > 0 && sum("atRisk") > 0 ? sum("lost") / sum("atRisk") : NaN;
}

/**
 * Summarizes each retention curve in one row: retention in some months, half-life, and net churn.
 *
 * The groups and their order are those of the frame. A group is identified by all columns except those that
 * `pooledRetention` computes.
 *
 * | column | dtype | |
 * |---|---|---|
 * | the group's columns | unchanged | |
 * | `cohorts` | Int64 | largest number of cohorts in a month; null if the frame has no such column |
 * | `size` | Float64 | largest number of users at risk in a month |
 * | `months` | Int64 | number of months in which `retention` is not null |
 * | `month_1`, `month_3`, `month_6`, `month_11` | Float64 | retention in the month, 0 to 1; null if the month has no value |
 * | `half_life` | Float64 | number of months until `net_activity` is 0.5, interpolated linearly between observed months; null if `net_activity` does not reach 0.5, or if it is already below 0.5 in the first observed month after month 0 |
 * | `half_life_lower`, `half_life_upper` | Float64 | the first month in which the lower bound of `net_activity` is at or below 0.5, and the first month in which the upper bound is; null if there is no such month |
 * | `net_churn` | Float64 | the fraction of users lost per month; null if no two neighboring months are observed |
 *
 * `net_activity` is the product of the monthly fractions of users who were not lost, so that cohorts of different ages
 * are comparable. If this column is missing, as in curves per cohort or in your own frame, it is computed from `size`
 * and `retention`, as for a single cohort. Its bounds are then `lower` and `upper` of the frame.
 *
 * `net_churn` is the occurrence/exposure rate: users lost from one observed month to the next, divided by users at
 * risk, `sum(lost) / sum(at_risk)`. Each month uses the cohorts that have a value in this month and in the previous
 * month. It is the maximum likelihood estimate of a constant churn, even if young cohorts have fewer months than old
 * cohorts. It is negative if more users returned than left.
 *
 * @example Which projects keep half of their users the longest?
 * ```ts
 * import {
 *   cohortAnalysis,
 *   pooledRetention,
 *   retentionCurves,
 *   retentionSummary,
 * } from "@chainframe/chainframe";
 *
 * const pooled = pooledRetention(retentionCurves(await cohortAnalysis()), { by: "project_id" });
 * const summary = retentionSummary(pooled);
 * console.log(summary.sort({ by: "half_life", descending: true, nullsLast: true }).toString());
 * ```
 *
 * @param pooled a frame of `pooledRetention`, or of `retentionCurves` for a summary per cohort
 * @throws {RangeError} when columns are missing, a month occurs twice in a group, or a value is impossible.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionSummary<Frame extends DataFrame>(
  pooled: Frame & AtStage<Frame, "curves" | "pooled">,
): Staged<"summary"> {
  const { curves, keys, numbers } = curveTable(pooled, "retentionSummary");
  const has = (name: string) => pooled.columns.includes(name);
  const bounds = has("net_activity") ? "net_activity_" : "";
  const [activity, lower, upper, cohorts] = [
    ...["net_activity", `${bounds}lower`, `${bounds}upper`, "cohorts"].map(numbers),
  ] as [Float64Array, Float64Array, Float64Array, Float64Array];
  const [month, sizes] = [numbers("month"), numbers("size")];
  const most = (rows: readonly number[], values: Float64Array) =>
    rows.reduce((max, row) => values[row]! > max || Number.isNaN(max) ? values[row]! : max, NaN);
  const rows = curves.map(({ rows, observed }, group) => {
    const points = (values: Float64Array) =>
      rows.map((row): Point => ({ month: month[row]!, value: values[row]! }));
    const curve = has("net_activity")
      ? points(activity)
      : chained(observed).map(({ month, left }) => ({ month, value: left }));
    const at = (wanted: number) => observed.find(({ month }) => month === wanted)?.retention;
    return {
      [GROUP]: group,
      cohorts: most(rows, cohorts),
      size: most(rows, sizes),
      months: observed.length,
      ...Object.fromEntries(MONTHS.map((wanted) => [`month_${wanted}`, at(wanted)])),
      half_life: crossing(curve),
      half_life_lower: firstAtHalf(points(lower)),
      half_life_upper: firstAtHalf(points(upper)),
      net_churn: churnOf(observed),
    };
  });
  const table = tableOf(rows, {
    [GROUP]: "number",
    cohorts: "whole",
    size: "number",
    months: "whole",
    ...columnsOf("number", MONTHS.map((wanted) => `month_${wanted}`)),
    ...columnsOf("number", ["half_life", "half_life_lower", "half_life_upper", "net_churn"]),
  });
  return withProvenance(pooled, withKeys(table, keys), "retentionSummary");
}
