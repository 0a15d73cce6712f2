import { pl } from "../table/polars.ts";
import type { Expr } from "./number_of_column.ts";

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
