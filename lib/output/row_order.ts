/** A loss of the order of rows. */
export interface Lost {
  /** The step after which polars gives another order in each run. */
  readonly step: string;
  /** The columns that differ between any two rows: a sort by all of them gives one order. Null if they are not known. */
  readonly keys: readonly string[] | null;
}

/** Steps that depend on the order of rows, and the nodes of expressions that do. */
const ORDERED = new Set(["head", "tail", "limit", "slice", "withRowIndex", "rankBy", "topN"]);
const ORDERED_NODE =
  /"(?:Shift|ShiftAndFill|Cum[A-Z]\w+|Diff|PctChange|RollingExpr|Ewm\w+|Interpolate\w*|Reverse|Arg[A-Z]\w+|Gather\w*|Slice|First|Last|FillNullWithStrategy|IsFirstDistinct|IsLastDistinct|Rle\w*|Peak\w+)"/;

type Args = readonly unknown[];
type Node = Readonly<Record<string, unknown>>;

/** Returns the name of a column that an expression makes, and of the column that it is. Null if not known. */
function columnOf(arg: unknown): { readonly name: string | null; readonly of: string | null } {
  if (typeof arg === "string") {
    const known = /^\^.*\$$|^\*$/.test(arg) ? null : arg;
    return { name: known, of: known };
  }
  const node = Object(Object(arg).expr ?? arg) as Node;
  if (typeof node.Column === "string") return columnOf(node.Column);
  if (Array.isArray(node.Alias)) {
    return { name: String(node.Alias[1]), of: columnOf(node.Alias[0]).of };
  }
  // polars names a result by its first column.
  const { left, truthy, input, expr, function: fn } = Object(Object.values(node)[0]) as Node;
  const first = left ?? truthy ?? (Array.isArray(input) ? input[0] : input) ?? expr ??
    (typeof fn === "object" ? fn : null);
  return { name: first == null || "RenameAlias" in node ? null : columnOf(first).name, of: null };
}

/** Returns the columns of arguments: texts, expressions, and lists of them. */
function columnsOf(args: Args): ReturnType<typeof columnOf>[] {
  return args.flat(2).filter((arg) => typeof arg === "string" || Object(arg).expr).map(columnOf);
}

function namesOf(args: Args): string[] | null {
  const names = columnsOf(args).map(({ name }) => name);
  return names.includes(null) ? null : names as string[];
}

/** Returns the columns of `unique`. An empty list stands for all columns. */
function subsetOf([first, , third]: Args): { subset: Args; keep: unknown; kept: boolean } {
  const isOptions = typeof first === "object" && first !== null && !Array.isArray(first) &&
    !("expr" in first);
  const { subset = isOptions ? [] : first ?? [], maintainOrder, keep } = Object(
    isOptions ? first : {},
  );
  return { subset: [subset].flat(), keep, kept: (third ?? maintainOrder) === true };
}

/** Returns the keys after a step that has no rule of its own, or that renames or replaces columns. */
function keysAfter(keys: readonly string[], name: string, args: Args): readonly string[] | null {
  const made = columnsOf(args);
  if (name === "rename") {
    const names = Object(args[0]) as Readonly<Record<string, string>>;
    return keys.map((key) => Object.hasOwn(names, key) ? names[key]! : key);
  }
  if (name === "drop") {
    return keys.some((key) => made.some((each) => each.name === key)) ? null : keys;
  }
  if (name === "select") {
    if (made.some((each) => each.name === null)) return null;
    const kept = keys.map((key) => made.find(({ of }) => of === key)?.name ?? null);
    return kept.includes(null) ? null : kept as string[];
  }
  if (name === "withColumn" || name === "withColumns") {
    const isReplaced = made.some((each) =>
      each.name === null || (keys.includes(each.name) && each.of !== each.name)
    );
    return isReplaced ? null : keys;
  }
  if (name === "unpivot") {
    const ids = namesOf([args[0]]);
    const { variableName = "variable" } = Object(args[2]);
    return ids !== null && keys.every((key) => ids.includes(key)) ? [...keys, variableName] : null;
  }
  return name === "concat" ? null : keys;
}

