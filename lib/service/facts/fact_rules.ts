import type { FactColumn } from "./fact_layout.ts";

/** The first and the last day that facts may have: what a ClickHouse Date can hold is wider. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2099-12-31";

// Nine decimals of it leave room for as many rows as there will ever be in 38 digits.
const MAX_USD = "1e15";

// What a number of JSON says exactly.
const MAX_COUNT = "9007199254740991";

/** A rule that rows can break. */
export interface FactRule {
  /** SQL that is true for a row that breaks the rule. */
  readonly broken: string;
  /** What is said of the column then. */
  readonly says: string;
}

const NUMBERS = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL\(.*\))$/;
const MOMENTS = /^(DATE|TIMESTAMP.*)$/;

// The forms that the documentation names: casts of the database take many more, such as `1_000`.
const FORMS = {
  count: "-?[0-9]+(\\.0+)?",
  amount: "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?",
  day: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
  timestamp: "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?Z?)?",
} as const;

function otherForm(name: string, form: keyof typeof FORMS): string {
  return `NOT regexp_full_match(CAST(${name} AS VARCHAR), '${FORMS[form]}')`;
}

/** A column as a number, as SQL; only once its form was looked at. */
export function numberOf(name: string, stored: string): string {
  return `TRY_CAST(${NUMBERS.test(stored) ? name : `CAST(${name} AS VARCHAR)`} AS DOUBLE)`;
}

function numberRules({ name, type }: FactColumn, stored: string): FactRule[] {
  const number = numberOf(name, stored);
  const form = NUMBERS.test(stored)
    ? `NOT isfinite(${number})`
    : otherForm(name, type === "count" ? "count" : "amount");
  const negative = { broken: `${number} < 0`, says: "is negative" };
  if (type === "count") {
    return [
      { broken: `(${form} OR ${number} <> floor(${number}))`, says: "is no whole number" },
      negative,
      { broken: `${number} > ${MAX_COUNT}`, says: `is larger than ${MAX_COUNT}` },
    ];
  }
  return [
    { broken: form, says: "is no number" },
    ...(type === "amount" ? [negative] : []),
    { broken: `abs(${number}) > ${MAX_USD}`, says: `is larger than ${MAX_USD}` },
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
      says: "is no timestamp (YYYY-MM-DD HH:MM:SS)",
    }];
  }
  const day = `TRY_CAST(${text} AS DATE)`;
  return [
    {
      broken: `(${form} OR ${day} IS NULL OR ${moment} <> ${day})`,
      says: "is no calendar day (YYYY-MM-DD)",
    },
    {
      broken: `NOT ${day} BETWEEN DATE '${FIRST_DAY}' AND DATE '${LAST_DAY}'`,
      says: `is out of range, which is ${FIRST_DAY} to ${LAST_DAY}`,
    },
  ];
}

// What a request trims or refuses at the end of an id: JavaScript's \s.
const BLANK = "[\\s\\v\\p{Z}\\x{FEFF}]";

function textRules({ name, type }: FactColumn): FactRule[] {
  const text = `CAST(${name} AS VARCHAR)`;
  const empty = { broken: `${text} = ''`, says: "is empty" };
  if (type === "text") return [empty];
  return [empty, {
    broken: `(contains(${text}, ',') OR ${text} IN ('all', '.', '..')
      OR regexp_matches(${text}, '^${BLANK}|${BLANK}$'))`,
    says: "is no id that a request can name: no comma, no blank at an end, not all, . or ..",
  }];
}

/** The rules of a column whose values are stored as a type of the database, the first one first. */
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
