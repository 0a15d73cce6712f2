import { listed, notify } from "../../platform/terminal.ts";
import { dayText } from "../../schema/period.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { lastFullDay } from "../../table/read/reading.ts";
import { annotationOf, inputsOf } from "../../table/track/provenance.ts";
import { isWhole, RETENTION_UNITS, type RetentionUnit } from "../../table/read/retention_unit.ts";
import { arraysIn } from "../columnar.ts";
import { monthAfter } from "./curve_table.ts";

const FN = "retentionCurves";

/** The numbers of curves: one element per cohort and month. NaN means null. */
interface CurveNumbers {
  readonly size: Float64Array;
  readonly retained: Float64Array;
  readonly retention: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** A value of month 1, and the size of its cohort. NaN means null. */
interface FirstMonth {
  readonly size: number;
  readonly value: number;
}

/** Returns the values of month 1 of a frame of cohorts. Empty if the frame has month 0. */
function valuesOfMonthOne(
  cohorts: DataFrame,
  sizes: string,
  names: readonly string[] | null,
): FirstMonth[] {
  const name = names === null ? "retained" : "month_1";
  if (names !== null && (names.includes("month_0") || !names.includes(name))) return [];
  const { [sizes]: size, [name]: values, month } = arraysIn(cohorts, [
    ...[sizes, name],
    ...names === null ? ["month"] : [],
  ]);
  if (month?.includes(0)) return [];
  return Array.from(size!, (each, row) => ({ size: each, value: values![row]!, row }))
    .filter(({ size, value, row }) =>
      (month === undefined || month[row] === 1) && size > 0 && !Number.isNaN(value)
    );
}

/**
 * Throws a RangeError if months count from 1: the frame has no month 0, and all users are active in month 1 of every
 * cohort. `sizes` is the column of sizes, and `names` are the columns of months of the wide form. Without a unit, the
 * values of month 1 can have any unit.
 */
export function refuseMonthsFromOne(
  cohorts: DataFrame,
  { sizes, names, unit }: {
    readonly sizes: string;
    readonly names: readonly string[] | null;
    readonly unit: RetentionUnit | undefined;
  },
): void {
  const months = valuesOfMonthOne(cohorts, sizes, names);
  const units = unit === undefined ? RETENTION_UNITS : [unit];
  const areFull = units.some((unit) =>
    months.every(({ size, value }) => isWhole(value, size, unit))
  );
  if (months.length === 0 || !areFull) return;
  const before = (name: string) => `month_${Number(name.slice("month_".length)) - 1}`;
  const line = names === null
    ? 'frame.withColumns(pl.col("month").minus(1))'
    : `frame.rename({ ${names.map((name) => `${name}: "${before(name)}"`).join(", ")} })`;
  throw new RangeError(
    `${FN}: month: must count from 0; got months from 1, in which all users are active; ` +
      `write ${line}, or add the ${names === null ? "rows of month 0" : "column month_0"}`,
  );
}

const monthText = (day: number) => dayText(day).slice(0, 7);

/**
 * Makes values null whose month of observation was not over at the end of the data, and prints a notice with their number.
 * `began` has the first day of each cohort, and `ages` the month of each element.
 *
 * @throws {RangeError} when own data has a value of a month that begins after the last full day.
 */
export function hideUnobserved(
  cohorts: DataFrame,
  { size, retained, retention, lower, upper }: CurveNumbers,
  { began, ages }: { readonly began: Float64Array; readonly ages: Float64Array },
): void {
  const last = lastFullDay(cohorts);
  if (last === null) return;
  const isOwn = inputsOf(annotationOf(cohorts)?.provenance).every(({ kind }) => kind === "given");
  const perCohort = size.length / Math.max(1, began.length);
  const months = new Set<number>();
  let count = 0;
  for (let row = 0; row < size.length; row++) {
    const cohort = began[Math.floor(row / perCohort)]!;
    if (Number.isNaN(cohort) || Number.isNaN(retention[row]!)) continue;
    if (monthAfter(cohort, ages[row]! + 1) - 1 <= last) continue;
    const month = monthAfter(cohort, ages[row]!);
    if (isOwn && month > last) {
      throw new RangeError(
        `${FN}: month: expected months that begin by ${dayText(last)}; got ${
          retained[row]
        } users in month ` +
          `${ages[row]} of the cohort ${monthText(cohort)}, which is ${monthText(month)}; ` +
          "months that are not observed are null",
      );
    }
    count += 1;
    months.add(month);
    for (const values of [retained, retention, lower, upper]) values[row] = NaN;
  }
  if (count === 0) return;
  const names = [...months].sort((a, b) => a - b).map(monthText);
  notify(
    `${FN}: left out ${count} ${count === 1 ? "value" : "values"} of ${
      listed(names)
    }: the last full day is ` +
      dayText(last),
  );
}
