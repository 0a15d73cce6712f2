/** The SQL type of amounts in US dollars. It has nine decimals, so that sums are exact. */
export const USD = "DECIMAL(38, 9)";

/**
 * Defines macros that parse an amount from text and round it to nine decimals, half away from zero.
 *
 * Casting text to a decimal of 38 digits takes thirty times as long as casting it to 18 digits, and rounds text with
 * an exponent wrongly. So the macros cast small amounts to 18 digits, and first expand exponents (`1e3` to `1000`).
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
-- Below four million, neighboring doubles are closer than 1e-9, so the value is restored exactly.
CREATE OR REPLACE MACRO amount_of_double(x) AS
  CASE WHEN abs(x) < 4e6 AND CAST(TRY_CAST(x AS DECIMAL(18, 9)) AS DOUBLE) = x
    THEN CAST(TRY_CAST(x AS DECIMAL(18, 9)) AS ${USD})
    ELSE amount_of_text(CAST(x AS VARCHAR)) END;
`;

const EXACT = /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|^DECIMAL\(\d+, ?[0-9]\)$/;
const SHORT = /^DECIMAL\((\d|1[0-8]), ?[0-9]\)$/;

/** Returns SQL that converts a column to an amount with nine decimals. `type` is the SQL type of the column. */
export function amountOf(column: string, type: string): string {
  if (EXACT.test(type)) return `CAST(${column} AS ${USD})`;
  if (type === "DOUBLE") return `amount_of_double(${column})`;
  return `amount_of_text(CAST(${column} AS VARCHAR))`;
}

/**
 * Returns SQL of a column of amounts for use in a sum. Decimals of at most 18 digits are not converted, because adding
 * short decimals takes half the time.
 */
export function addendOf(column: string, type: string): string {
  return SHORT.test(type) ? column : amountOf(column, type);
}
