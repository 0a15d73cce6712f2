import { COHORT_MONTHS } from "../schema/cohort_month.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { type Expr, numberOfColumn } from "./number_of_column.ts";
import { quotient } from "./quotient.ts";
import type { RetentionUnit } from "./retention_unit.ts";

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
