/** Texts that state that there is no value, beside the empty text. */
export const MISSING_WORDS: readonly string[] =
  "- – — NaN nan -NaN NA N/A n/a #N/A NULL Null null None none nil <nil> <NA> inf -inf Infinity -Infinity"
    .split(" ");
/** Texts that state that there is no number in responses of the service, beside the empty text. */
const NO_NUMBER: readonly string[] = ["-", "NaN", "Infinity", "-Infinity"];

const MISSING = new Set(MISSING_WORDS);
const DAY_MS = 86_400_000;

/** A number: at least one digit, at most one point. */
const NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
/** Digits that begin with a zero, as in codes such as `007`. */
export const CODE = /^[+-]?0[0-9]/;

/** Returns whether a text states that there is no value. An empty text does. */
export function isMissing(text: string): boolean {
  return text === "" || MISSING.has(text);
}

/** Returns whether a text of a response states that there is no number. */
export function saysNoNumber(text: string): boolean {
  return text === "" || NO_NUMBER.includes(text);
}

/** Returns the number that a text writes; undefined for other texts, and for numbers that Float64 cannot hold. */
export function numberIn(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = Number(text);
  const isLost = number === 0 && /^[^eE]*[1-9]/.test(text);
  return Number.isFinite(number) && !isLost ? number : undefined;
}

/** Returns the digits of a number without zeros at its ends. */
function digitsOf(text: string): string {
  return text.replace(/[eE].*$/s, "").replace(/[-+.]/g, "").replace(/^0+|0+$/g, "");
}

/** Returns whether Float64 has other digits than a text of a number, such as one of 20 decimals. */
export function losesDigits(text: string): boolean {
  // Float64 has all numbers of 15 digits.
  return text.length > 15 && digitsOf(String(Number(text))) !== digitsOf(text);
}

/** Returns the boolean that a text writes, in any case; undefined for other texts. */
export function booleanIn(text: string): boolean | undefined {
  return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined;
}

/** Two ways in which numbers are written for readers. Spaces group digits in both. */
const WAYS = {
  "1,234.5": { group: ",", point: "." },
  "1.234,5": { group: ".", point: "," },
} as const;
/** A way in which numbers are written for readers. */
export type NumberWay = keyof typeof WAYS;
/** The ways in which numbers are written for readers. */
export const NUMBER_WAYS = Object.keys(WAYS) as readonly NumberWay[];

const SPACES = " \u00a0\u2009\u202f";
const CURRENCY = /[A-Z]{0,3}\p{Sc}/u.source;
const AROUND = new RegExp(
  `^(\\()?([+\u2212-])?[${SPACES}]*(?:${CURRENCY})?[${SPACES}]*([+\u2212-])?([0-9.,${SPACES}]*[0-9])` +
    `[${SPACES}]*(%)?[${SPACES}]*(?:${CURRENCY})?(\\))?$`,
  "u",
);
/** Digits in groups, or without groups, and decimals. */
const DIGITS = Object.fromEntries(
  Object.entries(WAYS).map(([way, { group, point }]) => [
    way,
    new RegExp(
      `^([0-9]{1,3}([\\${group}${SPACES}])[0-9]{3}(?:\\2[0-9]{3})*|[0-9]*)(?:\\${point}([0-9]+))?$`,
    ),
  ]),
) as Readonly<Record<NumberWay, RegExp>>;

/**
 * Returns the number of a text for readers, such as `-$1,234.5`, `(3.1)` or `12.5%`; undefined for other texts.
 * Parentheses mean minus. A percentage is a fraction: `12.5%` is 0.125.
 */
export function writtenNumberIn(text: string, way: NumberWay): number | undefined {
  const [, open, sign, inner, body, percent, close] = AROUND.exec(text) ?? [];
  if (body === undefined || (open === undefined) !== (close === undefined)) return undefined;
  const signs = [open, sign, inner].filter((each) => each !== undefined);
  if (signs.length > 1) return undefined;
  const [isMatch, whole = "", , decimals] = DIGITS[way].exec(body) ?? [];
  if (isMatch === undefined) return undefined;
  const digits = whole.replace(/[^0-9]/g, "") + (decimals === undefined ? "" : `.${decimals}`);
  const isNegative = signs.length === 1 && signs[0] !== "+";
  return numberIn(`${isNegative ? "-" : ""}${digits}${percent === undefined ? "" : "e-2"}`);
}

/** A time that a text names. */
interface Moment {
  /** Milliseconds since 1970 in UTC. */
  readonly time: number;
  /** The number of the written day: 1 January 1970 is 0. An offset does not change it. */
  readonly day: number;
}

