/** The quantity that a number measures. The quantity determines the format of the number. */
export type Unit = "usd" | "change" | "fraction" | "count";

/** A number format: options of `Intl.NumberFormat`, or a function that formats a number. */
export type NumberFormat = Intl.NumberFormatOptions | ((value: number) => string);

/** The unit and format of the numbers of a chart. */
export type NumberStyle = Parameters<typeof formatterFor>[1];

/** Returns a count with its noun: `1 chain`, `3 chains`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Returns an `Intl.NumberFormat`. Creating a number format is slow, so each format is created once, on first use. */
function intl(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format;
}

/** Formats a number, with the minus sign `−` in place of a hyphen. */
function write(value: number, locale: string, options: Intl.NumberFormatOptions): string {
  return intl(locale, options).format(value === 0 ? 0 : value).replace("-", "−");
}

const LARGEST = 999.5e12;
const SMALLEST = 1e-4;
const MONEY = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;

function optionsOf(unit: Unit): Intl.NumberFormatOptions {
  if (unit === "usd") return MONEY;
  if (unit === "fraction") return { style: "percent" };
  if (unit === "change") return { style: "percent", signDisplay: "exceptZero" };
  return {};
}

/** Formats one value with three significant digits: `$1.23M`, `+5%`, `5%`, `1.2M`. */
export function formatValue(
  value: number,
  unit: "usd" | "change" | "fraction" | "count",
  locale = "en-US",
): string {
  const options = optionsOf(unit);
  const size = Math.abs(value) * (options.style === "percent" ? 100 : 1);
  if (size !== 0 && (size >= LARGEST || size < SMALLEST)) {
    const [digits, power] = size.toExponential(1).split("e") as [string, string];
    const number = `${digits.replace(/\.0$/, "")}e${power.replace("+", "").replace("-", "−")}`;
    const sign = value < 0 ? "−" : unit === "change" ? "+" : "";
    return `${sign}${unit === "usd" ? "$" : ""}${number}${options.style === "percent" ? "%" : ""}`;
  }
  if (options.style === "percent" && size < 1e5) {
    return write(value, locale, {
      ...options,
      ...size >= 0.995
        ? { maximumFractionDigits: size >= 999.95 ? 0 : 1 }
        : { maximumSignificantDigits: 2 },
    });
  }
  return write(value, locale, {
    ...options,
    notation: "compact",
    minimumFractionDigits: 0,
    maximumSignificantDigits: 3,
  });
}

/** Returns the number of decimals that the smallest number needs to be readable. */
function decimalsFor(sizes: readonly number[]): number {
  if (sizes.every((size) => Math.abs(size - Math.round(size)) < 1e-9)) return 0;
  const least = Math.min(...sizes);
  return least >= 99.5 ? 0 : least >= 0.095 ? 1 : least >= 0.0095 ? 2 : 4;
}

/** The maximum number of significant digits with which nearly equal numbers are written. */
const MOST_DIGITS = 6;

/**
 * Returns the number of decimals that are needed to distinguish numbers. Evenly spaced numbers, such as ticks, need the
 * decimals of their step. Other numbers need enough decimals to distinguish two numbers whose difference is half of the
 * range.
 */
function decimalsApart(values: readonly number[]): number {
  const sorted = [...new Set(values)].toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((value, index) => value - sorted[index]!);
  const [step] = gaps;
  if (step === undefined) return 0;
  const largest = Math.max(...values.map(Math.abs));
  const most = Math.max(0, MOST_DIGITS - 1 - Math.floor(Math.log10(largest)));
  if (gaps.length > 1 && gaps.every((gap) => Math.abs(gap / step - 1) < 1e-6)) {
    for (let digits = 0; digits <= most; digits++) {
      const size = step * 10 ** digits;
      if (Math.abs(size - Math.round(size)) < 1e-6 * size) return digits;
    }
  }
  const range = sorted.at(-1)! - sorted[0]!;
  return Math.min(most, Math.max(0, Math.ceil(-Math.log10(range / 2) - 1e-9)));
}

