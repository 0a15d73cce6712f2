import { checkOptions } from "../../platform/check_options.ts";
import type { DataFrame, Frame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf, withKeys } from "../columnar.ts";
import { COHORT_RULES, WASHOUT } from "./cohort_counts.ts";
import { amountUnit } from "../../table/read/retention_unit.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { COUNTED, monthAfter, refuseAmounts, requireCohortDates } from "./curve_table.ts";
import {
  curveRows,
  GROUP_RULES,
  type Grouping,
  groupKeys,
  readCohorts,
  rowsByGroup,
} from "./retention_groups.ts";
import type { AtStage } from "./stage.ts";
import { sumOf } from "../sums.ts";

/**
 * Adds up cohorts by group, month of first use and age. Returns one row per month of first use and age, sorted by calendar
 * month and month of first use, and the index of its group. Ages go from 0 to the largest `month` of the group, and one
 * further: at this age the cohorts are no longer observed. Months after the last observed calendar month have no row.
 *
 * `lost` is the sum of the losses of cohorts that shrank since the previous month, and `returned` is the sum of the gains
 * of cohorts that grew. `before` is the number of users who were active in the previous month. `ended` is true at the age
 * that is no longer observed. Cohorts of size 0 and cohorts without a `cohort_date` are left out.
 */
function layersOf(
  curves: DataFrame,
  { fn, by, washout }: Grouping & { readonly washout: number },
) {
  const reading = readCohorts(curves, { fn, by, columns: ["cohort_date"] });
  requireCohortDates(curves, fn);
  const rows = curveRows(curves, reading, { by, washout });
  const byGroup = rowsByGroup(rows);
  const layers = byGroup.map(([, inGroup], group) => {
    const counted = inGroup.filter((row) =>
      rows.size[row] !== 0 && rows.early[row] === 0 && !Number.isNaN(rows.day[row])
    );
    const end = counted.reduce((most, row) => Math.max(most, rows.month[row]! + 1), 0);
    const byDay = [...Map.groupBy(counted, (row) => rows.day[row]!)].sort(([a], [b]) => a - b);
    const all = byDay.flatMap(([cohort_date, born], older_cohorts) => {
      // The cell of an age is after that of the age before, and the first one is empty.
      const cells = Array.from({ length: end + 2 }, () => (
        { active: 0, lost: 0, returned: 0, cohorts: 0, followed: 0 }
      ));
      for (const row of born) {
        const [month, active] = [rows.month[row]!, rows.active[row]!];
        if (Number.isNaN(active)) continue;
        const cell = cells[month + 1]!;
        cell.active += active;
        cell.cohorts += 1;
        if (month > 0 && rows.since[row] !== month - 1) continue;
        const change = month > 0 ? active - rows.before[row]! : 0;
        cell.lost += Math.max(0, -change);
        cell.returned += Math.max(0, change);
        cell.followed += 1;
      }
      const count = new Set(born.map((row) => rows["(cohort)"][row])).size;
      const left_truncated = born.some((row) => rows.left_truncated[row] === 1);
      return cells.slice(1).map((cell, month) => {
        const [before, ended] = [cells[month]!, month === end];
        return {
          ...cell,
          group,
          date: monthAfter(cohort_date, month),
          cohort_date,
          month,
          before: before.active,
          ended,
          left_out: count - (ended ? before.cohorts : cell.followed),
          older_cohorts,
          left_truncated,
        };
      });
    });
    const latest = all.reduce(
      (most, { date, cohorts }) => cohorts > 0 && date > most ? date : most,
      -Infinity,
    );
    return all.filter(({ date }) => date <= latest)
      .sort((a, b) => a.date - b.date || a.cohort_date - b.cohort_date);
  });
  const filled = layers.map((group) => group.some(({ cohorts }) => cohorts > 0));
  const groups = byGroup.map(([code]) => code);
  return { layers, keys: groupKeys(curves, { fn, by, washout }, { groups, counted: filled }) };
}

/**
 * Returns the number of active users in each calendar month, by the month of their first use. In a cohort chart, each
 * month of first use is a layer.
 *
 * Returns one row per group, calendar month and month of first use, sorted by calendar month, then by month of first
 * use. Groups follow one another:
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or other columns, or none | String | the group that the option `by` selects; no such columns for `"all"` |
 * | `date` | Date | the first day of the calendar month |
 * | `cohort_date` | Date | first day of the month in which the cohorts began |
 * | `month` | Int64 | months from `cohort_date` to `date` |
 * | `active` | Float64 | active users of these cohorts in the calendar month |
 * | `total` | Float64 | the sum of `active` over all rows of the group and calendar month |
 * | `cohorts` | Int64 | number of cohorts in `active` |
 * | `left_out` | Int64 | number of cohorts that have no value in this month or in the previous month; cohorts without a value in this month are not in `active` |
 * | `older_cohorts` | Int64 | number of earlier months of first use that are no longer in `total`: cohorts have values up to the last month of the curves (11 for `cohortAnalysis`) |
 * | `left_truncated` | Boolean | whether the cohorts contain users whose first use was before tracking began |
 *
 * `total` counts only users whose cohort has a value, such as first use in the last 12 months, not all active users. Incomplete months have no
 * row. A user of two projects counts twice. To count each user once, pass `by: "project_id"`.
 *
 * @example Who is active: old users or new ones?
 * ```ts
 * import { cohortAnalysis, cohortLayers, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(cohortLayers(curves).toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, an option is out of range, `by` names a column of the result, or a
 * month occurs twice in a cohort.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function cohortLayers<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The columns whose values make groups: any column of the frame, or several, or `"all"` for one group.
     *
     * @default {"all"}
     */
    readonly by?: string | readonly string[];
  } = {},
): Frame {
  const fn = "cohortLayers";
  const { by = [] } = checkOptions(options, GROUP_RULES, fn);
  const { layers, keys } = layersOf(curves, { fn, by, washout: -Infinity });
  const rows = layers.flatMap((group) =>
    [...Map.groupBy(group.filter(({ cohorts }) => cohorts > 0), ({ date }) => date).values()]
      .flatMap((own) => {
        const total = sumOf(own.map(({ active }) => active));
        return own.map((layer) => ({ ...layer, total, older_cohorts: own[0]!.older_cohorts }));
      })
  );
  const amount = amountUnit(curves, "size");
  const table = tableOf(rows, [
    ["date", "date", "cohort_date"],
    ["whole months", "month"],
    [amount === null ? "number users over groups" : "number field over groups", "active"],
    [amount === null ? "number users" : "number field", "total"],
    ["whole cohorts", "cohorts"],
    ["whole", "left_out", "older_cohorts"],
    ["flag", "left_truncated"],
  ], columnIn(curves, "size"));
  const groups = rows.map(({ group }) => group);
  return withProvenance(curves, withKeys(table, keys, { fn, groups }), {
    fn,
    options,
    of: COUNTED,
    first: ["active", "total", "cohorts"],
  });
}

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
  refuseAmounts(curves, fn, "flows");
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
  return withProvenance(curves, withKeys(table, keys, { fn, groups }), {
    fn,
    options,
    of: COUNTED,
    first: ["new", "returned", "lost", "aged_out", "net_quick_ratio"],
  });
}
