import { checkOptions } from "../../platform/check_options.ts";
import type { DataFrame, Frame } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf } from "../columnar.ts";
import { curveRows, readCohorts } from "./cohort_counts.ts";
import { monthsAfter, requireCohortDates } from "./curve_table.ts";
import { GROUP_RULES, type Grouping, groupKeys, withGroups } from "./retention_groups.ts";
import type { AtStage } from "./stage.ts";
import { sumOf } from "../sums.ts";

/** The cohorts that began in one month. */
interface Births {
  all: number;
  truncated: boolean;
  /** The sums of the cohorts with a value at each age; `followed` also have a value in the month before. */
  readonly cells: {
    active: number;
    lost: number;
    returned: number;
    cohorts: number;
    followed: number;
  }[];
}

const NO_CELL = { active: 0, lost: 0, returned: 0, cohorts: 0, followed: 0 };

/**
 * Adds up cohorts by group, month of first use and age. Returns one row per month of first use and age, sorted by calendar
 * month and month of first use, and the index of its group. Ages go from 0 to the largest `month` of the group, and one
 * further: at this age the cohorts are no longer observed. Months after the last observed calendar month have no row.
 *
 * `lost` is the sum of the losses of cohorts that shrank since the previous month, and `returned` is the sum of the gains
 * of cohorts that grew. `before` is the number of users who were active in the previous month. `ended` is true at the age
 * that is no longer observed. Cohorts of size 0 and cohorts without a `cohort_date` are left out.
 */
export function layersOf(
  given: DataFrame,
  { washout = -Infinity, ...grouping }: Grouping & { readonly washout?: number },
) {
  const { fn, by } = grouping;
  const { curves, identity } = readCohorts(given, {
    ...grouping,
    columns: ["cohort_date"],
    numbers: ["month", "size", "retained"],
  });
  requireCohortDates(given, fn);
  const rows = curveRows(curves, { by, identity });
  const { month, size, retained, tracked_months: tracked, left_truncated: truncated } = rows;
  const [group, cohort, day] = [rows["(group)"]!, rows["(cohort)"]!, rows["(cohort_block)"]!];
  const groups = new Map<number, Map<number, Births>>();
  let [last, age, before] = [NaN, NaN, NaN];
  for (let row = 0; row < month!.length; row++) {
    const own = groups.get(group[row]!) ?? new Map<number, Births>();
    groups.set(group[row]!, own);
    if (size![row] === 0 || Number.isNaN(day[row]!) || tracked![row]! < washout) continue;
    const births = own.get(day[row]!) ?? { all: 0, truncated: false, cells: [] };
    own.set(day[row]!, births);
    if (cohort[row] !== last) {
      births.all += 1;
      [last, age] = [cohort[row]!, NaN];
    }
    births.truncated ||= truncated![row] === 1;
    const at = month![row]!;
    const cell = births.cells[at] ??= { ...NO_CELL };
    const active = retained![row]!;
    const change = at === 0 ? 0 * active : age + 1 === at ? active - before : NaN;
    if (!Number.isNaN(active)) {
      cell.active += active;
      cell.cohorts += 1;
    }
    if (!Number.isNaN(change)) {
      cell.lost += Math.max(0, -change);
      cell.returned += Math.max(0, change);
      cell.followed += 1;
    }
    [age, before] = [at, active];
  }
  const periodOf = monthsAfter();
  const layers = [...groups].sort(([a], [b]) => a - b).map(([, own], index) => {
    const births = [...own].sort(([a], [b]) => a - b);
    const end = births.reduce((most, [, { cells }]) => Math.max(most, cells.length), 0);
    const all = births.flatMap(([cohort_date, { all, truncated, cells }], older_cohorts) =>
      Array.from({ length: end + 1 }, (_, month) => {
        const cell = cells[month] ?? NO_CELL;
        const previous = cells[month - 1] ?? NO_CELL;
        return {
          ...cell,
          group: index,
          date: periodOf(cohort_date, month)!.start,
          cohort_date,
          month,
          before: previous.active,
          ended: month === end,
          left_out: all - (month === end ? previous.cohorts : cell.followed),
          older_cohorts,
          left_truncated: truncated,
        };
      })
    );
    const latest = all.reduce(
      (most, { date, cohorts }) => cohorts > 0 && date > most ? date : most,
      -Infinity,
    );
    return all.filter(({ date }) => date <= latest)
      .sort((a, b) => a.date - b.date || a.cohort_date - b.cohort_date);
  });
  const keys = groupKeys(curves, by);
  return { layers, keys };
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
  const { layers, keys } = layersOf(curves, { fn, by });
  const rows = layers.flatMap((group) =>
    [...Map.groupBy(group.filter(({ cohorts }) => cohorts > 0), ({ date }) => date).values()]
      .flatMap((own) => {
        const total = sumOf(own.map(({ active }) => active));
        return own.map((layer) => ({ ...layer, total, older_cohorts: own[0]!.older_cohorts }));
      })
  );
  const table = tableOf(rows, [
    ["date", "date", "cohort_date"],
    ["whole months", "month"],
    ["number users over groups", "active"],
    ["number users", "total"],
    ["whole cohorts", "cohorts"],
    ["whole", "left_out", "older_cohorts"],
    ["flag", "left_truncated"],
  ]);
  const groups = rows.map(({ group }) => group);
  return withProvenance(curves, withGroups(table, { fn, by, keys, groups }), {
    fn,
    options,
    first: ["active", "total", "cohorts"],
  });
}
