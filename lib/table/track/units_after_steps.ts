import { type Column, columnTitle, describedColumn } from "../../schema/dictionary.ts";
import type { DataFrame } from "../columns/polars.ts";
import { BARE, type Columns, columnsOf, unkeyed } from "./descriptions.ts";

/** A grouping has the columns of its keys, and stores its frame, because polars does not tell it. */
const FRAME = Symbol("frame");

function frameIn(stage: object): object | undefined {
  return (columnsOf(stage) as { readonly [FRAME]?: object })[FRAME];
}

/** Returns the columns of several frames. If two frames differ in the unit of a column, nothing is known of it. */
export function combined(frames: readonly object[]): Columns {
  const all = new Map<string, Column | undefined>();
  for (const frame of frames) {
    const { columns: names = [] } = frame as { readonly columns?: readonly string[] };
    for (const name of names) {
      const [one, other] = [all.get(name), columnsOf(frame).get(name)];
      const isSame = !all.has(name) || (one?.unit ?? null) === (other?.unit ?? null);
      all.set(name, isSame ? one ?? other : undefined);
    }
  }
  return all;
}

/** The nodes of an expression whose result has the unit of their input, and the functions that have that of the first. */
const NODES = new Set(
  "Agg Filter First Last Max Mean Median Min Over Slice Sort SortBy Sum".split(" "),
);
const FUNCTIONS = new Set(
  `Abs Ceil Clip DropNulls FillNull FillNullWithStrategy Floor Interpolate Quantile Reverse Round
  Shift ShiftAndFill`.split(/\s+/),
);

/**
 * Returns the column whose unit an expression keeps: null if the result has no unit, and undefined if each result keeps
 * the unit of the column of its name.
 */
function sourceOf(node: unknown): string | null | undefined {
  // deno-lint-ignore no-explicit-any -- polars does not declare the JSON of expressions
  const [kind = "", inner] = Object.entries<any>(Object(node))[0] ?? [];
  if (kind === "Column") return inner;
  if (kind === "Selector") return undefined;
  if (kind === "Alias") return sourceOf(inner[0]) ?? null;
  if (kind === "Function") {
    const { input: [first, ...others], function: called } = inner;
    const name = typeof called === "string" ? called : Object.keys(called)[0]!;
    const isLiteral = (other: object) => Object.hasOwn(other, "Literal");
    return FUNCTIONS.has(name) && others.every(isLiteral) ? sourceOf(first) : null;
  }
  return NODES.has(kind) ? sourceOf(inner.input ?? inner.expr ?? inner.function ?? inner) : null;
}

/**
 * Parts of expressions whose values do not add up as those of their column do: a mean of daily fees is no sum of days, and
 * a shifted sum is that of another period.
 */
const STATISTIC = /"(?:Max|Mean|Median|Min|Quantile)":|"function":"(?:Reverse|Shift|ShiftAndFill)"/;

/** Returns the description of a statistic of a column. It is not known over what statistics can be added. */
function statisticOf(column: Column | undefined): Column | undefined {
  const isAdded = column?.adds === "both" || column?.adds === "groups";
  return isAdded ? { ...column, adds: null } : column;
}

/** A step: the frame, lazy frame or grouping, and the arguments of the method. */
type Step = (stage: object, args: readonly unknown[]) => Columns;

/** Returns the JSON of an expression. polars has none for some functions of texts and times. */
// deno-lint-ignore no-explicit-any -- polars does not declare the JSON of expressions
function nodeOf(serialize: (format: string) => unknown): any {
  try {
    return JSON.parse(String(serialize("json")));
  } catch {
    return {};
  }
}

/** Sets the columns that expressions make from a frame. By default, the others are those of the frame. */
function afterExpressions(
  stage: object,
  args: readonly unknown[],
  others: Columns = columnsOf(stage),
): Columns {
  const after = new Map(others);
  const keep = (name: string, from: string | null, isStatistic = false) => {
    const column = columnsOf(stage).get(from ?? name);
    // Other texts of the entity are its texts, and other dates are dates.
    const { role, key } = column ?? {};
    const kept = key === undefined ? undefined : describedColumn(name, { role: role!, key });
    after.set(name, from === null ? kept : isStatistic ? statisticOf(column) : column);
  };
  for (const arg of args.flat()) {
    const { name, serialize } = Object(arg) as Partial<DataFrame & { name: unknown }>;
    if (typeof arg === "string") keep(arg, arg);
    else if (typeof name === "string") keep(name, null);
    else if (serialize !== undefined) {
      const node = nodeOf(serialize as (format: string) => unknown);
      const from = sourceOf(node);
      const bare = (stage as { readonly [BARE]: DataFrame })[BARE];
      const names = node.Alias?.slice(1) ?? (node.Column && [node.Column]) ??
        (bare.lazy?.() ?? bare).select(arg as string).columns;
      const isStatistic = STATISTIC.test(JSON.stringify(node));
      for (const each of names) keep(each, from === undefined ? each : from, isStatistic);
    }
  }
  return after;
}

