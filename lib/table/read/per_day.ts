import { oneOf } from "../../platform/check_options.ts";
import { adds } from "./adds.ts";
import { everyIn } from "./periods.ts";
import { type DataFrame, pl } from "../build/polars.ts";
import { lastFullDay } from "./reading.ts";

/** The rule of the option `per`. */
export const PER = oneOf(["day", "period"]);
export type Per = "day" | "period";

/** Returns whether the periods of a frame are months, quarters or years, whose lengths differ. */
function hasUnequalPeriods(frame: DataFrame, date: string): boolean {
  const dates = frame.filter(pl.col(date).isNotNull().and(pl.col("until").isNotNull())).head(1);
  return /month|quarter|year/.test(everyIn(dates, date) ?? "");
}

/**
 * Returns the number of days of the period of each row. This is the number of days with a value, if the frame has it in
 * `<field>_days`. Of a period that is not over, only the days with data count.
 */
export function daysOf(frame: DataFrame, date: string, field?: string) {
  const counted = `${field}_days`;
  if (frame.columns.includes(counted)) {
    const days = pl.col(counted).cast(pl.Float64);
    return pl.when(days.gt(0)).then(days).otherwise(pl.lit(null));
  }
  const day = (name: string) => pl.col(name).cast(pl.Int64);
  const last = lastFullDay(frame);
  if (last === null) return day("until").minus(day(date)).plus(1);
  const through = pl.lit(last).cast(pl.Int64);
  const unfinished = day("until").gt(through).and(day(date).ltEq(through));
  return pl.when(unfinished).then(through).otherwise(day("until")).minus(day(date)).plus(1);
}

/**
 * Returns the columns of a frame of `withPeriods` to divide by the number of days of their periods, so that months of different length can be
 * compared.
 *
 * Without the option `per`, these are the columns that add up over days, as far as the frame knows, if the periods are
 * months, quarters or years. `"day"` also selects columns of which the frame does not know whether they add up.
 * `"period"` selects none.
 */
export function columnsPerDay(
  frame: DataFrame,
  { fn, fields, per, date = "date" }: {
    readonly fn: string;
    readonly fields: readonly string[];
    readonly per: Per | undefined;
    readonly date?: string | undefined;
  },
): readonly string[] {
  if (per === "period") return [];
  if (per === undefined) {
    const some = hasUnequalPeriods(frame, date);
    return fields.filter((field) => some && adds(frame, field) === "both");
  }
  const wrong = fields.find((field) => ["groups", "none"].includes(adds(frame, field) ?? ""));
  if (wrong !== undefined) {
    throw new RangeError(`${fn}: per: only sums add over days; got the column ${wrong}`);
  }
  return fields;
}
