/**
 * The expressions of polars that a recipe may have. A recipe can come from a stranger: some expressions read files, call
 * functions of the machine, take any amount of memory, or end the process.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { isObject } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { momentNamed } from "../schema/period.ts";
import { pl } from "../table/columns/polars.ts";

type Node = Readonly<Record<string, unknown>>;

/** The functions that give at most one value per row, by their group. The first group has no name. */
const FUNCTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    "":
      `Abs ArgMax ArgMin ArgSort ArgUnique Atan2 Cbrt Ceil Clip Coalesce CumCount CumMax CumMin CumProd
      CumSum Diff DropNans DropNulls Entropy EwmMean EwmStd EwmVar Exp FillNull FillNullWithStrategy
      Floor Interpolate Kurtosis Log Log1p LowerBound MaxHorizontal MeanHorizontal MinHorizontal Mode
      Negate NullCount PctChange PeakMax PeakMin Product Quantile Rank Replace
      ReplaceStrict Reverse Round RoundSF Shift
      ShiftAndFill Sign Skew Sqrt SumHorizontal Unique UniqueCounts UpperBound`,
    Boolean:
      `All AllHorizontal Any AnyHorizontal IsBetween IsDuplicated IsFinite IsFirstDistinct IsIn
      IsInfinite IsLastDistinct IsNan IsNotNan IsNotNull IsNull IsUnique Not`,
    Correlation: "Pearson Covariance SpearmanRank",
    ListExpr: "ArgMax ArgMin Contains Get Length Max Mean Min Sum",
    Pow: "Cbrt Generic Sqrt",
    StringExpr:
      `ConcatHorizontal Contains EndsWith Extract LenBytes LenChars Lowercase Replace Slice
      StartsWith StripChars StripCharsEnd StripCharsStart StripPrefix StripSuffix Strptime Uppercase`,
    StructExpr: "FieldByName",
    TemporalExpr: `Century ConvertTimeZone Date Day Hour IsLeapYear IsoYear Millennium Millisecond
      Microsecond Minute Month MonthEnd MonthStart Nanosecond OrdinalDay Quarter ReplaceTimeZone Round
      Second TimeStamp ToString Truncate Week WeekDay Year`,
    Trigonometry:
      `ArcCos ArcCosh ArcSin ArcSinh ArcTan ArcTanh Cos Cosh Cot Degrees Radians Sin Sinh
      Tan Tanh`,
    RollingExpr: "Max Mean Min Quantile Skew Std Sum Var",
  }).map(([group, names]) => [group, new Set(names.split(/\s+/))]),
);

const OPERATORS = new Set(
  `And Divide Eq EqValidity FloorDivide Gt GtEq LogicalAnd LogicalOr Lt LtEq Minus Modulus Multiply NotEq
  NotEqValidity Or Plus RustDivide TrueDivide Xor`.split(/\s+/),
);
const AGGREGATIONS = new Set(
  "Count First Item Last Max Mean Median Min NUnique Quantile Std Sum Var".split(" "),
);
const DTYPES = new Set(
  `Boolean Date Float32 Float64 Int8 Int16 Int32 Int64 String Time UInt8 UInt16 UInt32 UInt64`
    .split(/\s+/),
);
const SCALARS = new Set([...DTYPES, "Null", "Datetime", "Duration", "Int", "Float", "Str"]);
const SELECTORS = new Set(["ByIndex", "ByName", "Difference", "ExclusiveOr", "Intersect", "Union"]);

/** The deepest expression: deeper ones can end the process. */
const DEEPEST = 100;
const MOST_NODES = 10_000;
const LONGEST_TEXT = 1_000;
/** Sums and joined texts of one step. Sums of texts make them longer. */
const MOST_GROWING = 32;

/** What the expressions of a step have so far. */
interface Count {
  nodes: number;
  growing: number;
}

function refuse(what: string): never {
  throw new RangeError(`the expression has ${what}, which is not permitted`);
}

function grow(count: Count, by: number): void {
  if ((count.growing += by) > MOST_GROWING) {
    throw new RangeError(`an expression has at most ${MOST_GROWING} sums or joined texts`);
  }
}

