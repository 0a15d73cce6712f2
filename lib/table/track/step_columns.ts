import type { Column } from "../../schema/columns.ts";
import { type Columns, columnsOf } from "./frame_columns.ts";

/**
 * The effect of each method of polars on the descriptions of columns. `keep`: columns keep their names and units.
 * `add`: expressions add columns. `select`: expressions make all columns. `combine`: columns of several frames. The
 * columns of all other methods have no description.
 */
const RULES = {
  keep: `cache clear clone collect collectSync dropNulls explode fillNan fillNull filter first
    gatherEvery head inner interpolate last lazy limit max mean median min partitionBy quantile
    rechunk reverse sample shift shiftAndFill shrinkToFit slice sort sum tail unique upsample where`,
  add: "agg groupBy withColumn withColumns",
  select: "select",
  combine: "concat extend hstack vstack",
  drop: "drop",
  group: "groupByDynamic groupByRolling",
  index: "withRowIndex",
  join: "join joinAsof",
  rename: "rename withColumnRenamed",
  unpivot: "unpivot",
  pivot: "pivot",
};

type Rule = keyof typeof RULES;

const ruleOf = new Map(
  (Object.entries(RULES) as [Rule, string][]).flatMap(([rule, names]) =>
    names.split(/\s+/).map((name): [string, Rule] => [name, rule])
  ),
);

/** Returns the names of the columns of a frame, or those that are known of a lazy frame or a grouping. */
function namesOf(stage: object): string[] {
  const isFrame = (stage as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "DataFrame";
  return isFrame ? (stage as { columns: string[] }).columns : [...columnsOf(stage).keys()];
}

/** Returns the columns of several frames. If two frames differ in the unit of a column, nothing is known of it. */
export function combined(frames: readonly object[]): Columns {
  const all = new Map<string, Column | undefined>();
  for (const frame of frames) {
    const columns = columnsOf(frame);
    for (const name of namesOf(frame)) {
      const [one, other] = [all.get(name), columns.get(name)];
      const same = !all.has(name) || one?.unit === other?.unit;
      all.set(name, same ? one ?? other : undefined);
    }
  }
  return all;
}

// The text of an expression that keeps the unit of its column: `col("fees").sum().over([col("id")]).alias("total")`.
const LISTED = /cs\.by_name\(((?:'[^']*'(?:, )?)*)(?:require_all=\w+)?\)/;
const KEEPS = new RegExp(
  `^(?:col\\("(?<one>[^"]*)"\\)|(?<all>cs\\.all\\(\\))|${LISTED.source}` +
    `|\\[cs\\.all\\(\\) - ${LISTED.source}\\])(?<calls>(?:` +
    "\\.(?:sum|mean|min|max|first|last|median|abs|fill_null_with_strategy|name\\.keep)\\(\\)" +
    "|\\.(?:quantile|round|fill_null|shift|name\\.suffix|name\\.prefix)\\([^()]*\\)" +
    '|\\.alias\\("[^"]*"\\)|\\.over\\((?:[^()]|\\([^()]*\\))*\\))*)$',
);

function listed(names = ""): string[] {
  return [...names.matchAll(/'([^']*)'/g)].map(([, name]) => name!);
}

/** Returns the columns that an expression keeps, each with its new name, or null if its result has no unit. */
function keptBy(text: string, known: () => readonly string[]): [string, string][] | null {
  // Most steps name columns only.
  const [, plain] = /^col\("([^"]*)"\)$/.exec(text) ?? [];
  if (plain !== undefined) return [[plain, plain]];
  const match = KEEPS.exec(text);
  if (match === null) return null;
  const { one, all, calls = "" } = match.groups!;
  const but = listed(match[4]);
  const names = one !== undefined
    ? [one]
    : all !== undefined || match[4] !== undefined
    ? known().filter((name) => !but.includes(name))
    : listed(match[3]);
  const [, alias] = [...calls.matchAll(/\.alias\("([^"]*)"\)/g)].at(-1) ?? [];
  const [, before = ""] = /name\.prefix\(([^)]*)\)/.exec(calls) ?? [];
  const [, after = ""] = /name\.suffix\(([^)]*)\)/.exec(calls) ?? [];
  return names.map((name) => [name, alias ?? `${before}${name}${after}`]);
}

/** Returns the names that the result of any other expression can have. */
function namesMadeBy(text: string, known: () => readonly string[]): string[] {
  const [, alias] = /\.alias\("([^"]*)"\)(?:\.over\(.*\))?$/.exec(text) ?? [];
  if (alias !== undefined) return [alias];
  const mentioned = [...text.matchAll(/col\("([^"]*)"\)/g)].map(([, name]) => name!);
  const [, after = ""] = /\.name\.suffix\(([^)]*)\)$/.exec(text) ?? [];
  if (/\bcs\./.test(text)) {
    const names = LISTED.exec(text)?.[1];
    return [...mentioned, ...names === undefined ? known() : listed(names)];
  }
  return (text.includes(".when(") ? mentioned : mentioned.slice(0, 1))
    .map((name) => `${name}${after}`);
}

