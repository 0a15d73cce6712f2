import type { FactColumn } from "./fact_layout.ts";

/** Allowed range of days; the type Date of ClickHouse has a wider range. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2099-12-31";

// Beyond 128 bits, ClickHouse overflows without an error. With this bound on amounts, that takes 10^14 rows.
const USD_DIGITS = 15;
const MAX_USD = `1e${USD_DIGITS}`;

// Largest integer that is exact in JSON.
const MAX_COUNT = "9007199254740991";

/** A rule for rows. */
interface FactRule {
  /** SQL that is true for rows that break the rule. */
  readonly broken: string;
  /** Problem to report for the column. */
  readonly says: string;
}

const WHOLE = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/;
const DECIMAL = /^DECIMAL\((\d+), ?(\d+)\)$/;
const REAL = /^(DOUBLE|FLOAT)$/;
const MOMENTS = /^(DATE|TIMESTAMP.*)$/;

// The documented forms. DuckDB's casts accept other forms as well, such as `1_000`.
const FORMS = {
  count: "-?[0-9]+(\\.0+)?",
  amount: "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?",
  day: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
  timestamp: "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?Z?)?",
} as const;

function otherForm(name: string, form: keyof typeof FORMS): string {
  return `NOT regexp_full_match(CAST(${name} AS VARCHAR), '${FORMS[form]}')`;
}

/** Returns SQL of a column as a number; null if its text is not a number. */
export function numberOf(name: string, stored: string): string {
  // Exact types are compared without conversion.
  if (WHOLE.test(stored) || DECIMAL.test(stored)) return name;
  return `TRY_CAST(${REAL.test(stored) ? name : `CAST(${name} AS VARCHAR)`} AS DOUBLE)`;
}

function formRule({ name, type }: FactColumn, stored: string): FactRule[] {
  const number = numberOf(name, stored);
  const exact = WHOLE.test(stored) || DECIMAL.test(stored);
  const form = REAL.test(stored)
    ? `NOT isfinite(${number})`
    : otherForm(name, type === "count" ? "count" : "amount");
  if (type !== "count") return exact ? [] : [{ broken: form, says: "is not a number" }];
  if (WHOLE.test(stored)) return [];
  const fraction = `${number} <> floor(${number})`;
  return [{ broken: exact ? fraction : `(${form} OR ${fraction})`, says: "is not a whole number" }];
}

function numberRules(column: FactColumn, stored: string): FactRule[] {
  const { name, type } = column;
  const number = numberOf(name, stored);
  const form = formRule(column, stored);
  const negative = { broken: `${number} < 0`, says: "is negative" };
  if (type === "count") {
    return [
      ...form,
      negative,
      { broken: `${number} > ${MAX_COUNT}`, says: `is larger than ${MAX_COUNT}` },
    ];
  }
  const [, width, scale] = DECIMAL.exec(stored) ?? [];
  const large = { broken: `abs(${number}) > ${MAX_USD}`, says: `is larger than ${MAX_USD}` };
  return [
    ...form,
    ...(type === "amount" ? [negative] : []),
    ...(Number(width) - Number(scale) <= USD_DIGITS ? [] : [large]),
  ];
}

function momentRules({ name, type }: FactColumn, stored: string): FactRule[] {
  const form = MOMENTS.test(stored)
    ? "false"
    : otherForm(name, type === "day" ? "day" : "timestamp");
  const text = MOMENTS.test(stored) ? name : `CAST(${name} AS VARCHAR)`;
  const moment = `TRY_CAST(${text} AS TIMESTAMP)`;
  if (type === "timestamp") {
    return [{
      broken: `(${form} OR ${moment} IS NULL)`,
      says: "is not a timestamp (YYYY-MM-DD HH:MM:SS)",
    }];
  }
  const day = stored === "DATE" ? name : `TRY_CAST(${text} AS DATE)`;
  const other = {
    broken: `(${form} OR ${day} IS NULL OR ${moment} <> ${day})`,
    says: "is not a calendar day (YYYY-MM-DD)",
  };
  return [
    ...(stored === "DATE" ? [] : [other]),
    {
      broken: `NOT ${day} BETWEEN DATE '${FIRST_DAY}' AND DATE '${LAST_DAY}'`,
      says: `is not within ${FIRST_DAY} to ${LAST_DAY}`,
    },
  ];
}

// Blanks that a request trims at the end of an id: JavaScript's \s.
const BLANK = "[\\s\\v\\p{Z}\\x{FEFF}]";

function textRules({ name, type }: FactColumn): FactRule[] {
  const text = `CAST(${name} AS VARCHAR)`;
  const empty = { broken: `${text} = ''`, says: "is empty" };
  if (type === "text") return [empty];
  return [empty, {
    broken: `(contains(${text}, ',') OR ${text} IN ('all', '.', '..')
      OR regexp_matches(${text}, '^${BLANK}|${BLANK}$'))`,
    says: "is not a valid id: no comma, no blank at either end, not all, . or ..",
  }];
}

/** Returns the rules of a column with a stored type, in the order of checking. */
export function factRules(column: FactColumn, stored: string): FactRule[] {
  const { name, type, optional } = column;
  const rules = type === "text" || type === "id"
    ? textRules(column)
    : type === "day" || type === "timestamp"
    ? momentRules(column, stored)
    : numberRules(column, stored);
  return [
    ...(optional ? [] : [{ broken: `${name} IS NULL`, says: "is missing" }]),
    ...rules.map(({ broken, says }) => ({ broken: `${name} IS NOT NULL AND ${broken}`, says })),
  ];
}