/** Returns the name and the content of an object with one member. */
function only(value: unknown, what: string): readonly [string, unknown] {
  const [entry, ...others] = isObject(value) ? Object.entries(value) : [];
  if (entry === undefined || others.length > 0) return refuse(`${what} ${shown(value)}`);
  return entry;
}

/** Checks values that are no expressions: numbers, short texts, booleans, null, and few of them. */
function checkPlain(value: unknown, depth = 0): void {
  if (value === null || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= 1e6) return;
  if (typeof value === "string" && value.length <= LONGEST_TEXT) return;
  if (typeof value !== "object" || depth > 4) refuse(`the value ${shown(value)}`);
  const members = Object.values(value);
  if (members.length > 20) refuse("a long list");
  for (const each of members) checkPlain(each, depth + 1);
}

function checkDtype(value: unknown): void {
  const [kind, dtype] = only(value, "the dtype");
  const [name, inner] = typeof dtype === "string" ? [dtype, null] : only(dtype, "the dtype");
  const isTime = name === "Datetime" || name === "Duration";
  if (kind !== "Literal" || !(DTYPES.has(name) || isTime)) refuse(`the dtype ${name}`);
  checkPlain(inner);
}

interface List {
  readonly dtype?: unknown;
  readonly values?: unknown;
  readonly unit?: unknown;
  readonly zone?: unknown;
}

/** Returns dates or times of ISO texts. */
function timesOf({ dtype, values, unit, zone = null }: List): unknown {
  const times = (values as unknown[]).map((value) => {
    if (value === null) return null;
    const time = typeof value === "string" ? momentNamed(value, "start") : null;
    return time === null ? refuse(`the time ${shown(value)}`) : time.getTime();
  });
  const whole = pl.Series("", times as number[], pl.Float64).cast(pl.Int64).cast(pl.Datetime("ms"));
  if (dtype === "Date") return pl.lit(whole.cast(pl.Date));
  if (!["ms", "us", "ns"].includes(unit as string)) refuse(`the unit ${shown(unit)}`);
  if (zone !== null && zone !== "UTC") refuse(`the zone ${shown(zone)}`);
  const scaled = whole.cast(pl.Datetime(unit as "ms")).cast(pl.Int64);
  return pl.lit(scaled.cast(pl.Datetime(unit as "ms", (zone ?? undefined) as string)));
}

/** Returns the bytes that polars reads as a list of values. */
function listBytes(list: unknown): unknown {
  const { dtype, values } = Object(list) as List;
  const isTime = dtype === "Date" || dtype === "Datetime";
  const isList = typeof dtype === "string" &&
    (DTYPES.has(dtype) || dtype === "Utf8" || dtype === "Bool" || isTime) &&
    dtype !== "Time" && Array.isArray(values) &&
    values.every((each) => each === null || /^(?:string|number|boolean)$/.test(typeof each));
  if (!isList) return refuse("a list without dtype and values");
  const type = (pl as unknown as Record<string, Parameters<typeof pl.Series>[2]>)[dtype];
  const made = isTime ? timesOf(list as List) as ReturnType<typeof pl.lit> : pl.lit(
    /Int|Float/.test(dtype)
      ? pl.Series("", values as number[], pl.Float64).cast(type!)
      : pl.Series("", values as string[], type),
  );
  return JSON.parse(String(made.serialize("json"))).Literal.Scalar.List;
}

function literal(value: unknown): unknown {
  const [kind, scalar] = only(value, "the literal");
  if (kind !== "Scalar" && kind !== "Dyn") return refuse(`the literal ${kind}`);
  const [name, content] = only(scalar, "the literal");
  if (kind === "Scalar" && name === "List") return { Scalar: { List: listBytes(content) } };
  if (!SCALARS.has(name)) return refuse(`the literal ${name}`);
  // A literal number can be large: only functions that choose a size would be harmed by it.
  if (typeof content !== "number" || !Number.isFinite(content)) {
    if (name === "Datetime" || name === "Duration") {
      const [time, ...rest] = [content].flat();
      if (typeof time !== "number") refuse(`the literal ${shown(content)}`);
      checkPlain(rest);
    } else checkPlain(content);
  }
  return value;
}

