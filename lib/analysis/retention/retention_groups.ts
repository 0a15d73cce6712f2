import type { Rule } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import { nameColumn } from "../../table/read/names.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { type Reading, readingOf, refuseTwice } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { arraysIn, type Expr, firstRow, numberOfColumn, rowsAt, valueWhere } from "../columnar.ts";
import { CURVE_VALUES, refuseImpossibleRows, refusePooled } from "./curve_table.ts";

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
   * @default {`"all"`; `"project_id"` in `compareRetention`, and `"market_sector_id"` in `detectable`}
   */
  readonly by?: string | readonly string[];
  /**
   * The clusters: a column of units, or `"none"`. Bounds and tests assume that units are independent of each other, but
   * for shocks that all of them share at one time. With `"none"`, they assume that users are independent, and ignore
   * differences between units and cohorts. `cohortTrend` takes only a column of units. `"cohort_block"` means the
   * default, and takes blocks of cohorts for a group of one unit.
   *
   * @default {the unit of independence for a group of several units, else three blocks of cohorts: see `pooledRetention`}
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

/** Checks curves, and reads their entities and times. */
export function readCohorts(
  curves: DataFrame,
  { fn, by, columns = [] }: Grouping & { readonly columns?: readonly string[] },
): Reading {
  refusePooled(curves, fn);
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: [...by, ...columns],
    numbers: ["month", "size", "retained"],
  });
  const reading = readingOf(curves, { fn, groups: by });
  refuseTwice(curves, reading, fn);
  refuseImpossibleRows(curves, fn);
  return reading;
}

/** Rows of cohorts, in order of cohort and month. NaN means null. */
export type CohortRows = ReturnType<typeof curveRows>;

/** Returns whether a row begins a run: the value of a column differs from that of the row before. */
function beginsRun(columns: readonly string[]): Expr {
  const start = pl.col("(row)").eq(0);
  if (columns.length === 0) return start;
  const [value, last] = [pl.col([...columns]), pl.col([...columns]).shift(1)];
  const changes = value.neq(last).fillNull(pl.lit(false)).or(value.isNull().neq(last.isNull()));
  return pl.anyHorizontal([start, changes]);
}

/**
 * Returns, for each row, the indices of the first row with the same values in each set of columns. The rows of a cohort
 * usually follow one another, so that only the first row of each run is compared with others.
 */
function codesOf<Name extends string>(
  curves: DataFrame,
  sets: Readonly<Record<Name, readonly string[]>>,
): Record<Name, Uint32Array> {
  const columns = [...new Set(Object.values<readonly string[]>(sets).flat())];
  const heads = curves.select(...columns).withRowIndex("(row)").filter(beginsRun(columns));
  const starts = heads.getColumn("(row)").toTypedArray() as Uint32Array;
  const entries = Object.entries<readonly string[]>(sets).map(([name, keys]) => {
    const codes = new Uint32Array(curves.height);
    if (keys.length > 0) {
      const first = heads.select(firstRow(keys)).getColumn("(row)").toTypedArray() as Uint32Array;
      first.forEach((code, run) => codes.fill(code, starts[run], starts[run + 1]));
    }
    return [name, codes];
  });
  return Object.fromEntries(entries);
}

/** Returns the order of rows by cohort and month, or null if they have it. */
function orderOf(cohort: Uint32Array, month: Float64Array): Uint32Array | null {
  let row = 1;
  const isAfter = () =>
    cohort[row]! > cohort[row - 1]! ||
    cohort[row] === cohort[row - 1] && month[row]! >= month[row - 1]!;
  while (row < cohort.length && isAfter()) row += 1;
  if (row >= cohort.length) return null;
  const rows = Uint32Array.from(cohort.keys());
  return rows.sort((a, b) => cohort[a]! - cohort[b]! || month[a]! - month[b]! || a - b);
}

/**
 * Reads the rows of cohorts in order of cohort and month. `(group)`, `(cohort)` and `(unit)` are the indices of the first
 * row of the same group, of the same cohort, and with the same value in `unit`. `day` is the day of `cohort_date`.
 * `active` is NaN if the row has no value. `before` is the last value of the cohort before, and `since` is its month, or -1.
 * `early` is 1 if `washout` leaves the cohort out.
 */
