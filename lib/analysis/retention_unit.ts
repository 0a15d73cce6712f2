import { type DataFrame, pl } from "../table/polars.ts";
import { arraysIn, type Expr, numberOfColumn, quotient, where } from "./columns.ts";

/**
 * The units of the month columns of a cohort frame: fractions (0 to 1), percentages (0 to 100), or numbers of users.
 */
export const RETENTION_UNITS = ["fraction", "percent", "count"] as const;
type RetentionUnit = typeof RETENTION_UNITS[number];

function refuse(why: string): never {
  throw new RangeError(
    `retentionCurves: unit: cannot be detected, because month_0 ${why}; ` +
      `pass unit: ${RETENTION_UNITS.map((unit) => `"${unit}"`).join(", ")}`,
  );
}

/**
 * Detects the unit of the month columns from all values of `month_0`. All users of a cohort are active in its first
 * month, so `month_0` of every cohort is 1 for `fraction`, 100 for `percent`, and the cohort's size for `count`.
 * Cohorts of size 0 are ignored.
 */
export function readRetentionUnit(frame: DataFrame, months: readonly string[]): RetentionUnit {
  const size = numberOfColumn("initial_cohort_size");
  const living = frame.filter(size.gt(0).or(size.isNull()));
  const { initial_cohort_size: sizes, month_0: first, ...later } = arraysIn(
    living,
    ["initial_cohort_size", ...months],
  ) as Record<string, Float64Array> & Record<"initial_cohort_size" | "month_0", Float64Array>;
  const known = first.filter((value) => !Number.isNaN(value)).sort();
  if (known.length === 0) {
    const none = Object.values(later).every((values) => values.every(Number.isNaN));
    return none ? "fraction" : refuse("is null in every row");
  }
  const wholes = { fraction: () => 1, percent: () => 100, count: (row: number) => sizes[row]! };
  const fitting = RETENTION_UNITS.filter((unit) =>
    !first.some((value, row) => Math.abs(value - wholes[unit](row)) > wholes[unit](row) * 1e-9)
  );
  if (fitting.length === 1) return fitting[0]!;
  const [least, most] = [known[0], known.at(-1)];
  const range = least === most ? `is ${least} in every row` : `goes from ${least} to ${most}`;
  return refuse(
    fitting.length > 1
      ? `${range}, which fits ${fitting.join(" and ")}`
      : `${range} and is neither 1 (fraction), nor 100 (percent), nor initial_cohort_size (count) ` +
        "in every row",
  );
}

/**
 * Converts values in a unit to fractions of the cohort sizes. The result is null if the value is null or the size is 0.
 */
export function fractionInUnit(value: Expr, size: Expr, unit: RetentionUnit): Expr {
  const fraction = {
    fraction: value,
    percent: quotient(value, pl.lit(100)),
    count: value.div(size),
  };
  return where(size.neq(0).fillNull(pl.lit(true)), fraction[unit]);
}

/**
 * Rounds numbers of users that are within 1e-6 of a whole number, such as 0.07 · 100 = 7.000000000000001. Also rounds
 * large numbers whose distance from a whole number is within the rounding error.
 */
export function wholeUsers(users: Expr): Expr {
  const whole = users.round(0);
  const apart = users.minus(whole).abs();
  const near = apart.ltEq(1e-6).or(apart.ltEq(whole.mul(4 * Number.EPSILON)));
  return pl.when(near).then(whole).otherwise(users);
}
