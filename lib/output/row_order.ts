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

/** Follows the order of rows through the steps of a recipe. */
export class RowOrder {
  #lost: Lost | null = null;
  #grouped: Lost | null = null;

  /** The loss after the last step. */
  get lost(): Lost | null {
    return this.#grouped ?? this.#lost;
  }

  /** Returns the step whose loss of order changes the result of this step, or null. */
  conflict(name: string, args: Args): string | null {
    if (this.#lost === null) return null;
    const { subset, keep } = subsetOf(name === "unique" ? args : []);
    const isChosen = name === "unique" && subset.length > 0 && keep !== "none";
    const isOrdered = ORDERED.has(name) || isChosen || ORDERED_NODE.test(JSON.stringify(args));
    return isOrdered ? this.#lost.step : null;
  }

  /** Adds a step. `foreign` is the loss of a frame among its arguments. */
  add(name: string, args: Args, foreign: Lost | null): void {
    const before = this.#grouped ?? this.#lost;
    this.#grouped = null;
    if (name === "groupBy") {
      const isKept = args.at(-1) === true;
      const keys = namesOf(args);
      this.#lost = before;
      if (!isKept || before !== null) this.#grouped = { step: before?.step ?? name, keys };
      return;
    }
    if (name === "unique") {
      const { subset, kept } = subsetOf(args);
      // Rows that are equal in all columns are equal in the keys.
      const keys = subset.length > 0 ? namesOf(subset) : before?.keys ?? null;
      this.#lost = kept && before === null ? null : { step: kept ? before!.step : name, keys };
      return;
    }
    if (name === "join") {
      this.#lost = afterJoin(before, foreign, args);
      return;
    }
    if (name === "sort") {
      const by = Array.isArray(args[0]) || typeof args[0] === "string" || Object(args[0]).expr
        ? args[0]
        : Object(args[0]).by;
      const sorted = columnsOf([by]).map(({ of }) => of);
      if (before?.keys?.every((key) => sorted.includes(key))) this.#lost = null;
      else this.#lost = before;
      return;
    }
    const lost = before ?? foreign;
    this.#lost = lost === null || lost.keys === null
      ? lost
      : { step: lost.step, keys: keysAfter(lost.keys, name, args) };
  }
}