/** Returns the number of a day; NaN for a day that does not exist, such as 30 February. Months count from 1. */
export function dayNumber(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
    ? date.getTime() / DAY_MS
    : NaN;
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})/.source;
const CLOCK = /([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?/.source;
const OFFSET = /Z|UTC|([+-])(0\d|1\d|2[0-3])(?::?([0-5]\d))?/.source;
const ISO = new RegExp(`${DAY}(?:[T ]${CLOCK}(?: ?(?:${OFFSET}))?)?$`);

/**
 * Returns the time of an ISO text: a day such as `2026-01-31`, or a day with a time of day and an offset. Without an offset,
 * the time is in UTC, whatever the time zone of the machine. Returns null for other texts, and for days that do not exist.
 */
export function momentIn(text: string): Moment | null {
  const found = ISO.exec(text);
  if (found === null) return null;
  const [, year, month, date, hour = "0", minute = "0", second = "0", fraction = "", ...offset] =
    found;
  const day = dayNumber(Number(year), Number(month), Number(date));
  if (Number.isNaN(day)) return null;
  const [sign, hours = "0", minutes = "0"] = offset;
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const clock = ((Number(hour) * 60 + Number(minute) - shift) * 60 + Number(second)) * 1_000;
  return { time: day * DAY_MS + clock + Number(fraction.slice(0, 3).padEnd(3, "0")), day };
}

const MONTHS =
  "january february march april may june july august september october november december"
    .split(" ");

/** Returns the number of a month from 1, of its English name or abbreviation; 0 for other texts. */
export function monthNamed(text: string): number {
  const name = text.toLowerCase();
  const isName = (month: string) => month === name || month.slice(0, 3) === name;
  return name === "sept" ? 9 : MONTHS.findIndex(isName) + 1;
}

/** The parts of a pattern, each with the part that it needs. */
const NEEDED: Readonly<Record<string, string>> = {
  "%Y": "",
  "%m": "%Y",
  "%b": "%Y",
  "%d": "%m",
  "%H": "%d",
  "%M": "%H",
  "%S": "%M",
};

/** Returns the parts of a pattern and the texts between them; null if the pattern does not name a day or a month. */
function partsOf(pattern: string): readonly string[] | null {
  const pieces = pattern.split(/(%.?)/s).filter((each) => each !== "");
  const parts = pieces.filter((each) => each.startsWith("%"));
  const has = (part: string) => parts.includes(part) || (part === "%m" && parts.includes("%b"));
  const fits = parts.every((part, at) =>
    Object.hasOwn(NEEDED, part) && parts.indexOf(part) === at &&
    (NEEDED[part] === "" || has(NEEDED[part]!))
  );
  const months = Number(parts.includes("%m")) + Number(parts.includes("%b"));
  return fits && months === 1 ? pieces : null;
}

/**
 * Returns a reader of texts of a pattern with `%Y`, `%m` or `%b`, `%d`, `%H`, `%M`, `%S`, such as `%d.%m.%Y`; null if the
 * pattern is not valid. The reader returns milliseconds since 1970 in UTC; NaN if the whole text does not match.
 */
export function patternReader(pattern: string): ((text: string) => number) | null {
  const pieces = partsOf(pattern);
  if (pieces === null) return null;
  const names: string[] = [];
  const source = pieces.map((piece, at) => {
    if (!piece.startsWith("%")) return RegExp.escape(piece);
    names.push(piece[1]!);
    if (piece === "%Y") return "(\\d{4})";
    if (piece === "%b") return "([A-Za-z]{3,9})";
    // Beside other digits, a part has all its digits.
    const isBeside = /^%[^b]$|\d$/.test(pieces[at - 1] ?? "") ||
      /^(?:%[^b]|\d)/.test(pieces[at + 1] ?? "");
    return isBeside || piece === "%M" || piece === "%S" ? "(\\d{2})" : "(\\d{1,2})";
  });
  const whole = new RegExp(`^${source.join("")}$`);
  return (text) => {
    const found = whole.exec(text);
    if (found === null) return NaN;
    const of = Object.fromEntries(names.map((name, at) => [name, found[at + 1]!]));
    const { Y, m, b, d = "1", H = "0", M = "0", S = "0" } = of;
    const month = b === undefined ? Number(m) : monthNamed(b);
    const day = dayNumber(Number(Y), month, Number(d));
    const isClock = Number(H) < 24 && Number(M) < 60 && Number(S) < 60;
    return isClock ? day * DAY_MS + ((Number(H) * 60 + Number(M)) * 60 + Number(S)) * 1_000 : NaN;
  };
}
