import type { Rule } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import { nameColumn } from "../../table/read/names.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { inGroups, withKeys } from "../columnar.ts";
import { CURVE_VALUES } from "./curve_table.ts";

/** Accepts `"all"`, a column, or several columns. Returns the columns. */
const someColumns: Rule<string[]> = (value, refuse) => {
  if (value === "all") return [];
  const names: unknown[] = [value].flat();
  if (
    names.length === 0 || names.some((name) => typeof name !== "string" || /^(all)?$/.test(name))
  ) {
    refuse('must be a column, a list of columns, or "all"');
  }
  if (new Set(names).size < names.length) refuse("must list each column once");
  const wrong = (names as string[]).find((name) => CURVE_VALUES.has(name));
  if (wrong !== undefined) {
    refuse(`must name columns of groups; ${wrong} is a value: rename it`);
  }
  return names as string[];
};

/** The rule of the option `by`. */
export const GROUP_RULES = { by: someColumns };

/**
 * The options of functions that pool cohorts into groups.
 *
 * @category Analysis
 */
export interface CohortOptions {
  /**
   * The columns whose values make groups: any column of the frame, or several, or `"all"` for one group.
   *
   * @default {`"all"`; `"project_id"` in `compareRetention`, `"market_sector_id"` in `detectable`, and the groups of the frame in forecasts}
   */
  readonly by?: string | readonly string[];
  /**
   * The clusters: a column of units, `"cohort_block"` (three blocks of neighboring cohorts), `"cohort"`, or `"none"`.
   * Bounds and tests assume that clusters are independent of each other. With `"none"`, they assume that users are
   * independent, and ignore differences between units and cohorts. `cohortTrend` takes only a column of units.
   *
   * @default {the unit of independence for a group of several units, else `"cohort_block"`: see `pooledRetention`}
   */
  readonly cluster?: string;
  /**
   * Leaves out cohorts with fewer `tracked_months` than this, because such cohorts include people who used the project
   * before tracking began. Such users stay longer. `1` leaves out only the first tracked month. `0` keeps all cohorts.
   *
   * @default {3}
   */
  readonly washout?: number;
  /**
   * The confidence of the bounds, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}

/** The groups that options select. */
export interface Grouping {
  readonly fn: string;
  /** The columns whose values make groups. Without columns, there is one group. */
  readonly by: readonly string[];
}

/** Returns the columns of groups, each column of ids followed by the column of its names, if the frame has it. */
export function groupColumns(curves: DataFrame, by: readonly string[]): string[] {
  const known = new Set(curves.columns);
  const all = by.flatMap((id) => [id, nameColumn(id)]);
  return [...new Set(all)].filter((name) => by.includes(name) || known.has(name));
}

/** Returns curves whose columns of groups are texts. */
export function groupedCurves(curves: DataFrame, { fn, by }: Grouping): DataFrame {
  requireColumns(curves, { fn, source: "a frame of retentionCurves", columns: by });
  return by.length === 0
    ? curves
    : curves.withColumns(...by.map((name) => pl.col(name).cast(pl.Utf8)));
}

/** Returns one row per group, in order of its first row, with the columns of `groupColumns`. */
export function groupKeys(grouped: DataFrame, by: readonly string[]): DataFrame {
  if (by.length === 0) return pl.DataFrame();
  const columns = groupColumns(grouped, by);
  const names = columns.filter((name) => !by.includes(name))
    .map((name) => pl.col(name).cast(pl.Utf8).dropNulls().first());
  return inGroups(grouped, by, names).select(...columns);
}

/**
 * Adds the columns of groups to a table. `groups` has the index of the group of each row. A warning names groups without
 * a row.
 */
export function withGroups(
  table: DataFrame,
  { fn, by, keys, groups }: Pick<Grouping, "fn" | "by"> & {
    readonly keys: DataFrame;
    readonly groups: readonly number[];
  },
): DataFrame {
  const filled = new Set(groups);
  const empty = keys.toRecords()
    .filter((_, group) => !filled.has(group))
    .map((row) => String(groupLabel(row, by)));
  if (empty.length > 0) notify(`${fn}: no cohorts to count in ${listed(empty)}`);
  const taken = keys.columns.find((name) => table.columns.includes(name));
  if (taken !== undefined) {
    throw new RangeError(`${fn}: by: the result has a column ${taken} of its own: rename it`);
  }
  return withKeys(table, keys, groups);
}

/** Returns the name of a group: its values, or null if it has one column and no value. */
export function groupLabel(row: Readonly<Record<string, unknown>>, by: readonly string[]) {
  const values = by.map((name) => row[name] ?? null);
  return values.length === 1 ? values[0] as string | null : values.map(String).join(" · ");
}
