import { checkOptions } from "../../platform/check_options.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf } from "../columnar.ts";
import { COHORT_RULES, WASHOUT } from "./cohort_counts.ts";
import { layersOf } from "./cohort_layers.ts";
import { GROUP_RULES, withGroups } from "./retention_groups.ts";
import type { AtStage } from "./stage.ts";
import { sumOf } from "../sums.ts";

type Layers = ReturnType<typeof layersOf>["layers"][number];

/** Returns the flows of each calendar month, from the layers of a group in order of date. NaN means null. */
function flowsOf(layers: Layers) {
  const firstEnd = layers.find(({ ended }) => ended)?.date ?? Infinity;
  return [...Map.groupBy(layers, ({ date }) => date)].map(([date, own], at) => {
    const sumIn = (name: "active" | "lost" | "returned" | "cohorts" | "left_out") =>
      sumOf(own.map((layer) => layer[name]));
    const born = own.find(({ month, left_out, left_truncated }) =>
      month === 0 && left_out === 0 && !left_truncated
    );
    const came = born?.active ?? NaN;
    const left_out = sumIn("left_out");
    const ended = sumOf(own.filter((layer) => layer.ended).map(({ before }) => before));
    const [returned, lost] = at > 0 ? [sumIn("returned"), sumIn("lost")] : [NaN, NaN];
    const aged_out = date >= firstEnd && left_out === 0 ? ended : NaN;
    const ratio = (came + returned) / (lost + aged_out);
    return {
      group: own[0]!.group,
      date,
      new: came,
      returned,
      lost,
      aged_out,
      total: sumIn("active"),
      net_quick_ratio: Number.isFinite(ratio) ? ratio : NaN,
      cohorts: sumIn("cohorts"),
      left_out,
      older_cohorts: own.find((layer) => !layer.ended)?.older_cohorts,
    };
  }).filter(({ cohorts }) => cohorts > 0);
}

/**
 * Returns the numbers of new, returned and lost users in each calendar month (growth accounting), computed from
 * cohorts.
 *
 * Returns one row per group and calendar month:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or other columns, or none | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `date` | Date | the first day of the calendar month |
 * | `new` | Float64 | users whose first use was in this month; null if their number is unknown, as in the month in which tracking began |
 * | `returned` | Float64 | sum of the gains of cohorts with more active users than in the previous month; null in the first month |
 * | `lost` | Float64 | sum of the losses of cohorts with fewer active users than in the previous month; null in the first month |
 * | `aged_out` | Float64 | users who were active in the previous month, and whose cohort is no longer observed in this month, because the curves end (after month 11 for `cohortAnalysis`). Null until a cohort can age out, and where `left_out` is above 0 |
 * | `total` | Float64 | active users of the counted cohorts in this month |
 * | `net_quick_ratio` | Float64 | `(new + returned) / (lost + aged_out)`: above 1 if `total` rises; null if one of the four is null, or if the divisor is 0 |
 * | `cohorts` | Int64 | number of cohorts with a value in this month |
 * | `left_out` | Int64 | number of cohorts with a gap: they have no value in this month or in the previous month, so their change is unknown |
 * | `older_cohorts` | Int64 | number of monthly cohorts that are no longer observed in this month |
 *
 * The columns add up: `new + returned - lost - aged_out` is the change of `total` since the previous month. If one of
 * the columns is null, the change of `total` has no such account. `aged_out` is not a loss: these users can still be
 * active, but cohorts have no later values. Without `aged_out`, the inflow of 12 months would be compared with the
 * losses of 11 months, and a project of constant size would have a ratio near 2.
 *
 * Losses and gains are net within each cohort and month: if one user leaves and another user of the same cohort
 * returns, the two cancel out. Gross numbers are larger, and a quick ratio from gross numbers is nearer to 1. A user of
 * two projects counts twice.
 *
 * @example Does a project replace the users that it loses?
 * ```ts
 * import { cohortAnalysis, retentionCurves, userFlows } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(userFlows(curves).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, an option is out of range, `by` names a column of the result, or a
 * month occurs twice in a cohort.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function userFlows<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The columns whose values make groups: any column of the frame, or several, or `"all"` for one group.
     *
     * @default {"all"}
     */
    readonly by?: string | readonly string[];
    /**
     * Leaves out cohorts with fewer `tracked_months` than this, as in `pooledRetention`. The first cohorts include
     * people who used the project before tracking began, so `new` would be too large.
     *
     * @default {3}
     */
    readonly washout?: number;
  } = {},
): Frame {
  const fn = "userFlows";
  const { by = [], washout = WASHOUT } = checkOptions(
    options,
    { ...GROUP_RULES, washout: COHORT_RULES.washout },
    fn,
  );
  const { layers, keys } = layersOf(curves, { fn, by, washout });
  const rows = layers.flatMap(flowsOf);
  const table = tableOf(rows, [
    ["date", "date"],
    ["number users over both", "new", "returned", "lost", "aged_out"],
    ["number users", "total"],
    ["number statistic", "net_quick_ratio"],
    ["whole cohorts", "cohorts"],
    ["whole", "left_out", "older_cohorts"],
  ]);
  const groups = rows.map(({ group }) => group);
  return withProvenance(curves, withGroups(table, { fn, by, keys, groups }), {
    fn,
    options,
    first: ["new", "returned", "lost", "aged_out", "net_quick_ratio"],
  });
}
