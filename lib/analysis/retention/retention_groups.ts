import { oneOf, type Rule } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import { dayOf, daysNamed, dayText, type Period, periodAt } from "../../schema/period.ts";
import { utf8 } from "../../table/build/cell_values.ts";
import { nameColumn } from "../../table/read/names.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { inGroups, withKeys } from "../columnar.ts";
import { CURVE_VALUES, observedMonths } from "./curve_table.ts";

/** The column of groups of time. Rows outside of all spans have a null there. */
export const SPAN = "span";

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

/** A span of months, with its name. */
interface Span extends Period {
  readonly name: string;
}

/** Accepts the first and the last month of each span, by name. */
const someSpans: Rule<Span[]> = (value, refuse) => {
  const given = typeof value === "object" && !Array.isArray(value)
    ? Object.entries(value ?? {})
    : [];
  if (given.length === 0) {
    refuse('must be spans by name, such as { before: ["2024-01", "2025-06"] }');
  }
  const spans = given.map(([name, months]): Span => {
    const [from, to, ...more] = [months].flat().map((month) =>
      month instanceof Date ? periodAt(dayOf(month), "month") : daysNamed(String(month))
    );
    if (!from || !to || more.length > 0 || !(from.start <= to.end)) {
      return refuse(
        `${name}: must be two months, the first one not after the last, such as ` +
          '["2024-01", "2025-06"]',
      );
    }
    return { name, start: from.start, end: to.end };
  });
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  const again = sorted.find(({ start }, at) => at > 0 && start <= sorted[at - 1]!.end);
  if (again !== undefined) refuse(`must not overlap: ${again.name} begins within another span`);
  return spans;
};

/** The rules of the options that select groups of whole cohorts. */
export const GROUPS_BY_ARRIVAL = { by: someColumns, spans: someSpans };

/** The rules of the options that select groups. */
export const GROUP_RULES = {
  ...GROUPS_BY_ARRIVAL,
  spansOn: oneOf(["arrival", "observed"]),
};

/**
 * The options of functions that pool cohorts into groups.
 *
 * @category Analysis
 */
export interface CohortOptions {
  /**
   * The columns whose values make groups: any column of the frame, or several, `"span"` for groups of time, or `"all"`
   * for one group.
   *
   * @default {`"all"`; `"project_id"` in `compareRetention`, and `"market_sector_id"` in `detectable`}
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
  /**
   * Months of the groups of `by: "span"`: the first and the last month of each span, by name, such as
   * `{ before: ["2024-01", "2025-06"], after: ["2025-07", "2026-03"] }`.
   *
   * @default {none}
   */
  readonly spans?: Readonly<Record<string, readonly [from: string | Date, to: string | Date]>>;
  /**
   * The month that belongs to a span: `"arrival"`, in which a cohort began, or `"observed"`, in which its retention
   * was observed. By arrival, users of the last cohorts before a change are observed after it.
   *
   * @default {"arrival"}
   */
  readonly spansOn?: "arrival" | "observed";
}

/** The groups that options select. */
export interface Grouping {
  readonly fn: string;
  /** The columns whose values make groups. Without columns, there is one group. */
  readonly by: readonly string[];
  readonly spans?: readonly Span[];
  readonly spansOn?: "arrival" | "observed";
}

/** Returns the columns of groups, each column of ids followed by the column of its names, if the frame has it. */
export function groupColumns(curves: DataFrame, by: readonly string[]): string[] {
  const known = new Set(curves.columns);
  const all = by.flatMap((id) => [id, nameColumn(id)]);
  return [...new Set(all)].filter((name) => by.includes(name) || known.has(name));
}

/** Adds the column of spans: the span of the month in which a cohort arrived, or in which a row was observed. */
function withSpans(
  curves: DataFrame,
  spans: readonly Span[],
  { fn, spansOn = "arrival" }: Grouping,
): DataFrame {
  const dated = spansOn === "observed" ? curves : curves.withColumn(pl.lit(0).alias("month"));
  const names = observedMonths(dated).map((month) =>
    spans.find(({ start, end }) => month !== null && start <= month.start && month.start <= end)
      ?.name ?? null
  );
  const none = names.filter((name) => name === null).length;
  if (none > 0 && none === names.length) {
    const texts = spans.map(({ name, start, end }) =>
      `${name} ${dayText(start)} to ${dayText(end)}`
    );
    throw new RangeError(`${fn}: spans: no month lies in a span; got ${texts.join(", ")}`);
  }
  if (none > 0) {
    notify(`${fn}: spans: left out ${none} of ${names.length} rows, outside all spans`);
  }
  return curves.withColumn(utf8(SPAN, names));
}

/** Returns curves whose columns of groups are texts. Adds the column of spans if there are spans. */
export function groupedCurves(curves: DataFrame, grouping: Grouping): DataFrame {
  const { fn, by, spans, spansOn } = grouping;
  const source = "a frame of retentionCurves";
  if (spans !== undefined && !by.includes(SPAN)) {
    throw new RangeError(`${fn}: spans: requires by: "span"`);
  }
  const given = by.filter((name) => name !== SPAN || spans === undefined);
  const missing = given.includes(SPAN) && !curves?.columns?.includes(SPAN);
  if (missing || spans === undefined && spansOn !== undefined) {
    throw new RangeError(`${fn}: spans: is required with by: "span" and with spansOn`);
  }
  requireColumns(curves, {
    fn,
    source,
    columns: given,
    ...spans && { numbers: ["month"], dtypes: { cohort_date: "Date" } },
  });
  const all = spans === undefined ? curves : withSpans(curves, spans, grouping);
  return by.length === 0 ? all : all.withColumns(...by.map((name) => pl.col(name).cast(pl.Utf8)));
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
    .filter((row, group) => !filled.has(group) && row[SPAN] !== null)
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