const afterGroupBy: Step = (stage, [first, ...others]) => {
  const { indexColumn, by = [] } = Object(first) as Record<string, unknown>;
  const keys = indexColumn === undefined ? [first, ...others] : [indexColumn, by];
  return Object.assign(afterExpressions(stage, keys.flat(), new Map()), { [FRAME]: stage });
};

const afterRename: Step = (stage, [from, to]) => {
  const names = typeof from === "string" ? { [from]: to } : Object(from);
  const before = columnsOf(stage);
  const renamed = Object.entries<string>(names).map(([from, to]) => {
    const column = before.get(from);
    // A title that was made from the name follows it.
    const isMade = column?.key !== undefined && column.title === columnTitle(from);
    return [to, isMade ? { ...column, title: columnTitle(to) } : column] as const;
  });
  return new Map([...before, ...renamed]);
};

const afterAll: Step = (stage) =>
  new Map([...columnsOf(frameIn(stage) ?? {}), ...columnsOf(stage)]);

const afterReshape = (stage: object, ids: unknown): Columns =>
  new Map([ids ?? []].flat().map((name) => [String(name), columnsOf(stage).get(String(name))]));

/** The columns after each method of polars. The columns of all other methods have no description, except keys. */
const STEPS: ReadonlyMap<string, Step> = new Map(
  Object.entries<Step>({
    [
      `cache clear clone collect collectSync drop dropNulls explode fillNan fillNull filter first
      gatherEvery head inner interpolate last lazy limit partitionBy rechunk reverse sample shift
      shiftAndFill shrinkToFit slice sort sum tail unique upsample where`
    ]: afterAll,
    "max mean median min quantile": (stage, args) =>
      new Map([...afterAll(stage, args)].map(([name, column]) => [name, statisticOf(column)])),
    "select withColumn withColumns": (stage, args) => afterExpressions(stage, args),
    "agg": (stage, args) => afterExpressions(frameIn(stage)!, args, columnsOf(stage)),
    "groupBy groupByDynamic groupByRolling": afterGroupBy,
    // A right join renames columns of either frame.
    "join joinAsof": (stage, [other, options]) =>
      Object(options).how === "right"
        ? new Map()
        : new Map([...unkeyed(combined([Object(other)])), ...combined([stage])]),
    "hstack vstack": (stage, args) => combined([stage, ...args.flat().map(Object)]),
    "withRowIndex": (stage, [name = "index"]) => afterExpressions(stage, [{ name }]),
    "rename withColumnRenamed": afterRename,
    "unpivot": (stage, [ids]) => afterReshape(stage, ids),
    "pivot": (stage, args) => afterReshape(stage, Object(args[1] ?? args[0]).index),
  }).flatMap(([names, step]) => names.split(/\s+/).map((name) => [name, step] as const)),
);

/**
 * Returns the descriptions of the columns of a frame after a method of polars, and maybe of columns that it no longer
 * has. `name` is the name of the method. If polars cannot plan an expression, nothing is known of the columns.
 */
export function columnsAfter(name: string, stage: object, args: readonly unknown[]): Columns {
  try {
    const keys = frameIn(stage) === undefined ? new Map() : columnsOf(stage);
    return STEPS.get(name)?.(stage, args) ?? keys;
  } catch {
    return new Map();
  }
}

/** A column that a query selects: `fees`, `t.fees` or `fees as x`. */
const SELECTED = /^(?:\w+ \. )?(\w+)(?: as (\w+))?$/i;

/**
 * Returns the descriptions of the columns of a checked SQL query. Only plain columns of a single SELECT are described, and
 * only if the query has no quotes, and if the columns have the same unit in all its tables.
 */
export function columnsOfQuery(query: string, tables: Readonly<Record<string, object>>): Columns {
  let flat = query;
  for (let before = ""; before !== flat;) {
    before = flat;
    flat = flat.replace(/\([^()]+\)/g, "()");
  }
  const [, list = "", from = ""] = /^select (?:distinct )?(.*?) from (.*)$/i.exec(flat) ?? [];
  const sources = [...`join ${from}`.matchAll(/\bjoin (\S+)/gi)].map(([, name]) => name!);
  const single = !/['"]|.\b(?:select|union|intersect|except)\b/i.test(flat);
  if (!single || !sources.every((name) => Object.hasOwn(tables, name))) return new Map();
  const all = combined(sources.map((name) => tables[name]!));
  if (list === "*") return all;
  return new Map(
    list.split(" , ").flatMap((item) => {
      const [, name, as = name] = SELECTED.exec(item) ?? [];
      return name === undefined ? [] : [[as!, all.get(name)]];
    }),
  );
}
