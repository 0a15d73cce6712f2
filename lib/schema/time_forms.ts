import { dayNumber, momentIn, monthNamed } from "./grammar.ts";
import { type Every, weekNamed } from "./period.ts";

const DAY_MS = 86_400_000;
/** Digits of other years are counts or ids. */
const [EARLIEST_YEAR, LATEST_YEAR] = [1800, 2100];
/** Smaller numbers are not counted from 1970. */
const EARLIEST_MOMENT = Date.UTC(1990);

/** A time that a text names: the clock that the text shows, as if it were that of UTC, and its distance from UTC. */
interface NamedTime {
  /** Milliseconds since 1970. */
  readonly clock: number;
  /** Milliseconds. 0 for a text without an offset. */
  readonly offset: number;
}

/** The named parts of a text. */
type Parts = Readonly<Record<string, string | undefined>>;

function dayOfParts({ y, m, name = "", d = "1" }: Parts): number {
  return dayNumber(
    Number(y),
    m === undefined ? monthNamed(name.replace(".", "")) : Number(m),
    Number(d),
  );
}

/** Returns the time of an ISO day, or of a day such as `2025/1/31`, with or without a time of day. */
function isoTime(text: string): NamedTime | null {
  const iso = text.replace(
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=$|[T ])/,
    (_, year, _sign, month, day) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`,
  );
  const moment = momentIn(iso);
  if (moment === null) return null;
  const { time } = momentIn(
    iso.replace(/(:\d\d(?:\.\d+)?) ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?)$/, "$1"),
  )!;
  return { clock: time, offset: time - moment.time };
}

const NAME = String.raw`(?<name>[A-Za-z]{3,9}\.?)`;

/** A form of texts: the period that the form states, or null for days and times; its patterns; and the first day. */
interface Form {
  readonly every: Every | null;
  readonly patterns: readonly RegExp[];
  readonly dayFrom: (parts: Parts) => number;
}

const form = (
  every: Every | null,
  patterns: readonly (RegExp | string)[],
  dayFrom: (parts: Parts) => number = dayOfParts,
): Form => ({
  every,
  patterns: patterns.map((each) => typeof each === "string" ? new RegExp(`^${each}$`) : each),
  dayFrom,
});

const quarterOfParts = ({ y, q }: Parts) => dayNumber(Number(y), Number(q) * 3 - 2, 1);
const countedDay = (parts: Parts) =>
  Number(parts.y) < EARLIEST_YEAR || Number(parts.y) > LATEST_YEAR ? NaN : dayOfParts(parts);

/** The forms of texts and of whole numbers. The written date counts, so an offset does not change the day. */
const FORMS: readonly Form[] = [
  form("month", [String.raw`(?<y>\d{4})[-/.](?<m>\d{1,2})`]),
  form("month", [String.raw`(?<m>\d{1,2})[-/.](?<y>\d{4})`]),
  form("month", [`${NAME}[ ,-]+(?<y>\\d{4})`, `(?<y>\\d{4})[ ,-]+${NAME}`]),
  form("quarter", [/^(?<y>\d{4})[ -]?Q(?<q>[1-4])$/i], quarterOfParts),
  form("quarter", [/^Q(?<q>[1-4])[ /-]?(?<y>\d{4})$/i], quarterOfParts),
  form("week", [/^(?<y>\d{4})-?W(?<w>\d{2})$/i], ({ y, w }) => weekNamed(Number(y), Number(w))),
  form(null, [`(?<d>\\d{1,2})[ -]${NAME}[ ,-]+(?<y>\\d{4})`]),
  form(null, [`${NAME} (?<d>\\d{1,2}),? (?<y>\\d{4})`]),
  form("year", [/^(?<y>\d{4})$/], ({ y }) => countedDay({ y, m: "1" })),
  // Six digits of other years are more likely a count.
  form("month", [/^(?<y>199\d|20\d\d|2100)(?<m>\d\d)$/]),
  form(null, [/^(?<y>\d{4})(?<m>\d\d)(?<d>\d\d)$/], countedDay),
];

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, by the number of digits. */
const SINCE_1970 = /^(\d{9,10}|\d{12,13}|\d{15,16}|\d{18,19})$/;

/** Returns the time of the digits of seconds, milliseconds, microseconds or nanoseconds since 1970. */
function timeOfDigits(text: string): NamedTime | null {
  if (!SINCE_1970.test(text)) return null;
  const [number, thousands] = [Number(text), Math.floor(text.length / 3) - 4];
  const clock = thousands < 0 ? 1000 * number : Math.floor(number / 1000 ** thousands);
  return clock >= EARLIEST_MOMENT ? { clock, offset: 0 } : null;
}

function timeOfForm(text: string, { patterns, dayFrom }: Form): NamedTime | null {
  for (const pattern of patterns) {
    const parts = pattern.exec(text)?.groups;
    const day = parts === undefined ? NaN : dayFrom(parts);
    if (!Number.isNaN(day)) return { clock: day * DAY_MS, offset: 0 };
  }
  return null;
}

/** Each form of a column: the period that it states, and its reader. */
const READERS: readonly (readonly [Every | null, (text: string) => NamedTime | null])[] = [
  [null, isoTime],
  [null, timeOfDigits],
  ...FORMS.map((each) => [each.every, (text: string) => timeOfForm(text, each)] as const),
];

/** Returns the text of `{ "value": … }`, in which some databases wrap dates, without spaces around it. */
function unwrapped(text: string): string {
  const [, inner] = /^\{\s*"value"\s*:\s*"?([^"{}]*)"?\s*\}$/.exec(text) ?? [];
  return (inner ?? text).trim();
}

/** The times that the distinct texts of a column name. */
interface TimesNamed {
  /** The period that the form of the texts states, such as `month` for `2025-01`. Null for days and times. */
  readonly every: Every | null;
  /** The time of each text that is read: the first day of a period. */
  readonly times: ReadonlyMap<string, NamedTime>;
  /** The distinct texts that are not read. */
  readonly unread: readonly string[];
}

/**
 * Reads texts, or the digits of whole numbers, as times. All texts have one form, which is the form that most of the
 * distinct texts have: days with or without a time, such as `2025-01-31` or `31 Jan 2025`; months, such as `2025-01`;
 * quarters, such as `2025-Q1`; ISO weeks, such as `2025-W05`; years; or digits, such as `20250131` and seconds or
 * milliseconds since 1970. Texts that have two meanings, such as `01/02/2025`, are not read.
 */
export function timesNamed(texts: Iterable<string>): TimesNamed {
  const distinct = [...new Set(texts)];
  let best = { every: null as Every | null, times: new Map<string, NamedTime>() };
  for (const [every, read] of READERS) {
    const times = new Map<string, NamedTime>();
    for (const text of distinct) {
      const time = read(unwrapped(text));
      if (time !== null) times.set(text, time);
    }
    if (times.size > best.times.size) best = { every, times };
    if (times.size === distinct.length) break;
  }
  return { ...best, unread: distinct.filter((text) => !best.times.has(text)) };
}
