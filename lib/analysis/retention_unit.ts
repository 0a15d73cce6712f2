import { type DataFrame, pl } from "../table/polars.ts";
import { type Expr, numberOfColumn, quotient, where } from "./columns.ts";

/** The units of the months of a cohort frame: fractions from 0 to 1, percentages from 0 to 100, or numbers of users. */
export const RETENTION_UNITS = ["fraction", "percent", "count"] as const;
type RetentionUnit = typeof RETENTION_UNITS[number];

const PASS = `pass unit: ${RETENTION_UNITS.map((unit) => `"${unit}"`).join(", ")}`;

function howMany(condition: Expr): Expr {
  return condition.cast(pl.Float64).sum();
}

function misses(value: Expr, whole: Expr): Expr {
  return howMany(value.minus(whole).abs().gt(whole.mul(1e-9)));
}

/**
 * Detects the unit of the months from `month_0` over the whole frame. All users of a cohort are active in its first
 * month, so `month_0` of every cohort is 1 (fraction), 100 (percent), or the cohort's size (count). Cohorts of size 0
 * are ignored.
 */
export function readRetentionUnit(frame: DataFrame, months: readonly string[]): RetentionUnit {
  const size = numberOfColumn("initial_cohort_size");
  const first = numberOfColumn("month_0");
  const living = frame.filter(size.gt(0).or(size.isNull()));
  const found = living.select(
    misses(first, pl.lit(1)).alias("fraction"),
    misses(first, pl.lit(100)).alias("percent"),
    misses(first, size).alias("count"),
    howMany(first.isNotNull()).alias("told"),
    first.min().alias("least"),
    first.max().alias("most"),
    ...months.map((month) => howMany(numberOfColumn(month).isNotNull()).alias(`any_${month}`)),
  ).row(0) as number[];
  const [told, least, most, ...values] = found.slice(RETENTION_UNITS.length);
  if (values.every((count) => count === 0)) return "fraction";
  if (told === 0) {
    throw new RangeError(
      `retentionCurves: unit: cannot be detected, because month_0 is null in every row; ${PASS}`,
    );
  }
  const fitting = RETENTION_UNITS.filter((_, index) => found[index] === 0);
  const [unit] = fitting;
  if (unit !== undefined && fitting.length === 1) return unit;
  const range = least === most ? `is ${least} in every row` : `goes from ${least} to ${most}`;
  throw new RangeError(
    fitting.length === 0
      ? `retentionCurves: unit: cannot be detected, because month_0 ${range} and is neither 1 (fraction), nor 100 (percent), nor ` +
        `initial_cohort_size (count) in every row; ${PASS}`
      : `retentionCurves: unit: cannot be detected, because month_0 ${range}, which fits ${
        fitting.join(" and ")
      }; ${PASS}`,
  );
}

/** Converts values in a unit to fractions of the sizes. Null for null and for cohorts of size 0. */
export function fractionInUnit(value: Expr, size: Expr, unit: RetentionUnit): Expr {
  const fraction = {
    fraction: value,
    percent: quotient(value, pl.lit(100)),
    count: value.div(size),
  };
  return where(size.neq(0).fillNull(pl.lit(true)), fraction[unit]);
}

/**
 * Rounds numbers of users within 1e-6 of a whole number, such as 0.07 · 100. Numbers that are too large to have
 * fractions count as whole.
 */
export function wholeUsers(users: Expr): Expr {
  const whole = users.round(0);
  const apart = users.minus(whole).abs();
  const near = apart.ltEq(1e-6).or(apart.ltEq(whole.mul(4 * Number.EPSILON)));
  return pl.when(near).then(whole).otherwise(users);
}
