/** How an amount of US dollars is kept: nine decimals, added exactly. */
export const USD = "DECIMAL(38, 9)";

/**
 * Macros that read an amount from its text, to nine decimals, half away from zero. A cast of text
 * to 38 digits takes thirty times as long as one to 18, and where there is an exponent it rounds
 * wrongly: so small amounts take the short way, and exponents are written out first.
 */
export const AMOUNT_MACROS = `
CREATE OR REPLACE MACRO amount_exponent(t) AS
  coalesce(TRY_CAST(regexp_extract(t, '[eE]([+-]?[0-9]+)$', 1) AS INTEGER), 0);
CREATE OR REPLACE MACRO amount_digits(t) AS
  replace(regexp_extract(t, '^-?([0-9.]+)', 1), '.', '');
CREATE OR REPLACE MACRO amount_whole(t) AS length(regexp_extract(t, '^-?([0-9]+)', 1));
CREATE OR REPLACE MACRO amount_shifted(digits, point) AS
  CASE WHEN point <= 0 THEN '0.' || repeat('0', -point) || digits
    WHEN point >= length(digits) THEN digits || repeat('0', point - length(digits))
    ELSE left(digits, point) || '.' || substring(digits, point + 1) END;
CREATE OR REPLACE MACRO amount_plain(t) AS
  CASE WHEN regexp_matches(t, '[eE]') THEN CASE WHEN t LIKE '-%' THEN '-' ELSE '' END
    || amount_shifted(amount_digits(t), amount_whole(t) + amount_exponent(t)) ELSE t END;
CREATE OR REPLACE MACRO amount_of_plain(t) AS
  coalesce(CAST(TRY_CAST(t AS DECIMAL(18, 9)) AS ${USD}), CAST(t AS ${USD}));
CREATE OR REPLACE MACRO amount_of_text(t) AS amount_of_plain(amount_plain(t));
-- Below four million neighbouring doubles stand closer than 1e-9: what comes back is the value.
CREATE OR REPLACE MACRO amount_of_double(x) AS
  CASE WHEN abs(x) < 4e6 AND CAST(TRY_CAST(x AS DECIMAL(18, 9)) AS DOUBLE) = x
    THEN CAST(TRY_CAST(x AS DECIMAL(18, 9)) AS ${USD})
    ELSE amount_of_text(CAST(x AS VARCHAR)) END;
CREATE OR REPLACE MACRO amount_is_rounded(t) AS regexp_matches(amount_plain(t), '\\.[0-9]{9}[0-9]*[1-9]');
`;

const EXACT = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|^DECIMAL\(\d+, ?[0-9]\)$/;
const SHORT = /^DECIMAL\((\d|1[0-8]), ?[0-9]\)$/;

/** SQL of a column of a type as an amount, with nine decimals. */
export function amountOf(column: string, type: string): string {
  if (EXACT.test(type)) return `CAST(${column} AS ${USD})`;
  if (type === "DOUBLE") return `amount_of_double(${column})`;
  return `amount_of_text(CAST(${column} AS VARCHAR))`;
}

/** The same of what is only added up: 64 bits that are exact as they are take half the time. */
export function addendOf(column: string, type: string): string {
  return SHORT.test(type) ? column : amountOf(column, type);
}

/** SQL that is true where an amount has more than nine decimals; null when a type never has. */
export function isRounded(column: string, type: string): string | null {
  if (EXACT.test(type)) return null;
  const text = `amount_is_rounded(CAST(${column} AS VARCHAR))`;
  if (type !== "DOUBLE") return text;
  const short = `CAST(TRY_CAST(${column} AS DECIMAL(18, 9)) AS DOUBLE)`;
  return `CASE WHEN abs(${column}) < 4e6 AND ${short} = ${column} THEN false ELSE ${text} END`;
}