export function curveRows(
  curves: DataFrame,
  { entity, times }: Reading,
  { by, unit, washout }: Pick<Grouping, "by"> & {
    readonly unit?: string | undefined;
    readonly washout: number;
  },
) {
  const codes = codesOf(curves, {
    "(group)": by,
    "(cohort)": [...entity, ...times].filter((name) => name !== "month"),
    "(unit)": unit === undefined ? [] : [unit],
  });
  const columnOr = (name: string, none: number | null) =>
    curves.columns.includes(name) ? pl.col(name) : pl.lit(none).alias(name);
  const seen = valueWhere(numberOfColumn("size").gt(0), numberOfColumn("retained"));
  const rows = curves.select(
    columnOr("cohort_date", null).cast(pl.Date).alias("day"),
    pl.cols("month", "size"),
    seen.alias("active"),
    columnOr("tracked_months", null).lt(washout).fillNull(pl.lit(false)).cast(pl.UInt8)
      .alias("early"),
    columnOr("left_truncated", 0).cast(pl.Float64).eq(1).fillNull(pl.lit(false)).cast(pl.UInt8)
      .alias("left_truncated"),
  );
  const flags = (name: string) => rows.getColumn(name).toTypedArray() as Uint8Array;
  const found = {
    ...codes,
    ...arraysIn(rows, ["day", "month", "size", "active"]),
    early: flags("early"),
    left_truncated: flags("left_truncated"),
  };
  const order = orderOf(codes["(cohort)"], found.month);
  const arrays = order === null ? found : sortedBy(found, order);
  const { "(cohort)": cohort, month, size, active } = arrays;
  const before = new Float64Array(active.length).fill(NaN);
  const since = new Int16Array(active.length).fill(-1);
  let last = NaN;
  for (let row = 0; row < cohort.length; row++) {
    if (cohort[row] !== cohort[last]) last = NaN;
    else {
      // Rows that were pooled elsewhere can have fewer users in later months.
      before[row] = active[last]! * (size[row]! / size[last]!);
      since[row] = month[last]!;
    }
    if (!Number.isNaN(active[row])) last = row;
  }
  return { ...arrays, before, since };
}

/** Returns the arrays in an order of their elements. */
function sortedBy<Arrays extends Readonly<Record<string, Float64Array | Uint32Array | Uint8Array>>>(
  arrays: Arrays,
  order: Uint32Array,
): Arrays {
  const entries = Object.entries(arrays).map(([name, values]) => {
    const sorted = values.slice();
    order.forEach((row, at) => sorted[at] = values[row]!);
    return [name, sorted];
  });
  return Object.fromEntries(entries);
}

/** Returns the code of each group, and the indices of its rows, in order of first appearance. */
export function rowsByGroup({ "(group)": group }: CohortRows): [code: number, rows: number[]][] {
  const groups = new Map<number, number[]>();
  let own: number[] = [];
  for (let row = 0; row < group.length; row++) {
    const code = group[row]!;
    if (row === 0 || code !== group[row - 1]) {
      own = groups.get(code) ?? [];
      if (own.length === 0) groups.set(code, own);
    }
    own.push(row);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

/** Returns the columns of groups. `groups` has the codes of the groups, and `counted` states whether they have cohorts. */
export function groupKeys(
  curves: DataFrame,
  { fn, by, washout }: Grouping & { readonly washout: number },
  { groups, counted }: { readonly groups: readonly number[]; readonly counted: readonly boolean[] },
): DataFrame {
  const texts = by.map((name) => pl.col(name).cast(pl.Utf8));
  const keys = rowsAt(curves.select(...groupColumns(curves, by)), groups).withColumns(...texts);
  const empty = by.length === 0
    ? counted.includes(false) ? ["all"] : []
    : keys.toRecords().filter((_, at) => !counted[at]).map((row) => String(groupLabel(row, by)));
  if (empty.length > 0) {
    const early = washout > 0
      ? "; pass washout: 0 to count those that began soon after tracking"
      : "";
    notify(`${fn}: no cohorts to count in ${listed(empty)}${early}`);
  }
  return keys;
}

/** Returns the name of a group: its values, or null if it has one column and no value. */
export function groupLabel(row: Readonly<Record<string, unknown>>, by: readonly string[]) {
  const values = by.map((name) => row[name] ?? null);
  return values.length === 1 ? values[0] as string | null : values.map(String).join(" · ");
}
