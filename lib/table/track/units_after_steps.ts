import type { Column } from "../../schema/dictionary.ts";
import type { DataFrame } from "../build/polars.ts";
import { BARE, type Columns, columnsOf } from "./descriptions.ts";

/** A grouping stores its frame and the columns of its keys, because polars does not tell them. */
const GROUPED = Symbol("grouped");

type Grouped = Columns & { [GROUPED]?: { readonly frame: object; readonly keys: Columns } };

function keysOf(stage: object): Columns {
  return (columnsOf(stage) as Grouped)[GROUPED]?.keys ?? new Map();
}

/** Sets a column. If another frame gave the name another unit, nothing is known of the column. */
function propose(all: Map<string, Column | undefined>, name: string, column?: Column): void {
  const one = all.get(name);
  all.set(name, !all.has(name) || one?.unit === column?.unit ? one ?? column : undefined);
}

/** Returns the columns of several frames. If two frames differ in the unit of a column, nothing is known of it. */
export function combined(frames: readonly object[]): Columns {
  const all = new Map<string, Column | undefined>();
  for (const frame of frames) {
    const columns = columnsOf(frame);
    const { columns: names = [] } = frame as { readonly columns?: readonly string[] };
    for (const name of names) propose(all, name, columns.get(name));
  }
  return all;
}

/** The nodes of an expression whose result has the unit of their input, and the functions that have that of the first. */
const NODES = new Set(
  "Agg Alias Filter First Function Last Max Mean Median Min Over Slice Sort SortBy Sum".split(" "),
);
const FUNCTIONS = new Set(
  `Abs Ceil Clip DropNulls FillNull FillNullWithStrategy Floor Interpolate Quantile Reverse Round
  Shift ShiftAndFill`.split(/\s+/),
);

/**
 * The column whose unit an expression keeps, and the name of the result. The column is null if the result has no unit, and
 * undefined if each result keeps that of the column of its name. The name is undefined if only polars can tell it.
 */
type Kept = readonly [from: string | null | undefined, to: string | undefined];

function keptBy(node: unknown, alias?: string): Kept {
  // deno-lint-ignore no-explicit-any -- polars does not declare the JSON of expressions
  const [kind = "", inner] = Object.entries<any>(Object(node))[0] ?? [];
  if (kind === "Column") return [inner, alias ?? inner];
  if (kind === "Selector" && alias === undefined) return [undefined, undefined];
  if (kind === "Alias") return keptBy(inner[0], alias ?? inner[1]);
  if (kind === "Cast") return [null, keptBy(inner.expr, alias)[1]];
  if (!NODES.has(kind)) return [null, alias];
  if (kind !== "Function") {
    return keptBy(inner.input ?? inner.expr ?? inner.function ?? inner, alias);
  }
  const { input: [first, ...others], function: called } = inner;
  const name = typeof called === "string" ? called : Object.keys(called)[0]!;
  const isLiteral = (other: unknown) => Object.hasOwn(Object(other), "Literal");
  return FUNCTIONS.has(name) && others.every(isLiteral) ? keptBy(first, alias) : [null, alias];
}

/** An expression or a series of polars. */
interface Made {
  readonly name?: unknown;
  serialize(format: "json"): string;
}

function kept(arg: string | Made): Kept {
  if (typeof arg === "string") return arg === "*" ? [undefined, undefined] : [arg, arg];
  if (typeof arg.name === "string") return [null, arg.name];
  try {
    return keptBy(JSON.parse(arg.serialize("json")));
  } catch {
    // A function that cannot be serialized.
    return [null, undefined];
  }
}

/** Returns the names of the results of an expression, as polars plans them. */
function namesOf(stage: object, arg: unknown): readonly string[] {
  const { frame = stage } = (columnsOf(stage) as Grouped)[GROUPED] ?? {};
  const bare = (frame as { readonly [BARE]: DataFrame })[BARE];
  const lazy = bare.lazy?.() ?? bare;
  return lazy.select(arg as string).columns;
}

/** Returns the columns after expressions. By default, they are added to those of the frame, otherwise to `others`. */
function afterExpressions(stage: object, args: readonly unknown[], others?: Columns): Columns {
  const before = columnsOf(stage);
  const after = new Map(others ?? before);
  for (const arg of args.flat() as (string | Made)[]) {
    // Other arguments are options.
    if (typeof arg !== "string" && !arg?.serialize) continue;
    const [from, to] = kept(arg);
    // Names of results without a unit matter only where they overwrite columns.
    const names = to !== undefined
      ? [to]
      : from === null && others !== undefined
      ? []
      : namesOf(stage, arg);
    for (const name of names) after.set(name, from === null ? undefined : before.get(from ?? name));
  }
  return after;
}