function selector(value: unknown, depth = 0): void {
  if (value === "Wildcard") return;
  const [kind, content] = only(value, "the selector");
  if (!SELECTORS.has(kind) || depth > 10) refuse(`the selector ${kind}`);
  if (kind === "ByName" || kind === "ByIndex") {
    const { names = [], indices = [] } = Object(content);
    const list = [...[names].flat(), ...[indices].flat()];
    if (!list.every((each) => typeof each === "string" || Number.isSafeInteger(each))) {
      refuse("a selector of other names");
    }
  } else for (const each of [content].flat()) selector(each, depth + 1);
}

/** Checks the function of a node and returns its group and name. */
function functionName(called: unknown): readonly [group: string, name: string, more: unknown] {
  if (typeof called === "string") return ["", called, null];
  const [group, inner] = only(called, "the function");
  if (!FUNCTIONS.has(group) || group === "") return ["", group, inner];
  if (typeof inner === "string") return [group, inner, null];
  if (group === "RollingExpr") {
    const { function: name, options } = inner as Node;
    if (Object(options).weights !== null) refuse("weights");
    return [group, String(name), options];
  }
  if (group === "Correlation") {
    const { method, ...more } = inner as Node;
    return typeof method === "string"
      ? [group, method, more]
      : [group, only(method, "the method")[0], more];
  }
  const [name, more] = only(inner, "the function");
  return [group, name, more];
}

/** Returns a node of a checked expression, as polars reads it. */
function checked(node: unknown, depth: number, count: Count): unknown {
  if (depth > DEEPEST) throw new RangeError(`an expression has at most ${DEEPEST} levels`);
  if (++count.nodes > MOST_NODES) {
    throw new RangeError(`an expression has at most ${MOST_NODES} nodes`);
  }
  const inner = (each: unknown) => checked(each, depth + 1, count);
  const all = (list: unknown) =>
    Array.isArray(list) ? list.map(inner) : refuse(`in place of a list ${shown(list)}`);
  if (node === "Len") return node;
  const [kind, content] = only(node, "the node");
  const parts = Object(content) as Node;
  switch (kind) {
    case "Column":
      return typeof content === "string" ? node : refuse("a column without a name");
    case "Literal":
      return { Literal: literal(content) };
    case "Selector":
      selector(content);
      return node;
    case "BinaryExpr": {
      const { left, op, right } = parts;
      if (!OPERATORS.has(op as string)) refuse(`the operator ${shown(op)}`);
      if (op === "Plus") grow(count, 1);
      return { BinaryExpr: { left: inner(left), op, right: inner(right) } };
    }
    case "Alias": {
      const [expr, name] = Array.isArray(content) ? content : [];
      return {
        Alias: [inner(expr), typeof name === "string" ? name : refuse("an alias without a name")],
      };
    }
    case "KeepName":
      return { KeepName: inner(content) };
    case "RenameAlias": {
      const [how, text] = only(parts.function, "the name");
      if (!/^(?:Prefix|Suffix)$/.test(how) || typeof text !== "string") refuse(`the name ${how}`);
      return { RenameAlias: { function: parts.function, expr: inner(parts.expr) } };
    }
    case "Cast":
      checkDtype(parts.dtype);
      checkPlain(parts.options);
      return { Cast: { ...pick(parts, ["dtype", "options"]), expr: inner(parts.expr) } };
    case "Ternary":
      return {
        Ternary: {
          predicate: inner(parts.predicate),
          truthy: inner(parts.truthy),
          falsy: inner(parts.falsy),
        },
      };
    case "Filter":
      return { Filter: { input: inner(parts.input), by: inner(parts.by) } };
    case "Over": {
      const { mapping, order_by, partition_by } = parts;
      if (mapping !== "GroupsToRows" || order_by !== null) refuse("another form of over");
      return {
        Over: {
          function: inner(parts.function),
          partition_by: all(partition_by),
          order_by,
          mapping,
        },
      };
    }
    case "Agg":
      return { Agg: aggregation(content, inner) };
    case "Function":
      return { Function: called(parts, all(parts.input), count) };
  }
  return refuse(`the node ${kind}`);
}