/**
 * Returns the columns after expressions. With `only`, the expressions make all columns of the result. `known` returns
 * the names that `*` stands for.
 */
export function afterExpressions(
  before: Columns,
  texts: readonly string[],
  { only, known = () => [...before.keys()] }: {
    readonly only: boolean;
    readonly known?: () => readonly string[];
  },
): Columns {
  const after = only ? new Map<string, Column | undefined>() : new Map(before);
  for (const text of texts) {
    const kept = keptBy(text, known);
    for (const name of kept === null ? namesMadeBy(text, known) : []) after.set(name, undefined);
    for (const [name, to] of kept ?? []) after.set(to, before.get(name));
  }
  return after;
}

/** Returns an argument of a method as the text of an expression. A text is the name of a column. */
function textOf(arg: unknown): string {
  if (typeof arg === "string") return arg === "*" ? "cs.all()" : `col("${arg}")`;
  const { name } = Object(arg) as { name?: unknown };
  // A series, or an expression.
  return typeof name === "string" ? `series.alias("${name}")` : String(arg);
}

function texts(args: readonly unknown[]): string[] {
  return args.flat().map(textOf);
}

function afterRename(before: Columns, args: readonly unknown[]): Columns {
  const [from, to] = args;
  const names = typeof from === "string" ? { [from]: String(to) } : Object(from);
  return new Map([...before].map(([name, column]) => [names[name] ?? name, column]));
}

function afterJoin(left: Columns, right: Columns, options: unknown): Columns {
  const { suffix = "_right" } = Object(options) as { suffix?: string };
  const joined = new Map(left);
  for (const [name, column] of right) {
    joined.set(left.has(name) ? `${name}${suffix}` : name, column);
  }
  return joined;
}

function afterUnpivot(before: Columns, [ids, values, options]: readonly unknown[]): Columns {
  const { valueName = "value", variableName } = Object(options) as Record<string, string>;
  const [first, ...others] = [values ?? []].flat().map((name) => before.get(String(name)));
  const kept = [ids ?? []].flat().map(String).map((name): [string, Column | undefined] => [
    name,
    before.get(name),
  ]);
  const same = others.every((other) => other?.unit === first?.unit);
  return new Map([
    ...kept,
    [variableName ?? "variable", undefined],
    [valueName, same && first !== undefined ? { ...first, title: "Value" } : undefined],
  ]);
}

/** Returns the descriptions of the columns of a frame after a method of polars. `name` is the name of the method. */
export function columnsAfter(name: string, stage: object, args: readonly unknown[]): Columns {
  const before = columnsOf(stage);
  const [first] = args;
  switch (ruleOf.get(name)) {
    case "keep":
      return name === "lazy" ? combined([stage]) : before;
    case "group":
      return before;
    case "add":
      return afterExpressions(before, texts(args.filter((arg) => typeof arg !== "boolean")), {
        only: false,
      });
    case "select":
      // polars lists the names of a wide frame slowly, so they are read only if an expression needs them.
      return afterExpressions(before, texts(args), { only: true, known: () => namesOf(stage) });
    case "combine":
      return combined([stage, ...args.flat().filter((arg) => Object(arg) === arg)] as object[]);
    case "drop": {
      const dropped = args.flat();
      return new Map([...before].filter(([each]) => !dropped.includes(each)));
    }
    case "index":
      return new Map(before).set(String(first ?? "index"), undefined);
    case "join":
      return afterJoin(combined([stage]), combined([first as object]), args[1]);
    case "rename":
      return afterRename(combined([stage]), args);
    case "unpivot":
      return afterUnpivot(before, args);
    case "pivot": {
      const { index } = Object(args[1] ?? first) as { index?: unknown };
      return new Map([index ?? []].flat().map((each) => [`${each}`, before.get(`${each}`)]));
    }
    default:
      return new Map();
  }
}