function columnsNamed(stage: object, names: unknown): [string, Column | undefined][] {
  return [names ?? []].flat().map(String).map((name) => [name, columnsOf(stage).get(name)]);
}

type Step = (stage: object, args: readonly unknown[]) => Columns;

const afterGroupBy: Step = (stage, [first, ...others]) => {
  const { indexColumn, by = [] } = Object(first) as Record<string, unknown>;
  const keys = (indexColumn === undefined ? [first, ...others] : [indexColumn, by]).flat();
  return Object.assign(afterExpressions(stage, keys), {
    [GROUPED]: { frame: stage, keys: afterExpressions(stage, keys, new Map()) },
  });
};

const afterRename: Step = (stage, [from, to]) => {
  const names = typeof from === "string" ? { [from]: to } : Object(from);
  return new Map([...combined([stage])].map(([name, column]) => [names[name] ?? name, column]));
};

const afterJoin: Step = (stage, [other, options]) => {
  // Lazy frames have the suffix `right`.
  const { suffix = ["_right", "right"], how } = Object(options);
  const [left, right] = [combined([stage]), combined([other as object])];
  const joined = new Map(left);
  for (const [name, column] of right) {
    for (const end of left.has(name) ? [suffix].flat() : []) propose(joined, name + end, column);
    // A right join keeps the columns of the right frame.
    if (!left.has(name) || how === "right") propose(joined, name, column);
  }
  return joined;
};

const afterUnpivot: Step = (stage, [ids, values, options]) => {
  const { valueName = "value", variableName = "variable" } = Object(options);
  const [first, ...others] = columnsNamed(stage, values).map(([, column]) => column);
  const same = first !== undefined && others.every((other) => other?.unit === first.unit);
  const value = same ? { ...first, title: "Value" } : undefined;
  return new Map([...columnsNamed(stage, ids), [variableName, undefined], [valueName, value]]);
};

/** The columns after each method of polars. The columns of all other methods have no description, except keys. */
const STEPS: ReadonlyMap<string, Step> = new Map(
  Object.entries<Step>({
    [
      `cache clear clone collect collectSync dropNulls explode fillNan fillNull filter first
      gatherEvery head inner interpolate last limit max mean median min partitionBy quantile rechunk
      reverse sample shift shiftAndFill shrinkToFit slice sort sum tail unique upsample where`
    ]: columnsOf,
    "lazy": (stage) => combined([stage]),
    "withColumn withColumns": (stage, args) => afterExpressions(stage, args),
    "agg select": (stage, args) => afterExpressions(stage, args, keysOf(stage)),
    "groupBy groupByDynamic groupByRolling": afterGroupBy,
    "concat extend hstack vstack": (stage, args) =>
      combined([stage, ...args.flat().filter((arg) => Object(arg) === arg)] as object[]),
    "drop": (stage, args) =>
      new Map([...columnsOf(stage)].filter(([name]) => !args.flat().includes(name))),
    "withRowIndex": (stage, [name = "index"]) =>
      new Map(columnsOf(stage)).set(String(name), undefined),
    "join joinAsof": afterJoin,
    "rename withColumnRenamed": afterRename,
    "unpivot": afterUnpivot,
    "pivot": (stage, args) => new Map(columnsNamed(stage, Object(args[1] ?? args[0]).index)),
  }).flatMap(([names, step]) => names.split(/\s+/).map((name) => [name, step] as const)),
);

/**
 * Returns the descriptions of the columns of a frame after a method of polars. `name` is the name of the method. If polars
 * cannot plan an expression, nothing is known of the columns.
 */
export function columnsAfter(name: string, stage: object, args: readonly unknown[]): Columns {
  try {
    return STEPS.get(name)?.(stage, args) ?? keysOf(stage);
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
  let flat = query.trim().replace(/\s+/g, " ");
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
  const found = list.split(" ,").map((item) => SELECTED.exec(item.trim()));
  return new Map(
    found.flatMap((one) => one === null ? [] : [[one[2] ?? one[1]!, all.get(one[1]!)]]),
  );
}