function pick(parts: Node, names: readonly string[]): Node {
  return Object.fromEntries(
    names.filter((name) => name in parts).map((name) => [name, parts[name]]),
  );
}

function aggregation(content: unknown, inner: (node: unknown) => unknown): Node {
  const [name, of] = only(content, "the aggregation");
  if (!AGGREGATIONS.has(name)) refuse(`the aggregation ${name}`);
  if (Array.isArray(of)) {
    const [expr, ...more] = of;
    checkPlain(more);
    return { [name]: [inner(expr), ...more] };
  }
  const parts = Object(of) as Node;
  const place = ["input", "expr"].find((each) => Object.hasOwn(parts, each));
  if (place === undefined) return { [name]: inner(of) };
  const { [place]: expr, quantile, ...more } = parts;
  checkPlain(more);
  return {
    [name]: {
      ...more,
      [place]: inner(expr),
      ...quantile !== undefined && { quantile: inner(quantile) },
    },
  };
}

/** Checks that a replacement adds at most a short text, or one character to each match. */
function checkReplacement(input: readonly unknown[], options: unknown): void {
  const { n, literal: isLiteral } = Object(options) as Node;
  const [pattern, text] = input.slice(1).map((each) =>
    (each as { Literal?: { Scalar?: { String?: unknown } } })?.Literal?.Scalar?.String
  );
  if (input.length !== 3) refuse(`a replacement of ${input.length} inputs`);
  const isShort = typeof text === "string" && text.length <= (n === 1 ? LONGEST_TEXT : 1);
  if (!isShort || (pattern === "" && n !== 1)) {
    refuse("a replacement that makes texts much longer");
  }
  // In the text of a pattern, `$` repeats what was found.
  if (isLiteral !== true && text.includes("$")) refuse("a replacement with $");
}

/** Checks that values which replace others are short: each can be in any number of rows. */
function checkValues(input: readonly unknown[]): void {
  for (const each of input.slice(2)) {
    const { values = [] } = Object(Object(Object(Object(each).Literal).Scalar).List) as List;
    const isLong = (values as unknown[]).some((value) =>
      typeof value === "string" && value.length > LONGEST_TEXT
    );
    if (isLong) refuse("a replacement that makes texts much longer");
  }
}

function called({ function: fn, input: raw }: Node, input: readonly unknown[], count: Count): Node {
  const [group, name, more] = functionName(fn);
  if (!FUNCTIONS.get(group)!.has(name)) refuse(`the function ${name}`);
  checkPlain(more);
  // polars reads a second input without a check.
  if (input.length < (name === "Atan2" ? 2 : 1)) {
    refuse(`the function ${name} with ${input.length} inputs`);
  }
  if (name === "ConcatHorizontal") grow(count, input.length);
  if (/^Replace(?:Strict)?$/.test(name) && group === "") checkValues(raw as readonly unknown[]);
  if (name === "ReplaceStrict" && Object(more).return_dtype) {
    checkDtype((more as Node).return_dtype);
  }
  if (name === "Strptime") checkDtype([more].flat()[0]);
  if (group === "StringExpr" && name === "Replace") {
    checkReplacement(input, more);
    grow(count, 2);
  }
  return { input, function: fn };
}

/**
 * Checks each node of an expression by its position, and returns the expression as polars reads it. `count` has what other
 * expressions of the step have.
 *
 * @throws {RangeError} for a node, a function, a dtype or a value that is not permitted.
 */
export function checkedExpression(
  node: unknown,
  count: Count = { nodes: 0, growing: 0 },
): unknown {
  return checked(node, 0, count);
}

/** Returns a checked expression of a recipe as an expression of polars: see {@linkcode checkedExpression}. */
export function expressionOf(node: unknown, count?: Count): ReturnType<typeof pl.col> {
  const made = JSON.stringify(checkedExpression(node, count));
  try {
    return pl.Expr.deserialize(Buffer.from(made), "json");
  } catch (cause) {
    const [why] = (cause as Error).message.split(/ at line \d/);
    throw new RangeError(`polars cannot read the expression: ${why}`, { cause });
  }
}
