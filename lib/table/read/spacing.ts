import {
  dateOfDay,
  type Every,
  monthNumber,
  type Period,
  periodAt,
  periodFrom,
  periodsBefore,
} from "../../schema/period.ts";

/** The periods of which a set of days are the labels. */
export interface Spacing {
  /**
   * The length that the periods have in common. Null for days at nearly equal distances that are neither first nor last
   * days, such as the 15th of each month.
   */
  readonly every: Every | null;
  /** Returns the period of one of the days. */
  readonly periodOf: (day: number) => Period;
  /** The last day, if it is within a period that is not finished: all others are last days of periods. */
  readonly through?: number;
  /** The weekday of days that are read as last days of weeks, because it is not known whether they are first days. */
  readonly weekday?: string;
}

/** Calendar periods, and the number of their months. */
const LENGTHS = [["year", 12], ["quarter", 3], ["month", 1]] as const;

/** Days at distances up to this multiple of the least one are labels of periods of one length. */
const NEARLY = 1.3;

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Returns the English name of the weekday of a day. */
export function weekdayOf(day: number): string {
  return WEEKDAYS[dateOfDay(day).getUTCDay()]!;
}

const single = (day: number) => periodFrom(day, "day");

/** Reads days as the first or as the last days of months, quarters or years. Null if they are neither. */
function calendarSpacing(days: readonly number[], side: "start" | "end"): Spacing | null {
  if (!days.every((day) => periodAt(day, "month")[side] === day)) return null;
  // The months that follow the last days.
  const months = days.map((day) => monthNumber(side === "end" ? day + 1 : day));
  const [every] = LENGTHS.find(([, count]) =>
    months.every((month) => (month - months[0]!) % count === 0) &&
    (months[0]! % count === 0 || months.some((month, at) => month - months[at - 1]! === count))
  )!;
  return {
    every,
    periodOf: (day) =>
      side === "start"
        ? periodFrom(day, every)
        : { start: periodsBefore({ start: day + 1 }, every, 1).start, end: day },
  };
}

/** The fewest last days of periods before a day within an unfinished one. */
const FEWEST_ENDS = 3;

/** Reads days as the last days of months, quarters or years, and one day of the period after them. */
function unfinishedSpacing(days: readonly number[]): Spacing | null {
  const ends = days.slice(0, -1);
  const through = days.at(-1)!;
  const spacing = ends.length < FEWEST_ENDS ? null : calendarSpacing(ends, "end");
  if (spacing === null || spacing.every === null) return null;
  const { every } = spacing;
  const start = ends.at(-1)! + 1;
  const months = LENGTHS.find(([name]) => name === every)![1];
  let end = periodAt(start, "month").end;
  for (let month = 1; month < months; month++) end = periodAt(end + 1, "month").end;
  if (through > end) return null;
  const last = { start, end };
  return { every, through, periodOf: (day) => day === through ? last : spacing.periodOf(day) };
}

/**
 * Finds the longest periods of which all days are the first days, or else all are the last days: years and quarters that
 * begin with any month, months, and weeks; else days. After three last days of months, quarters or years, the last day can be
 * one within the next period, which is not finished.
 *
 * Quarters and years of other months than those of the calendar need two days that are one period apart, and so do weeks
 * of other days than Monday. Such weeks end on their day. One day is a day.
 */
export function spacingOf(days: Iterable<number>): Spacing {
  const known = [...new Set(days)].filter((day) => !Number.isNaN(day)).sort((a, b) => a - b);
  if (known.length < 2) return { every: "day", periodOf: single };
  const calendar = calendarSpacing(known, "start") ?? calendarSpacing(known, "end");
  if (calendar !== null) return calendar;
  const gaps = known.slice(1).map((day, at) => day - known[at]!);
  let [least, most] = [Infinity, 0];
  for (const gap of gaps) [least, most] = [Math.min(least, gap), Math.max(most, gap)];
  const isEven = gaps.length > 1 && least > 1 && most <= NEARLY * least;
  const unfinished = isEven ? null : unfinishedSpacing(known);
  if (unfinished !== null) return unfinished;
  const isMonday = periodAt(known[0]!, "week").start === known[0];
  // Mondays at equal distances of two weeks or more are no weeks.
  const areWeeks = gaps.every((gap) => gap % 7 === 0) && (least === 7 || isMonday && !isEven);
  if (!areWeeks) return { every: isEven ? null : "day", periodOf: single };
  return isMonday ? { every: "week", periodOf: (day) => periodFrom(day, "week") } : {
    every: "week",
    periodOf: (day) => periodFrom(day - 6, "week"),
    weekday: weekdayOf(known[0]!),
  };
}
