import { didYouMean, isObject } from "../../platform/check_options.ts";
import { inWords } from "../../platform/statement.ts";
import { shown, terminalText } from "../../platform/terminal.ts";
import { momentIn } from "../../schema/grammar.ts";
import { dateOfDay, daysNamed } from "../../schema/period.ts";
import { dtypeNames, isNumeric, isText } from "../columns/dtypes.ts";
import { type DataFrame, type Frame, pl, type RowOf, type Schema } from "../columns/polars.ts";
import { requireColumns } from "./requirements.ts";
import { withProvenance } from "../show/show.ts";
import { fromSource, historyOf } from "../track/provenance.ts";

type Expr = ReturnType<typeof pl.col>;

/**
 * Bounds for the values of one column. A value must meet all given bounds.
 *
 * @category Frames
 */
export interface Bounds<Value> {
  /** Matches this value and larger ones. Of dates, a month or a year means its first day. */
  readonly from?: Value;
  /** Matches this value and smaller ones. Of dates, a month or a year means its last day. */
  readonly to?: Value;
  /** Matches any value except this value or the values of this list. `not: null` matches all non-null values. */
  readonly not?: Value | null | readonly (Value | null)[];
}

/** Returns the first and the last value of a column that a value means. Null if it does not fit the column. */
function spanOf(dtype: string, value: unknown): readonly [unknown, unknown] | null {
  if (dtype.startsWith("Date")) {
    const days = typeof value === "string" ? daysNamed(value) : null;
    if (days) return [dateOfDay(days.start), new Date(dateOfDay(days.end + 1).getTime() - 1)];
    const named = typeof value === "string" ? momentIn(value) : null;
    const moment = value instanceof Date ? value : new Date(named?.time ?? NaN);
    return Number.isNaN(moment.getTime()) ? null : [moment, moment];
  }
  const type = isNumeric(dtype) ? "number" : dtype.startsWith("Bool") ? "boolean" : "string";
  const fits = typeof value === type && !Number.isNaN(value) &&
    (type !== "string" || isText(dtype));
  return fits ? [value, value] : null;
}

/** Returns how values of a column are typed on the command line. */
function typedRule(dtype: string): string {
  if (dtype.startsWith("Date")) {
    return "a day, a month or a year, such as 2025-03-31, 2025-03 or 2025";
  }
  if (isNumeric(dtype)) return "a number, such as 1700.5";
  return dtype.startsWith("Bool") ? "true or false" : "a text";
}

/** Returns the values of a condition as they are typed: `100..200`, `aave,lido`. */
function typedValues(condition: unknown): string {
  const { from = "", to = "", not } = Object(condition);
  return terminalText(
    [condition].flat().some((each) => typeof each === "object" && each !== null)
      ? not === undefined ? `${from}..${to}` : [not].flat().join(",")
      : [condition].flat().join(","),
  );
}

/** Returns the condition for a column as an expression of polars. */
function expressionOf(name: string, dtype: string, condition: unknown): Expr {
  const refuse = (): never => {
    throw new RangeError(`where: ${name}: must be ${
      inWords({
        flags: `${typedRule(dtype)}; got ${typedValues(condition)}`,
        code:
          `a value of ${dtype}, null, a list, or { from, to, not }; dates are written 2025-03-31, ` +
          `2025-03 or 2025; got ${shown(condition)}`,
      })
    }`);
  };
  const raw = pl.col(name);
  // polars treats NaN as the largest number.
  const column = dtype.startsWith("Date")
    ? raw.cast(pl.Datetime("ms"))
    : dtype.startsWith("Float")
    ? raw.fillNan(pl.lit(null))
    : raw;
  const within = (value: unknown) => spanOf(dtype, value) ?? refuse();
  const oneOf = (values: readonly unknown[]): Expr => {
    const spans = values.filter((value) => value !== null).map(within);
    const isList = spans.length > 1 && (isText(dtype) || isNumeric(dtype));
    const each = isList
      ? [(isNumeric(dtype) ? column.cast(pl.Float64) : column).isIn(spans.map(([value]) => value))]
      : spans.map(([first, last]) => column.gtEq(pl.lit(first)).and(column.ltEq(pl.lit(last))));
    if (values.includes(null)) each.push(raw.isNull());
    return each.reduce((any, one) => any.or(one), pl.lit(false) as Expr);
  };
  if (!isObject(condition) || condition instanceof Date) return oneOf([condition].flat());
  const { from, to, not, ...others } = condition;
  const bounds = [
    from === undefined ? [] : column.gtEq(pl.lit(within(from)[0])),
    to === undefined ? [] : column.ltEq(pl.lit(within(to)[1])),
    not === undefined ? [] : oneOf([not].flat()).not().and(raw.isNotNull()),
  ].flat();
  if (bounds.length === 0 || Object.keys(others).length > 0) refuse();
  return bounds.reduce((all, one) => all.and(one));
}

/** Returns the texts to which calls of `where` narrowed columns of a frame: `{ country: "Germany" }`. */
export function narrowedTo(frame: DataFrame): ReadonlyMap<string, string> {
  const trail = historyOf(frame);
  const steps = trail === undefined ? [] : fromSource(trail).steps;
  return new Map(
    steps.flatMap(({ name, args = [] }) => name === "where" ? Object.entries(Object(args[0])) : [])
      .flatMap(([name, condition]) => {
        const [value, ...others] = [condition].flat();
        return typeof value === "string" && others.length === 0 ? [[name, value] as const] : [];
      }),
  );
}

/**
 * Returns the rows of a frame that meet all conditions, in the order of the frame.
 *
 * A condition is a value, null, a list of alternatives, or bounds. An empty list matches no row. The bounds `from` and
 * `to` are inclusive, and a month such as `2025-03` includes all its days, of
 * times those of UTC, whatever zone a column has. The bound `not` excludes values. The condition
 * null, also as an element of a list, matches rows with null. A row with null does not match any bound, not even `not`.
 *
 * In `where`, texts are values. In polars expressions, texts are column names, so write `pl.lit("alder")` there.
 *
 * @example Large chains, by name
 * ```ts
 * import { blockchainComparison, where } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * console.log(where(chains, { chain_id: ["alder", "basalt"] }));
 * console.log(where(chains, { ecosystem_tvl_latest: { from: 1e8, to: 1e12 } }));
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
    if (dtype === undefined) throw new RangeError(`where: ${didYouMean(name, frame.columns)}`);
    return expressionOf(name, dtype, condition);
  });
  const met = frame.filter(all.reduce((every, one) => every.and(one), pl.lit(true) as Expr));
  return withProvenance(frame, met, { fn: "where", options: conditions }) as unknown as Frame<
    Columns
  >;
}
