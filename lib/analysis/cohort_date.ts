import type { Refuse } from "../host/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { annotationOf } from "../table/provenance.ts";
import type { Expr } from "./columns.ts";

const TIME = "[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)? ?(?:Z|[+-]\\d{2}:?\\d{2})?";
const DAY = `^(\\d{4}-\\d{2}-\\d{2})(?:${TIME})?$`;
const MONTH = `^(\\d{4}-\\d{2})(?:-\\d{2}(?:${TIME})?)?$`;

function date(text: Expr): Expr {
  return text.str.strptime(pl.Date, "%Y-%m-%d");
}

/**
 * The first day of the month that a text names, as a Date: `2025-01`, `2025-01-01` and ISO
 * timestamps name January 2025, as written and in no time zone. Null for any other text, and for a
 * date that no calendar has.
 */
export function cohortDate(text: Expr): Expr {
  const day = text.str.extract(DAY, 1);
  const first = date(pl.concatString([text.str.extract(MONTH, 1), pl.lit("-01")], ""));
  const impossible = day.isNotNull().and(date(day).isNull());
  return pl.when(impossible).then(pl.lit(null)).otherwise(first);
}

const DAY_LENGTH = 86_400_000;

/** The rule of a month: a date in it, or a text that names it; null where it is not known. */
export function aMonth(value: unknown, refuse: Refuse): Date | null {
  if (value === null) return null;
  const allowed = "must name a month, as 2025-01 does";
  const text = value instanceof Date && !Number.isNaN(value.getTime())
    ? value.toISOString()
    : typeof value === "string"
    ? value
    : refuse(allowed);
  const month = new RegExp(MONTH).exec(text)?.[1];
  const day = new RegExp(DAY).exec(text)?.[1] ?? `${month}-01`;
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) refuse(allowed);
  return new Date(`${month}-01T00:00:00Z`);
}

/** Whether a cohort is of the month in which tracking began, or earlier. */
export function leftTruncated(cohorts: DataFrame, given: Date | null | undefined): Expr {
  const since = given === undefined ? annotationOf(cohorts)?.provenance.data_since : given;
  if (since === undefined || since === null) return pl.lit(null).cast(pl.Bool);
  const month = Date.UTC(since.getUTCFullYear(), since.getUTCMonth()) / DAY_LENGTH;
  return pl.col("cohort_date").cast(pl.Int64).ltEq(pl.lit(month));
}
