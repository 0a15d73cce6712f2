import { shown } from "../../platform/terminal.ts";
import { dateOfDay } from "../../schema/period.ts";
import { amountUnit, STATE_AMOUNTS } from "../../table/read/retention_unit.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { type Expr, numberOfColumn, numbersIn, refuseFirst, refuseRepeats } from "../columnar.ts";

/** Throws a RangeError if no text of `cohort` was read as a month, because an analysis by date would have no rows. */
export function requireCohortDates(curves: DataFrame, fn: string): void {
  const dates = curves.getColumn("cohort_date");
  if (curves.height === 0 || dates.nullCount() < curves.height) return;
  const texts = curves.columns.includes("cohort") ? curves.getColumn("cohort").toArray() : [];
  const text = texts.find((each: unknown) => each !== null);
  throw new RangeError(`${fn}: cohort: expected months such as 2025-01; got ${shown(text)}`);
}

/** Maximum length of a curve in months: a century. */
export const LONGEST = 1200;

/** The columns of numbers that each row of a curve has. Some frames lack `retained`. */
export const USERS = ["month", "size", "retention", "retained"] as const;

/** The columns of curves of which numbers of other tables are made. */
export const COUNTED = ["retained", "size"] as const;

const MORE_RETAINED = "retained lies between 0 and size";

/** Returns the rule that a row breaks, if there is one. NaN, which means null, breaks only the rule for months. */
function brokenRule(
  month: number,
  { size, retention, retained, amount }: Record<"size" | "retention" | "retained", number> & {
    /** Whether amounts are counted, which can grow. */
    readonly amount: boolean;
  },
): string | undefined {
  if (!(Number.isInteger(month) && month >= 0 && month <= LONGEST)) {
    return `month is a whole number from 0 to ${LONGEST}`;
  }
  if (amount) {
    if (retention < 0 || retention === Infinity) return "retention is 0 or more";
    if (size < 0 || size === Infinity) return "size is 0 or more";
    return retained < 0 || retained === Infinity ? "retained is 0 or more" : undefined;
  }
  if (retention < 0 || retention > 1) return "retention lies between 0 and 1";
  if (size < 0 || size === Infinity) return "size is 0 or more";
  return retained < 0 || retained > size * (1 + 1e-9) ? MORE_RETAINED : undefined;
}

/** The expressions of `suspect`, made once, since the engine collects objects of polars late. */
const suspects = new Map<string, Expr>();

/** Returns whether a row can break a rule. Text columns are compared as numbers. */
function suspect(frame: DataFrame, amount: boolean): Expr {
  const columns = new Set(frame.columns);
  const known = USERS.filter((name) => columns.has(name));
  const key = `${amount} ${known}`;
  const made = suspects.get(key) ?? suspectOf(known, amount);
  suspects.set(key, made);
  return made;
}

function suspectOf(known: readonly string[], amount: boolean): Expr {
  const [month, size, retention, retained] = USERS.map((name) =>
    known.includes(name) ? numberOfColumn(name) : pl.lit(null).cast(pl.Float64)
  ) as [Expr, Expr, Expr, Expr];
  const out = (value: Expr, most: Expr) => value.lt(0).or(value.gt(most)).fillNull(pl.lit(false));
  const largest = pl.lit(Number.MAX_VALUE);
  return month.isNull().or(out(month, pl.lit(LONGEST))).or(month.neq(month.floor()))
    .or(out(size, largest))
    .or(out(retention, amount ? largest : pl.lit(1)))
    .or(out(retained, amount ? largest : size.fillNull(pl.lit(Infinity))));
}

/** Throws a RangeError if a month, a retention, a size or a number of retained users is impossible. */
export function refuseImpossibleRows(frame: DataFrame, fn: string): void {
  const amount = amountUnit(frame, "size") !== null;
  // Few frames have such a row, so that their numbers are not copied.
  if (frame.filter(suspect(frame, amount)).height === 0) return;
  const { month, size, retention, retained } = numbersIn(frame, USERS);
  for (let row = 0; row < month.length; row++) {
    const rule = brokenRule(month[row]!, {
      amount,
      size: size[row]!,
      retention: retention[row]!,
      retained: retained[row]!,
    });
    if (rule !== undefined) {
      refuseFirst(frame.slice(row, 1), {
        message: `${fn}: ${rule}:`,
        then: rule === MORE_RETAINED ? `; ${STATE_AMOUNTS}` : "",
      });
    }
  }
}

/**
 * Throws a RangeError for amounts, which a function of persons cannot read.
 *
 * @param what what needs persons, such as `forecasts`
 */
export function refuseAmounts(frame: DataFrame, fn: string, what: string): void {
  const unit = pl.DataFrame.isDataFrame(frame) ? amountUnit(frame, "size") : null;
  if (unit === null) return;
  throw new RangeError(`${fn}: size is in ${unit}: ${what} need persons who leave`);
}

/** Throws a RangeError for a frame of `pooledRetention`, because its rows are not cohorts. */
export function refusePooled(frame: DataFrame, fn: string): void {
  if (!pl.DataFrame.isDataFrame(frame) || !frame.columns.includes("at_risk")) return;
  throw new RangeError(
    `${fn}: expected a frame of retentionCurves, got one of pooledRetention; pass the curves, ` +
      `as in ${fn}(curves, { by: "market_sector_id" })`,
  );
}

/** Returns the first day of the calendar month some months after the month of a day. */
export function monthAfter(day: number, months: number): number {
  const date = dateOfDay(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 86_400_000;
}

/** Columns of curves that do not identify a curve, for frames that do not describe their columns. */
export const CURVE_VALUES: ReadonlySet<string> = new Set(
  `month size retained retention lower upper at_risk lost net_activity cumulative cumulative_lower cumulative_upper bounds cohorts clusters cluster dispersion left_out left_truncated tracked_months
  confidence predicted model alpha beta q log_likelihood reason`.split(/\s+/),
);

/** Returns the columns that identify a curve. Columns of values, notes and months do not. */
function curveKeys(frame: DataFrame): string[] {
  return frame.columns.filter((name) => {
    const role = columnIn(frame, name)?.role;
    return role === undefined
      ? !CURVE_VALUES.has(name)
      : role !== "value" && role !== "note" && name !== "month";
  });
}

/** Checks a frame of curves, and returns the columns that identify a curve. */
export function checkedCurves(frame: DataFrame, fn: string) {
  requireColumns(frame, {
    fn,
    source: "a frame of pooledRetention",
    numbers: ["month", "size", "retention"],
  });
  const columns = curveKeys(frame);
  refuseImpossibleRows(frame, fn);
  refuseRepeats(frame, [...columns, "month"], { fn, then: "; pool the curves first" });
  return columns;
}
