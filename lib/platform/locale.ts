import type { Rule } from "./check_options.ts";

/** Accepts a language of `Intl`, such as `de` or `en-GB`. Returns its canonical form. */
export const aLocale: Rule<string> = (value, refuse) => {
  try {
    return Intl.getCanonicalLocales(value as string)[0] ?? refuse("must name a language");
  } catch {
    return refuse("must be a language of Intl, such as en-GB");
  }
};

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

/** Returns a number format of a language. Creating one is slow, so each is created once, on first use. */
export function numberFormat(
  locale: string,
  options: Intl.NumberFormatOptions,
): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  const format = numbers.get(key) ?? new Intl.NumberFormat(locale, options);
  numbers.set(key, format);
  return format;
}

/** Returns a date format of a language in UTC. Creating one is slow, so each is created once, on first use. */
export function dateFormat(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const format = dates.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  dates.set(key, format);
  return format;
}
