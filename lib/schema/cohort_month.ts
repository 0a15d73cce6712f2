import { dayOf, periodAt } from "./period.ts";

const MONTHS =
  "january february march april may june july august september october november december"
    .split(" ");

const TIME = String.raw`[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)? ?(?:Z|UTC|[+-]\d{2}:?\d{2})?`;

/** Returns the first day of a month as a number; NaN for an invalid month. */
function monthDay(year: string, month: string | number): number {
  return dayOf(`${year}-${String(month).padStart(2, "0")}-01`);
}

function named(name: string, year: string): number {
  const beginning = name.toLowerCase().replace(".", "");
  const month = MONTHS.findIndex((each) => each.startsWith(beginning));
  return month < 0 ? NaN : monthDay(year, month + 1);
}

/**
 * The forms of a month, each with its pattern and the first day of the month. The written date counts, so a time zone
 * does not change it.
 */
const FORMS: readonly (readonly [RegExp, (parts: readonly string[]) => number])[] = [
  [/^(\d{4})-(\d{1,2})$/, ([year, month]) => monthDay(year!, month!)],
  [
    new RegExp(String.raw`^(\d{4})-(\d{2})(-\d{2}(?:${TIME})?)?$`),
    ([year, month, day]) =>
      day !== undefined && Number.isNaN(dayOf(`${year}-${month}${day.slice(0, 3)}`))
        ? NaN
        : monthDay(year!, month!),
  ],
  [/^([A-Za-z]{3,9}\.?)[ ,-]+(\d{4})$/, ([name, year]) => named(name!, year!)],
  [/^(\d{4})[ ,-]+([A-Za-z]{3,9}\.?)$/, ([year, name]) => named(name!, year!)],
  // Six digits of other years are more likely a count.
  [/^(199\d|20\d\d|2100)(\d{2})$/, ([year, month]) => monthDay(year!, month!)],
  [/^(\d{12,13})$/, ([ms]) => periodAt(dayOf(new Date(Number(ms))), "month").start],
];

/** Returns the text of `{ "value": … }`, in which some databases wrap dates. */
function unwrapped(text: string): string {
  const [, inner] = /^\{\s*"value"\s*:\s*"?([^"{}]*)"?\s*\}$/.exec(text) ?? [];
  return (inner ?? text).trim();
}

function dayIn(text: string, [pattern, read]: typeof FORMS[number]): number {
  const match = pattern.exec(unwrapped(text));
  return match === null ? NaN : read(match.slice(1));
}

/** The months that texts name. */
interface CohortMonths {
  /** The first day of the month that a text names. Texts that are not read have no day. */
  readonly days: ReadonlyMap<string, number>;
  /** The distinct texts that are not read. */
  readonly unread: readonly string[];
}

/**
 * Reads the texts of a column of cohorts. The whole column has one form, which is the form that most of its texts have:
 * `2024-5` or `2024-05`, `2024-05-01` with or without a time, `May 2024`, `202405`, or milliseconds (12 or 13 digits).
 * Years, quarters, dates such as `20240501`, seconds and other languages are not read.
 */
export function cohortMonths(texts: Iterable<string | null>): CohortMonths {
  const distinct = [...new Set(texts)].filter((text) => text !== null);
  const read = FORMS.map((form) =>
    new Map(
      distinct.map((text): [string, number] => [text, dayIn(text, form)])
        .filter(([, day]) => !Number.isNaN(day)),
    )
  );
  const days = read.reduce((best, each) => each.size > best.size ? each : best);
  return { days, unread: distinct.filter((text) => !days.has(text)) };
}
