import { oneOf, type Refuse, type Rule } from "../platform/check_options.ts";
import { notify, shown } from "../platform/terminal.ts";
import {
  dayOf,
  daysNamed,
  dayText,
  type Period,
  periodAt,
  periodsBefore,
} from "../schema/period.ts";
import { utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { dtypeNames } from "../table/dtypes.ts";
import { requireColumns } from "../table/require_columns.ts";
import { arraysIn } from "./columns.ts";
import { isKey } from "./curve_table.ts";

/** The column of groups of time. Rows outside of all spans have a null there. */
export const SPAN = "span";

/** Accepts `"all"`, a column, or several columns. Returns the columns. */
const someColumns: Rule<string[]> = (value, refuse) => {
  if (value === "all") return [];
  const names = Array.isArray(value) ? value : [value];
  const known = names.every((name) => typeof name === "string" && name !== "" && name !== "all");
  if (!known || names.length === 0) refuse('must be a column, a list of columns, or "all"');
  if (new Set(names).size < names.length) refuse("must list each column once");
  for (const name of names as string[]) {
    if (!isKey(name)) refuse(`must name columns of groups; ${name} is a value: rename it`);
  }
  return names;
};

/** A span of months, with its name. */
interface Span extends Period {
  readonly name: string;
}

function daysOf(month: unknown, refuse: Refuse): Period {
  if (month instanceof Date && !Number.isNaN(month.getTime())) {
    return periodAt(dayOf(month), "month");
  }
  const days = typeof month === "string" ? daysNamed(month) : null;
  return days ?? refuse(`must be two months, such as ["2024-01", "2025-06"]; got ${shown(month)}`);
}

/** Accepts the first and the last month of each span, by name. */
const someSpans: Rule<Span[]> = (value, refuse) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse('must be spans by name, such as { before: ["2024-01", "2025-06"] }');
  }
  const spans = Object.entries(value).map(([name, months]): Span => {
    const fail = (rule: string) => refuse(`${name}: ${rule}`);
    if (!Array.isArray(months) || months.length !== 2) return fail("must be two months");
    const [from, to] = months.map((month) => daysOf(month, fail));
    if (to!.end < from!.start) fail("must not end before it begins");
    return { name, start: from!.start, end: to!.end };
  });
  if (spans.length === 0) refuse("must have a span");
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  const again = sorted.find(({ start }, at) => at > 0 && start <= sorted[at - 1]!.end);
  if (again !== undefined) refuse(`must not overlap: ${again.name} begins within another span`);
  return spans;
};

/** The rules of the options that select groups. */
export const GROUP_RULES = {
  by: someColumns,
  spans: someSpans,
  spansOn: oneOf(["arrival", "observed"]),
};

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
  const all = by.flatMap((id) => [id, id.replace(/_id$/, "_name")]);
  return [...new Set(all)].filter((name) => by.includes(name) || known.has(name));
}

/** Adds the column of spans: the span of the month in which a cohort arrived, or in which a row was observed. */
function withSpans(
  curves: DataFrame,
  { fn, spans = [], spansOn = "arrival" }: Grouping,
): DataFrame {
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    numbers: ["month"],
    dtypes: { cohort_date: "Date" },
  });
  const { day, month } = arraysIn(
    curves.select(pl.col("cohort_date").cast(pl.Int64).alias("day"), "month"),
    ["day", "month"],
  );
  const later = spansOn === "observed" ? month : month.map(() => 0);
  const names = Array.from(day, (born, row) => {
    if (Number.isNaN(born) || Number.isNaN(later[row])) return null;
    const { start } = periodsBefore(periodAt(born, "month"), "month", -later[row]!);
    return spans.find((span) => span.start <= start && start <= span.end)?.name ?? null;
  });
  const none = names.filter((name) => name === null).length;
  if (none === names.length && none > 0) {
    const texts = spans.map(({ name, start, end }) =>
      `${name} ${dayText(start)} to ${dayText(end)}`
    );
    throw new RangeError(`${fn}: spans: no month lies in a span; got ${texts.join(", ")}`);
  }
  if (none > 0) {
    notify(`${fn}: spans: ${none} of ${names.length} rows lie in no span and are left out`);
  }
  return curves.withColumn(utf8(SPAN, names));
}

/** Returns curves whose columns of groups are texts. Adds the column of spans if there are spans. */
export function groupedCurves(curves: DataFrame, grouping: Grouping): DataFrame {
  const { fn, by, spans, spansOn } = grouping;
  const spanned = by.includes(SPAN);
  if (spans !== undefined && !spanned) throw new RangeError(`${fn}: spans: requires by: "span"`);
  if (
    spans === undefined && (spansOn !== undefined || spanned && !curves?.columns?.includes(SPAN))
  ) {
    throw new RangeError(`${fn}: spans: is required with by: "span" and with spansOn`);
  }
  const all = spans === undefined ? curves : withSpans(curves, grouping);
  requireColumns(all, { fn, source: "a frame of retentionCurves", columns: by });
  const dtypes = dtypeNames(all);
  const others = by.filter((name) => dtypes[all.columns.indexOf(name)] !== "String");
  return others.length === 0
    ? all
    : all.withColumns(...others.map((name) => pl.col(name).cast(pl.Utf8)));
}

/** Returns the name of a group: its values, or null if it has one column and no value. */
export function groupLabel(row: Readonly<Record<string, unknown>>, by: readonly string[]) {
  const values = by.map((name) => row[name] ?? null);
  return values.length === 1 ? values[0] as string | null : values.map(String).join(" · ");
}
