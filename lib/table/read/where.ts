import {
  checkOptions,
  didYouMean,
  nearest,
  type Refuse,
  type Rule,
} from "../../platform/check_options.ts";
import { meantWord } from "../../platform/option_words.ts";
import { createWarn, shown } from "../../platform/terminal.ts";
import { dateOfDay, daysNamed } from "../../schema/period.ts";
import { dtypeNames, isNumeric, isText } from "../build/dtypes.ts";
import { shownIds } from "./names.ts";
import { type DataFrame, type Frame, pl, type RowOf, type Schema } from "../build/polars.ts";
import { requireColumns } from "./requirements.ts";
import { withProvenance } from "../show/show.ts";

type Expr = ReturnType<typeof pl.col>;

/**
 * Bounds for the values of one column. A value must meet all given bounds.
 *
 * @category Frames
 */
export interface Bounds<Value> {
  /** Matches values greater than this number. */
  readonly above?: number;
  /** Matches values greater than or equal to this number. */
  readonly atLeast?: number;
  /** Matches values less than this number. */
  readonly below?: number;
  /** Matches values less than or equal to this number. */
  readonly atMost?: number;
  /** Matches this day and later days. A month or a year means its first day. */
  readonly from?: Date | string;
  /** Matches this day and earlier days. A month or a year means its last day. */
  readonly to?: Date | string;
  /** Matches any value except this value or the values of this list. `not: null` matches all non-null values. */
  readonly not?: Value | null | readonly (Value | null)[];
}

const warn = createWarn();

/** For each bound, the kind of the columns that it compares, and the comparison of polars. */
const COMPARISONS = {
  above: ["number", "gt"],
  atLeast: ["number", "gtEq"],
  below: ["number", "lt"],
  atMost: ["number", "ltEq"],
  from: ["date", "gtEq"],
  to: ["date", "lt"],
} as const;
const BOUNDS = [...Object.keys(COMPARISONS), "not"];

/** Kind of a column. */
type Kind = "text" | "number" | "boolean" | "date" | "other";

function kindOf(dtype: string): Kind {
  if (isText(dtype)) return "text";
  if (isNumeric(dtype)) return "number";
  if (/^Bool/.test(dtype)) return "boolean";
  return /^Date/.test(dtype) ? "date" : "other";
}

/** Returns the first moment of a day, month, year or instant, and the first moment after this period. */
function spanOf(value: unknown, refuse: Refuse): { first: Date; after: Date } {
  const isText = typeof value === "string";
  if (value instanceof Date || (isText && value.includes("T"))) {
    const time = new Date(value).getTime();
    if (!Number.isNaN(time)) return { first: new Date(time), after: new Date(time + 1) };
  }
  const days = isText ? daysNamed(value) : null;
  if (days === null) return refuse("must be a Date, or a text such as 2025-03 or 2025-03-31");
  return { first: dateOfDay(days.start), after: dateOfDay(days.end + 1) };
}

/** The column to which a condition applies, and the function that throws an error for an invalid condition. */
interface Asked {
  readonly name: string;
  readonly kind: Kind;
  readonly dtype: string;
  readonly refuse: Refuse;
}

/** Returns the values of a column for comparisons. Dates become times. */
function columnOf({ name, kind }: Asked): Expr {
  return kind === "date" ? pl.col(name).cast(pl.Datetime("ms")) : pl.col(name);
}

function equals(asked: Asked, value: unknown): Expr {
  const { name, kind, dtype, refuse } = asked;
  if (value === null) return pl.col(name).isNull();
  if (kind === "date") {
    const { first, after } = spanOf(value, refuse);
    return columnOf(asked).gtEq(pl.lit(first)).and(columnOf(asked).lt(pl.lit(after)));
  }
  const wanted = { text: "string", number: "number", boolean: "boolean", other: "none" }[kind];
  if (typeof value !== wanted || Number.isNaN(value)) {
    return refuse(kind === "other" ? `must be null, as it is ${dtype}` : `must be a ${kind}`);
  }
  return pl.col(name).eq(pl.lit(value));
}

function oneOf(asked: Asked, values: readonly unknown[]): Expr {
  const each = values.map((value) => equals(asked, value));
  if (each.length < 2 || (asked.kind !== "text" && asked.kind !== "number")) {
    return each.reduce((any, one) => any.or(one), pl.lit(false) as Expr);
  }
  const column = asked.kind === "text" ? pl.col(asked.name) : pl.col(asked.name).cast(pl.Float64);
  const named = column.isIn(values.filter((value) => value !== null) as string[]);
  return values.includes(null) ? named.or(column.isNull()) : named;
}

/** Returns one rule for each bound, by name. A rule checks the value of the bound and returns a polars expression. */
function boundsOf(asked: Asked): Record<string, Rule<Expr>> {
  const { name, kind, dtype } = asked;
  const rules = Object.entries(COMPARISONS).map(([bound, [compared, compare]]) => {
    const rule: Rule<Expr> = (value, refuse) => {
      if (kind !== compared) return refuse(`compares ${compared}s, and ${name} is ${dtype}`);
      if (kind === "number" && (typeof value !== "number" || Number.isNaN(value))) {
        return refuse("must be a number");
      }
      // The last day of `to` is included.
      const limit = kind === "number"
        ? value
        : spanOf(value, refuse)[bound === "to" ? "after" : "first"];
      const found = columnOf(asked)[compare](pl.lit(limit));
      // Excludes NaN, because polars treats NaN as the largest number.
      return /^Float/.test(dtype) ? found.and(pl.col(name).isNotNan()) : found;
    };
    return [bound, rule] as const;
  });
  const not: Rule<Expr> = (value, refuse) =>
    oneOf({ ...asked, refuse }, [value].flat()).not().and(pl.col(name).isNotNull());
  return { ...Object.fromEntries(rules), not };
}

