import { type DataFrame, pl } from "../table/polars.ts";
import { type Expr, numberOfColumn, quotient } from "./columns.ts";
import { COHORT_MONTHS } from "../schema/vocabulary.ts";

/** `fraction`: 0 to 1 of the cohort. `percent`: 0 to 100 of it. `count`: users, 0 to its size. */
export type RetentionUnit = "fraction" | "percent" | "count";

/** The units that the months of a cohort frame may come in. */
export const RETENTION_UNITS: readonly RetentionUnit[] = ["fraction", "percent", "count"];

const PASS = `pass unit: ${RETENTION_UNITS.map((unit) => `"${unit}"`).join(", ")}`;

function howMany(condition: Expr): Expr {
  return condition.cast(pl.Float64).sum();
}

function misses(value: Expr, whole: Expr): Expr {
  return howMany(value.minus(whole).abs().gt(whole.mul(1e-9)));
}

/**
 * Reads the unit of the months from `month_0` over the whole frame: a cohort is whole in the month
 * it was born in, so `month_0` is 1 everywhere, or 100, or the cohort's size. Cohorts of size 0 say
 * nothing.
 *
 * @throws {RangeError} when no unit fits every cohort, or more than one does: nothing is guessed.
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
      `retentionCurves: the unit is read from month_0, which is null everywhere; ${PASS}`,
    );
  }
  const fitting = RETENTION_UNITS.filter((_, index) => found[index] === 0);
  const [unit] = fitting;
  if (unit !== undefined && fitting.length === 1) return unit;
  const range = least === most ? `is ${least} everywhere` : `goes from ${least} to ${most}`;
  throw new RangeError(
    fitting.length === 0
      ? `retentionCurves: month_0 ${range} and is neither 1 (fraction), nor 100 (percent), nor ` +
        `initial_cohort_size (count) in every row; ${PASS}`
      : `retentionCurves: month_0 ${range}, which fits ${fitting.join(" and ")}; ${PASS}`,
  );
}

const SIZE = "initial_cohort_size";

/** The fraction that a value in some unit stands for; null for a cohort of size 0. */
export function retentionInUnit(value: Expr, size: Expr, unit: RetentionUnit): Expr {
  const whole = unit === "percent" ? pl.lit(100) : size;
  const fraction = unit === "fraction" ? value : quotient(value, whole);
  return pl.when(size.eq(0)).then(pl.lit(null)).otherwise(fraction);
}

/**
 * Checks that every month of a cohort frame is a retention in the unit.
 *
 * @throws {RangeError} for the first row that is not: names project, cohort and months.
 */
export function refuseImpossible(cohorts: DataFrame, unit: RetentionUnit): void {
  const size = numberOfColumn(SIZE);
  const retentions = COHORT_MONTHS.map((month) =>
    retentionInUnit(numberOfColumn(`month_${month}`), size, unit)
  );
  const impossible = pl.maxHorizontal(retentions).gt(1 + 1e-9)
    .or(pl.minHorizontal(retentions).lt(0)).or(size.lt(0));
  const [row] = cohorts.filter(impossible).head(1).toRecords() as Record<string, unknown>[];
  if (row === undefined) return;
  const months = COHORT_MONTHS.map((month) => row[`month_${month}`] ?? "null").join(", ");
  throw new RangeError(
    `retentionCurves: with unit "${unit}", retention lies between 0 and 1 of a size of 0 or more; ` +
      `project ${row.project_id}, cohort ${row.cohort} has ${SIZE} ${row[SIZE]} and months ` +
      `${months}; pass another unit, or leave the row out`,
  );
}
