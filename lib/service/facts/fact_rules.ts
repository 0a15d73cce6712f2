import type { FactColumn } from "./fact_layout.ts";

/** Days from `FIRST_DAY` to `LAST_DAY` are allowed. The type Date of ClickHouse contains all of them. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2099-12-31";

// The maximum size of an amount. ClickHouse adds amounts in 128 bits and overflows without an error. Amounts of this
// size overflow only in sums of more than 10^14 rows.
const USD_DIGITS = 15;
/** The largest amount. */
export const MAX_USD = `1e${USD_DIGITS}`;

/** The largest count: the largest integer that is exact in JSON. */
export const MAX_COUNT = "9007199254740991";

/**
 * The maximum sum of a column of counts. It is slightly below the maximum of a 64-bit integer, because ClickHouse
 * overflows without an error.
 */
export const MAX_SUM = "9e18";

/** A rule for the values of a column. */
interface FactRule {
  /** SQL that is true for rows that break the rule. */
  readonly broken: string;
  /** The text after the name of the column in the message, such as `is negative`. */
  readonly says: string;
}

const WHOLE = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/;
const DECIMAL = /^DECIMAL\((\d+), ?(\d+)\)$/;
const REAL = /^(DOUBLE|FLOAT)$/;
const MOMENTS = /^(DATE|TIMESTAMP.*)$/;

// The documented forms of values. Values are checked because DuckDB's casts also accept other forms, such as `1_000`.
const FORMS = {
  count: "-?[0-9]+(\\.0+)?",
  amount: "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?",
  day: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
  timestamp: "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?Z?)?",
} as const;

function otherForm(name: string, form: keyof typeof FORMS): string {
  return `NOT regexp_full_match(CAST(${name} AS VARCHAR), '${FORMS[form]}')`;
}

/** Returns SQL that converts a column to numbers. Text that is not a number becomes null. */
export function numberOf(name: string, stored: string): string {
  // Integers and decimals need no conversion.
  if (WHOLE.test(stored) || DECIMAL.test(stored)) return name;
  return `TRY_CAST(${REAL.test(stored) ? name : `CAST(${name} AS VARCHAR)`} AS DOUBLE)`;
}

function rule(broken: string, says: string): FactRule {
  return { broken, says };
}

function numberRules({ name, type }: FactColumn, stored: string): FactRule[] {
  const number = numberOf(name, stored);
  const [, width, scale] = DECIMAL.exec(stored) ?? [];
  const exact = WHOLE.test(stored) || width !== undefined;
  const form = REAL.test(stored)
    ? `NOT isfinite(${number})`
    : otherForm(name, type === "count" ? "count" : "amount");
  const negative = type === "balance" ? [] : [rule(`${number} < 0`, "is negative")];
  if (type === "count") {
    const fraction = `${number} <> floor(${number})`;
    const broken = exact ? fraction : `(${form} OR ${fraction})`;
    return [
      ...(WHOLE.test(stored) ? [] : [rule(broken, "is not a whole number")]),
      ...negative,
      rule(`${number} > ${MAX_COUNT}`, `is larger than ${MAX_COUNT}`),
    ];
  }
  const fits = Number(width) - Number(scale) <= USD_DIGITS;
  return [
    ...(exact ? [] : [rule(form, "is not a number")]),
    ...negative,
    ...(fits ? [] : [rule(`abs(${number}) > ${MAX_USD}`, `is larger than ${MAX_USD}`)]),
  ];
}

function momentRules({ name, type }: FactColumn, stored: string): FactRule[] {
  const isMoment = MOMENTS.test(stored);
  const form = isMoment ? "false" : otherForm(name, type === "day" ? "day" : "timestamp");
  const text = isMoment ? name : `CAST(${name} AS VARCHAR)`;
  const moment = `TRY_CAST(${text} AS TIMESTAMP)`;
  if (type === "timestamp") {
    const says = "is not a timestamp (YYYY-MM-DD HH:MM:SS)";
    return [rule(`(${form} OR ${moment} IS NULL)`, says)];
  }
  const day = stored === "DATE" ? name : `TRY_CAST(${text} AS DATE)`;
  const other = `(${form} OR ${day} IS NULL OR ${moment} <> ${day})`;
  return [
    ...(stored === "DATE" ? [] : [rule(other, "is not a calendar day (YYYY-MM-DD)")]),
    rule(
      `NOT ${day} BETWEEN DATE '${FIRST_DAY}' AND DATE '${LAST_DAY}'`,
      `is not within ${FIRST_DAY} to ${LAST_DAY}`,
    ),
  ];
}

// A blank that the service trims at both ends of an id in a request. It is a character of \s in JavaScript.
const BLANK = "[\\s\\v\\p{Z}\\x{FEFF}]";

function textRules({ name, type }: FactColumn): FactRule[] {
  const text = `CAST(${name} AS VARCHAR)`;
  const invalid = `(contains(${text}, ',') OR ${text} IN ('all', '.', '..')
    OR regexp_matches(${text}, '^${BLANK}|${BLANK}$'))`;
  const says = "is not a valid id: no comma, no blank at either end, not all, . or ..";
  return [rule(`${text} = ''`, "is empty"), ...(type === "id" ? [rule(invalid, says)] : [])];
}

/** Returns the rules of a column, in the order of checking. `stored` is the type of the column in its file. */
export function factRules(column: FactColumn, stored: string): FactRule[] {
  const { name, type, optional } = column;
  const rules = type === "text" || type === "id"
    ? textRules(column)
    : type === "day" || type === "timestamp"
    ? momentRules(column, stored)
    : numberRules(column, stored);
  return [
    ...(optional ? [] : [rule(`${name} IS NULL`, "is missing")]),
    ...rules.map(({ broken, says }) => rule(`${name} IS NOT NULL AND ${broken}`, says)),
  ];
}