function fixed(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

/**
 * Returns a function that formats percentages. The texts have thousands separators, and as many decimals as the
 * smallest percentage needs.
 */
function percents(values: readonly number[], { unit, locale }: NumberStyle) {
  const sizes = values.flatMap((value) => value === 0 ? [] : [Math.abs(value) * 100]);
  const apart = decimalsApart(values.map((value) => value * 100));
  const digits = Math.max(apart, Math.min(Math.max(...sizes) < 2 ? 2 : 1, decimalsFor(sizes)));
  const least = 0.5 * 10 ** -digits / 100;
  return (value: number) => {
    if (value !== 0 && Math.abs(value) < least) {
      const options = { style: "percent", ...fixed(digits) } as const;
      return `${value < 0 ? ">−" : "<"}${write(2 * least, locale, options)}`;
    }
    const whole = apart === 0 && Math.abs(value) >= 1 && value % 1 !== 0;
    return write(value, locale, { ...optionsOf(unit), ...fixed(whole ? 0 : digits) });
  };
}

const STEPS = [1e12, 1e9, 1e6, 1e3];

/**
 * Returns a function that formats numbers. If the sizes of the numbers are similar, all numbers have the same suffix:
 * `$41.2M`, `$0.8M`. Otherwise, each number has the suffix for its size.
 */
function shortNumbers(values: readonly number[], { unit, locale }: NumberStyle) {
  const sizes = values.flatMap((value) => value === 0 ? [] : [Math.abs(value)]);
  const options = optionsOf(unit);
  const most = Math.max(...sizes);
  const step = STEPS.find((step) => most >= step * 0.9995) ?? 1;
  const scaled = sizes.map((size) => size / step);
  const compact = intl(locale, { ...options, notation: "compact", maximumFractionDigits: 0 });
  // In languages that group digits by ten thousand, each number has the suffix for its size.
  const own = compact.formatToParts(step).find(({ type }) => type === "integer")?.value !== "1";
  // If the largest amount is hundreds of dollars, amounts are written without cents.
  const apart = decimalsApart(values.map((value) => value / step));
  const cents = apart === 0 && unit === "usd" && step === 1 && most >= 99.5 &&
    decimalsFor(scaled) > 0;
  if (own || cents || Math.min(...scaled) < (step === 1000 ? 0.95 : 0.095)) {
    const short = { ...options, notation: "compact" as const };
    // True if every number has only one nonzero digit, as in 200 or 0.1.
    const round = sizes.every((size) => String(size).replace(/e.*|[0.]/g, "").length === 1);
    // Some languages have no short word for a thousand.
    const words = (step: number) =>
      intl(locale, short).formatToParts(step).some(({ type }) => type === "compact");
    const whole = words(1000) ? 999.5 : 999_500;
    return (value: number) => {
      const size = Math.abs(value);
      if (size < 9.95) return formatValue(value, unit, locale);
      const lead = size / 1000 ** Math.floor(Math.log10(size * 1.0005) / 3);
      return write(value, locale, {
        ...short,
        ...fixed(round || size < whole || lead >= 99.95 ? 0 : 1),
      });
    };
  }
  const decimals = Math.max(apart, decimalsFor(scaled));
  // Dollars with cents have two decimals.
  const digits = unit === "usd" && step === 1 && decimals === 1 ? 2 : decimals;
  if (step === 1) return (value: number) => write(value, locale, { ...options, ...fixed(digits) });
  return (value: number) => {
    const number = intl(locale, fixed(digits)).format(Math.abs(value) / step);
    const parts = compact.formatToParts(value < 0 ? -step : step);
    return parts.map((part) => part.type === "integer" ? number : part.value).join("")
      .replace("-", "−");
  };
}

/** Returns a function that formats the numbers of one chart or axis, all with the same precision. */
export function formatterFor(
  values: readonly (number | null)[],
  style: {
    /** The quantity that the numbers measure. */
    readonly unit: "usd" | "change" | "fraction" | "count";
    /** The language of the numbers, such as `"en-US"`. */
    readonly locale: string;
    /** Options of `Intl.NumberFormat`, or a function that formats a number. */
    readonly format?: Intl.NumberFormatOptions | ((value: number) => string) | undefined;
  },
): (value: number) => string {
  const { unit, locale, format } = style;
  if (typeof format === "function") return format;
  if (format !== undefined) return (value) => write(value, locale, format);
  const percent = unit === "fraction" || unit === "change";
  const sizes = values.flatMap((value) => value === null || value === 0 ? [] : [Math.abs(value)]);
  if (sizes.length === 0) return (value) => formatValue(value, unit, locale);
  const largest = Math.max(...sizes) * (percent ? 100 : 1);
  if (largest >= (percent ? 1e5 : LARGEST) || (!percent && Math.min(...sizes) < SMALLEST)) {
    return (value) => formatValue(value, unit, locale);
  }
  const known = values.flatMap((value) => value ?? []);
  const nonzero = percent ? percents(known, style) : shortNumbers(known, style);
  return (value) => value === 0 ? formatValue(0, unit, locale) : nonzero(value);
}

/** Formats the month of a date in UTC: `Mar 2026`. */
export function formatMonth(date: Date, locale = "en-US"): string {
  return date.toLocaleDateString(locale, { month: "short", year: "numeric", timeZone: "UTC" });
}

/** Formats a day in UTC: `30 Jun 2026`. */
export function formatDay(date: Date, locale = "en-US"): string {
  const options = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
  return date.toLocaleDateString(locale === "en-US" ? "en-GB" : locale, options);
}

/** Formats a count in full, with thousands separators: `2,130`. */
export function formatCount(value: number, locale = "en-US"): string {
  return write(value, locale, { maximumFractionDigits: 0 });
}
