import { columnIn } from "../track/descriptions.ts";

/**
 * The units of the month columns of a cohort frame: fractions (0 to 1), percentages (0 to 100), or numbers of users.
 */
export const RETENTION_UNITS = ["fraction", "percent", "count"] as const;
export type RetentionUnit = typeof RETENTION_UNITS[number];

/** Returns whether a value in a unit means all users of a cohort. */
export function isWhole(value: number, size: number, unit: RetentionUnit): boolean {
  const whole = unit === "fraction" ? 1 : unit === "percent" ? 100 : size;
  // If the size is null, a count cannot be compared with it.
  return !(Math.abs(value - whole) > whole * 1e-9);
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
  const known = living.filter((row) => !Number.isNaN(month0![row]));
  if (known.length === 0 && later.every((all) => living.every((row) => Number.isNaN(all[row])))) {
    return "fraction";
  }
  const fitting = RETENTION_UNITS.filter((unit) =>
    known.every((row) => isWhole(month0![row]!, sizes[row]!, unit))
  );
  if (known.length > 0 && fitting.length === 1) return fitting[0]!;
  const values = known.map((row) => month0![row]!).sort((a, b) => a - b);
  const range = known.length === 0
    ? "is null in every row"
    : values[0] === values.at(-1)
    ? `is ${values[0]} in every row`
    : `goes from ${values[0]} to ${values.at(-1)}`;
  throw new RangeError(
    `retentionCurves: unit: cannot be detected, because month_0 ${range}; it is 1 for "fraction", 100 ` +
      'for "percent", and initial_cohort_size for "count"; pass unit',
  );
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

/** Words for persons. */
const PERSON =
  "addresses|address|accounts?|buyers?|clients?|contributors?|customers?|developers?|holders?|" +
  "individuals?|members?|participants?|people|persons?|players?|subscribers?|traders?|uniques?|" +
  "users?|visitors?|wallets?";
const PERSONS = new RegExp(`^(count|(active |new |unique |daily |monthly )*(${PERSON}))$`, "i");

/**
 * Returns the unit of the amounts that a column counts, such as `usd`. Null if it counts persons: it has no unit, or its
 * unit is `count`, `users`, `addresses` or a word like these.
 */
export function amountUnit(frame: object, name: string): string | null {
  const unit = columnIn(frame, name)?.unit ?? null;
  return unit === null || PERSONS.test(unit.trim()) ? null : unit;
}

/** How to state that columns are amounts. */
export const STATE_AMOUNTS = "for amounts state the unit: withSource(frame, { columns: { size: " +
  '{ unit: "usd" }, retained: { unit: "usd" } } })';