function conjunction([first, ...others]: readonly Expr[]): Expr | undefined {
  return first && others.reduce((all, one) => all.and(one), first);
}

function expressionOf(asked: Asked, condition: unknown): Expr {
  if (Array.isArray(condition)) return oneOf(asked, condition);
  if (condition === undefined) return asked.refuse("must be a value, null, a list or bounds");
  if (typeof condition !== "object" || condition === null || condition instanceof Date) {
    return equals(asked, condition);
  }
  const error = (message: string) => new RangeError(message);
  const prefix = `where: ${asked.name}: `;
  const found = checkOptions(condition, boundsOf(asked), { prefix, noun: "condition", error });
  return conjunction(Object.values(found) as Expr[]) ??
    asked.refuse("must hold a bound, such as above or from");
}

/** Warns of a text that no row has, if it is the name of an id or similar to a value. */
function warnOfTexts(frame: DataFrame, name: string, condition: unknown): void {
  const dtype = dtypeNames(frame)[frame.columns.indexOf(name)]!;
  const wanted = [condition].flat().filter((value) => typeof value === "string");
  if (wanted.length === 0 || kindOf(dtype) !== "text") return;
  const values = (frame.getColumn(name).unique().toArray() as (string | null)[])
    .filter((value) => value !== null);
  const names = shownIds(frame, name, values);
  for (const text of wanted.filter((value) => !values.includes(value))) {
    const id = values[names.indexOf(text)];
    const near = id ?? nearest(text, values);
    if (near === undefined) continue;
    const hint = id === undefined ? `nearest: ${near}` : `this is the name of ${near}`;
    warn(`where: ${name}: no row has ${JSON.stringify(text)}; ${hint}`, `${name} ${text}`);
  }
}

/**
 * Returns the rows of a frame that meet all conditions, in the order of the frame.
 *
 * A condition is a value, null, a list of alternatives, or bounds. An empty list matches no row. The bounds of numbers
 * are `above`, `atLeast`, `below` and `atMost`. The bounds of dates are `from` and `to`. Both are inclusive, and a
 * month such as `2025-03` includes all its days. The bound `not` excludes values. The condition null, also as an
 * element of a list, matches rows with null. A row with null does not match any bound, not even `not`.
 *
 * If no row is left, a notice names the texts that the frame does not have and that are similar to a value, or the name of
 * an id.
 *
 * In `where`, texts are values. In polars expressions, texts are column names, so write `pl.lit("alder")` there.
 *
 * @example Large chains, by name
 * ```ts
 * import { blockchainComparison, where } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * console.log(where(chains, { chain_id: ["alder", "basalt"] }));
 * console.log(where(chains, { ecosystem_tvl_latest: { above: 1e8, atMost: 1e12 } }));
 * ```
 *
 * @example Cohorts from March 2025 on
 * ```ts
 * import { cohortAnalysis, retentionCurves, where } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * console.log(where(curves, { cohort_date: { from: "2025-03" }, retention: { not: null } }));
 * ```
 *
 * @throws {RangeError} for an unknown column (the message suggests the nearest name), for an unknown bound, and for a
 * value whose type does not fit the column.
 * @category Frames
 */
export function where<Columns extends Schema>(
  frame: DataFrame<Columns>,
  conditions: {
    readonly [Name in keyof Columns]?: NonNullable<RowOf<Columns>[Name]> extends infer Cell
      ? (Cell extends Date ? Date | string
        : Cell extends string | number | boolean ? Cell
        : string | number | boolean | Date) extends infer Value
        ? Value | null | readonly (Value | null)[] | Bounds<Value>
      : never
      : never;
  },
): Frame<Columns> {
  requireColumns(frame, { fn: "where", source: "a frame" });
  if (typeof conditions !== "object" || conditions === null || Array.isArray(conditions)) {
    throw new RangeError(`where: conditions: must be an object; got ${shown(conditions)}`);
  }
  const dtypes = dtypeNames(frame);
  const all = Object.entries(conditions).map(([name, condition]) => {
    const dtype = dtypes[frame.columns.indexOf(name)];
    if (dtype === undefined) {
      const bound = BOUNDS.find((each) => each === name) ?? meantWord(name, BOUNDS);
      const hint = bound &&
        `a bound of a column, such as { ${frame.columns.at(-1)}: { ${bound}: … } }`;
      throw new RangeError(`where: ${didYouMean(name, frame.columns, hint)}`);
    }
    const refuse: Refuse = (allowed) => {
      throw new RangeError(`where: ${name}: ${allowed}; got ${shown(condition)}`);
    };
    return expressionOf({ name, kind: kindOf(dtype), dtype, refuse }, condition);
  });
  const condition = conjunction(all);
  const met = condition === undefined ? frame.clone() : frame.filter(condition);
  if (met.height === 0) {
    for (const [name, asked] of Object.entries(conditions)) warnOfTexts(frame, name, asked);
  }
  return withProvenance(frame, met, { fn: "where", options: conditions }) as unknown as Frame<
    Columns
  >;
}
