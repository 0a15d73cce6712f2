import { type Columns, servedColumns } from "../track/descriptions.ts";
import { type DataFrame, pl } from "../build/polars.ts";

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
 * Cohorts of size 0 are ignored. NaN means null.
 */
export function readRetentionUnit(
  sizes: Float64Array,
  [month0, ...later]: readonly Float64Array[],
): RetentionUnit {
  const living = [...sizes.keys()].filter((row) => sizes[row] !== 0);
  const first = living.map((row) => month0![row]!);
  const known = first.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  if (known.length === 0) {
    const none = later.every((values) => living.every((row) => Number.isNaN(values[row])));
    return none ? "fraction" : refuse("is null in every row");
  }
  const wholes = {
    fraction: () => 1,
    percent: () => 100,
    count: (place: number) => sizes[living[place]!]!,
  };
  const fitting = RETENTION_UNITS.filter((unit) =>
    !first.some((value, place) =>
      Math.abs(value - wholes[unit](place)) > wholes[unit](place) * 1e-9
    )
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

/** Describes the fields of a frame of cohorts. Month columns have the unit that `retentionCurves` detects, if it can. */
export function cohortColumns(frame: DataFrame): Columns {
  const columns = servedColumns(frame.columns);
  const months = frame.columns.filter((name) => /^month_\d+$/.test(name));
  const names = ["initial_cohort_size", ...months];
  if (months[0] !== "month_0" || names.some((name) => !frame.columns.includes(name))) {
    return columns;
  }
  const filled = frame.select(pl.cols(...names as [string, string]).fillNull(pl.lit(NaN)));
  const [sizes, ...values] = names.map((name) => filled.getColumn(name).toTypedArray());
  let unit: string;
  try {
    unit = readRetentionUnit(sizes!, values);
  } catch {
    return columns;
  }
  unit = unit === "count" ? "users" : unit;
  return new Map([...columns].map(([name, column]) => [
    name,
    column && months.includes(name) ? { ...column, unit } : column,
  ]));
}

/**
 * Converts a value in a unit to a fraction of the cohort size. The result is NaN, which means null, if the value is null
 * or the size is 0.
 */
export function fractionInUnit(value: number, size: number, unit: RetentionUnit): number {
  if (size === 0) return NaN;
  return unit === "fraction" ? value : value / (unit === "percent" ? 100 : size);
}

/**
 * Rounds a number of users that is within 1e-6 of a whole number, such as 0.07 · 100 = 7.000000000000001. Also rounds a
 * large number whose distance from a whole number is within the rounding error.
 */
export function wholeUsers(users: number): number {
  const whole = Math.round(users);
  const apart = Math.abs(users - whole);
  return apart <= 1e-6 || apart <= whole * 4 * Number.EPSILON ? whole : users;
}
