import { notify, shown } from "../../platform/terminal.ts";
import { dateOfDay, dayText, periodAt } from "../../schema/period.ts";
import { timesNamed } from "../../schema/time_forms.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { dateAdvice } from "../../table/read/date_advice.ts";
import { firstHour, type Times, timesIn, timeText } from "../../table/read/times.ts";
import { annotationOf } from "../../table/track/provenance.ts";
import { tableOf } from "../columnar.ts";

const FN = "retentionCurves";

/** Returns the number of months from the year 0 to a date. */
function monthsTo(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Texts of ISO months and days, which can be mixed in a column. */
const ISO = /^\d{4}-\d{1,2}(-\d{1,2}([T ].*)?)?$/;

/** Reads the ISO months among ISO days, or the reverse: adds them to the days, and takes them from the unread texts. */
function withMixed(times: Times, values: readonly unknown[]): Times {
  const read = values.find((_, row) => !Number.isNaN(times.days[row]!));
  const others = times.unread.filter((text) => typeof text === "string" && ISO.test(text));
  if (others.length === 0 || typeof read !== "string" || !ISO.test(read)) return times;
  const mixed = timesNamed(others as string[]).times;
  const days = times.days.map((day, row) => {
    const clock = mixed.get(values[row] as string)?.clock;
    return clock === undefined ? day : Math.floor(clock / 86_400_000);
  });
  // Days in a column of months are in the months that they name.
  const every = times.every ?? (days.every((day) => isSide(day, "start")) ? "month" : null);
  return {
    ...times,
    days,
    every,
    unread: times.unread.filter((text) => !mixed.has(text as string)),
  };
}

function isSide(day: number, side: "start" | "end"): boolean {
  return Number.isNaN(day) || periodAt(day, "month")[side] === day;
}

/**
 * Returns the first day of the month of each cohort. NaN for texts that are not read, which a notice counts, and for longer
 * periods than months.
 *
 * @throws {RangeError} when cohorts are weeks, or days that are neither all first nor all last days of months, or have
 * times of day.
 */
function monthsOfCohorts(cohorts: DataFrame): Float64Array {
  const values: unknown[] = cohorts.getColumn("cohort").toArray();
  const { days, every, hasHours, unread } = withMixed(timesIn(cohorts, "cohort"), values);
  const known = [...new Set(days)].filter((day) => !Number.isNaN(day));
  if (hasHours) {
    const row = firstHour(days);
    throw new RangeError(
      `${FN}: cohort: expected months of first use, such as 2025-01; got a time of day: ` +
        `${
          timeText(days[row]!)
        } in row ${row}; write the month, because midnight of another time zone can be ` +
        "in another month",
    );
  }
  const areMonths = every === "month" ||
    every === null &&
      (["start", "end"] as const).some((side) => known.every((day) => isSide(day, side)));
  if (every === "week" || every === null && !areMonths) {
    throw new RangeError(
      `${FN}: cohort: expected months of first use, such as 2025-01; got days or weeks: ` +
        `${
          known.slice(0, 2).map(dayText).join(" and ")
        }; count the users by their month of first use`,
    );
  }
  const all = new Set(values.filter((value) => value !== null));
  const named = areMonths ? unread : [...all];
  if (named.length > 0) {
    const count = areMonths ? unread.length : all.size;
    notify(
      `${FN}: cohort: ${count} of ${all.size} texts are not read as months, such as ` +
        `${shown(named[0])}; expected such as 2025-01${dateAdvice(cohorts, "cohort")}`,
    );
  }
  return days.map((day) => areMonths && !Number.isNaN(day) ? periodAt(day, "month").start : NaN);
}

/**
 * Returns a row per cohort: the date of the cohort, the number of months from the start of tracking to the cohort, and
 * whether it began by then. `began` has the dates as numbers of days.
 */
export function cohortDates(cohorts: DataFrame, given: Date | null | undefined) {
  const since = given === undefined ? annotationOf(cohorts)?.provenance.data_since : given;
  const first = since ? monthsTo(new Date(since)) : NaN;
  const began = monthsOfCohorts(cohorts);
  const rows = Array.from(began, (day) => {
    const tracked = Number.isNaN(day) ? NaN : monthsTo(dateOfDay(day)) - first;
    return {
      cohort_date: Number.isNaN(day) ? null : day,
      tracked_months: tracked,
      left_truncated: Number.isNaN(tracked) ? null : tracked <= 0,
    };
  });
  const dates = tableOf(rows, [
    ["date", "cohort_date"],
    ["whole", "tracked_months"],
    ["flag", "left_truncated"],
  ]);
  return { dates, began };
}