/** Returns the loss after a join. */
function afterJoin(lost: Lost | null, foreign: Lost | null, args: Args): Lost | null {
  const { on, rightOn = on, how } = Object(args[1]) as Node;
  if (how === "semi" || how === "anti") return lost;
  if (lost === null && foreign === null) return null;
  const by = namesOf([rightOn]) ?? [];
  const isOne = how !== "right" && how !== "full" && how !== "outer" &&
    foreign?.keys?.every((key) => by.includes(key)) === true;
  return { step: (lost ?? foreign)!.step, keys: isOne ? lost === null ? [] : lost.keys : null };
}

/** Returns the function of an expression whose values have another order in each run, or null. */
function unordered(node: unknown): string | null {
  if (typeof node !== "object" || node === null) return null;
  const { Agg: aggregation, Function: called } = node as Node;
  // Other aggregations are equal in any order.
  if (aggregation && !/"(?:First|Last|Item)"/.test(JSON.stringify(Object.keys(aggregation)))) {
    return null;
  }
  const { function: fn, input } = Object(called) as Node;
  const [[name, options] = ["", null]] = Object.entries(Object(fn));
  if (name === "Unique" && options === false) return "unique";
  if (name === "Mode" && Object(options).maintain_order === false) return "mode";
  const isList = Object(Object(fn).Boolean).IsIn !== undefined && Array.isArray(input);
  for (const each of Object.values(isList ? input.slice(0, 1) : node)) {
    const found = unordered(each);
    if (found !== null) return found;
  }
  return null;
}

/** The order of rows after the steps so far. */
interface RowOrder {
  /** The loss after the last step. */
  lost(): Lost | null;
  /** Returns why the result of a step has no order, or null. */
  conflict(name: string, args: Args): string | null;
  /** Adds a step. `foreign` is the loss of a frame among its arguments. */
  add(name: string, args: Args, foreign: Lost | null): void;
}

/** Follows the order of rows through the steps of a recipe. */
export function rowOrder(): RowOrder {
  let lost: Lost | null = null;
  let grouped: Lost | null = null;

  const after = (name: string, args: Args, foreign: Lost | null): Lost | null => {
    const before = grouped ?? lost;
    grouped = null;
    const within = unordered(args);
    if (within !== null) return { step: within, keys: namesOf(args) };
    if (name === "groupBy") {
      const isKept = args.at(-1) === true;
      const keys = namesOf(args);
      if (!isKept || before !== null) grouped = { step: before?.step ?? name, keys };
      return before;
    }
    if (name === "unique") {
      const { subset, kept } = subsetOf(args);
      // Rows that are equal in all columns are equal in the keys.
      const keys = subset.length > 0 ? namesOf(subset) : before?.keys ?? null;
      return kept && before === null ? null : { step: kept ? before!.step : name, keys };
    }
    if (name === "join") return afterJoin(before, foreign, args);
    if (name === "sort") {
      const by = Array.isArray(args[0]) || typeof args[0] === "string" || Object(args[0]).expr
        ? args[0]
        : Object(args[0]).by;
      const sorted = columnsOf([by]).map(({ of }) => of);
      return before?.keys?.every((key) => sorted.includes(key)) ? null : before;
    }
    const either = before ?? foreign;
    if (either === null || either.keys === null) return either;
    return { step: either.step, keys: keysAfter(either.keys, name, args) };
  };

  return {
    lost: () => grouped ?? lost,
    conflict: (name, args) => {
      const hasOrdered = ORDERED_NODE.test(JSON.stringify(args));
      // The values of one column are rows of their own.
      const isAlone = name === "select" && columnsOf(args).length === 1 && !hasOrdered;
      const within = isAlone ? null : unordered(args);
      if (within !== null) return `depends on the order of values, which ${within} does not keep`;
      if (lost === null) return null;
      const { subset, keep } = subsetOf(name === "unique" ? args : []);
      const isChosen = name === "unique" && subset.length > 0 && keep !== "none";
      if (!ORDERED.has(name) && !isChosen && !hasOrdered) return null;
      return `depends on the order of rows, which ${lost.step} does not keep; sort before it, by all ` +
        `columns of ${lost.step}`;
    },
    add: (name, args, foreign) => {
      lost = after(name, args, foreign);
    },
  };
}
