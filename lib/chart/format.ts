import { dateFormat } from "../platform/locale.ts";
import { numbersOf, type NumberUnit, write } from "./numbers.ts";

/**
 * Formats one value: `$1.2M`, `+5%`, `5%`, `1.2M EUR`. With a letter, a number has one decimal below 100, and none from
 * 100 on. Without a letter, it has three digits at most, and percentages have one decimal at most, below 1% two.
 */
export function formatValue(value: number, unit: NumberUnit, locale = "en-US"): string {
  return numbersOf([value], { unit, locale })(value);
}

/** Returns a function that formats numbers as `formatValue` does, or in a format of your own. */
export function formatterFor(
  style: {
    /** The quantity that the numbers measure, or a unit of your own that follows each number. */
    readonly unit: NumberUnit;
    /** The language of the numbers, such as `"en-US"`. */
    readonly locale: string;
    /** Options of `Intl.NumberFormat`, or a function that formats a number. */
    readonly format?: Intl.NumberFormatOptions | ((value: number) => string) | undefined;
  },
): (value: number) => string {
  return (value) => numbersOf([value], style)(value);
}

/** Formats the month of a date in UTC: `Mar 2026`. */
export function formatMonth(date: Date, locale = "en-US"): string {
  return dateFormat(locale, { month: "short", year: "numeric" }).format(date);
}

/** Formats a day in UTC: `30 Jun 2026`. */
export function formatDay(date: Date, locale = "en-US"): string {
  if (locale === "en-US") return `${date.getUTCDate()} ${formatMonth(date)}`;
  return dateFormat(locale, { day: "numeric", month: "short", year: "numeric" }).format(date);
}

/** Formats a count in full, with thousands separators: `2,130`. */
export function formatCount(value: number, locale = "en-US"): string {
  return write(value, locale, { maximumFractionDigits: 0 });
}
