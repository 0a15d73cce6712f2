/** The quantity that a number measures. The quantity determines the format of the number. */
export type Unit = "usd" | "change" | "fraction" | "count";

/** A number format: options of `Intl.NumberFormat`, or a function that formats a number. */
export type NumberFormat = Intl.NumberFormatOptions | ((value: number) => string);

/** The unit and format of the numbers of a chart. */
export type NumberStyle = Parameters<typeof formatterFor>[1];

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

function fixed(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}

/** The maximum number of decimals for the sake of small numbers, and in all. */
const MOST_SMALL = 3;
const MOST_DECIMALS = 6;
const DECIMALS = [0, 1, 2, 3, 4, 5, 6];

/** Returns how many decimals write all numbers exactly, at most `most`. */
function exactDecimals(sizes: readonly number[], most: number): number {
  for (let digits = 0; digits < most; digits++) {
    const scaled = sizes.map((size) => size * 10 ** digits);
    if (scaled.every((size) => Math.abs(size - Math.round(size)) < 1e-9 * size)) return digits;
  }
  return most;
}

/** Returns how many decimals the smallest number needs for two significant digits. */
function decimalsFor(sizes: readonly number[]): number {
  const least = Number(Math.min(...sizes).toPrecision(2));
  const digits = Math.max(0, 1 - Math.floor(Math.log10(least)));
  return exactDecimals(sizes, Math.min(digits, MOST_SMALL));
}

/**
 * Returns the maximum number of decimals of percentages. The largest percentage below 100 has three digits, or four if
 * all percentages are nearly equal.
 */
function percentDecimals(sizes: readonly number[]): number {
  const most = Math.max(...sizes.filter((size) => size < 99.95));
  if (most <= 0) return 0;
  const nearly = Math.min(...sizes) > 0.9 * most ? 1 : 0;
  return Math.min(MOST_SMALL, Math.max(0, 2 - Math.floor(Math.log10(most)))) + nearly;
}

/** Returns whether numbers are evenly spaced and have few digits, as ticks do. Ticks are written exactly. */
function areTicks(values: readonly number[]): boolean {
  if (values.some((value) => Math.abs(Number(value.toPrecision(9)) / value - 1) > 1e-12)) {
    return false;
  }
  const sorted = values.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((value, index) => value - sorted[index]!);
  return gaps.length > 1 && gaps.every((gap) => Math.abs(gap / gaps[0]! - 1) < 1e-6);
}

/** Returns whether two numbers that differ in their first `digits` digits have the same text. */
function areMixed(
  values: readonly number[],
  digits: number,
  write: (value: number) => string,
): boolean {
  const read = new Map<string, string>();
  return values.some((value) => {
    const [text, own] = [write(value), value.toPrecision(digits)];
    const other = read.get(text) ?? own;
    read.set(text, own);
    return other !== own;
  });
}

/** Returns the number that is written before the suffix: 1.5 for 1.5 million. */
function beforeSuffix(value: number, locale: string): number {
  const short = intl(locale, { notation: "compact", maximumFractionDigits: 9 });
  const parts = short.formatToParts(Math.abs(value)).filter(({ type }) => DIGITS.has(type));
  const size = Number(
    parts.map(({ type, value }) => type === "fraction" ? `.${value}` : value)
      .join(""),
  );
  // Some languages have digits of their own.
  return Number.isNaN(size) ? Math.abs(value) : size;
}

const DIGITS = new Set(["integer", "fraction"]);

/** Returns whether a number has only one digit that is not zero, as the ticks of logarithmic axes have. */
function isRound(value: number): boolean {
  return String(value).replace(/e.*|[-0.]/g, "").length === 1;
}

/**
 * Returns a function that formats the numbers of one chart or axis. All numbers have the same number of decimals: as
 * many as the smallest number needs for two significant digits, at most three, and more only where numbers that differ
 * in their first four digits would have the same text. From 100 on, a number has decimals only for this reason.
 * Percentages have at most three digits, or four if all are nearly equal. A single number is written as by `formatValue`.
 */
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
  const single = (value: number) => formatValue(value, unit, locale);
  const known = [...new Set(values)].filter((value) => value !== null && value !== 0) as number[];
  const even = areTicks(values.filter((value) => value !== null));
  const percent = unit === "fraction" || unit === "change";
  const [least, most] = [Math.min(...known.map(Math.abs)), Math.max(...known.map(Math.abs))];
  const apart = most >= 100 * least && known.every(isRound);
  if (known.length < 2 || most >= (percent ? 1e3 : LARGEST) || apart) return single;
  const tries = (percent ? ["standard"] as const : ["compact", "standard"] as const)
    .flatMap((notation) => {
      const sizeOf = (value: number) =>
        notation === "compact"
          ? beforeSuffix(value, locale)
          : Math.abs(value) * (percent ? 100 : 1);
      const sizes = known.map(sizeOf);
      const limit = percent && !even
        ? percentDecimals(sizes)
        : notation === "compact"
        ? MOST_SMALL
        : MOST_DECIMALS;
      const first = even
        ? exactDecimals(sizes, MOST_DECIMALS)
        : Math.min(decimalsFor(sizes), limit);
      return DECIMALS.slice(first, limit + 1).flatMap((digits) =>
        [99.95, Infinity].map((whole) => (value: number) => {
          const small = !percent && Math.abs(value) < 999.5;
          const bare = sizeOf(value) >= whole || small && most >= 999.5 && Number.isInteger(value);
          // Dollars with cents have two decimals.
          const decimals = bare ? 0 : small && unit === "usd" && digits === 1 ? 2 : digits;
          return write(value, locale, { ...optionsOf(unit), notation, ...fixed(decimals) });
        })
      );
    });
  const nonzero = tries.find((write) => !areMixed(known, even ? 12 : 4, write)) ?? tries.at(-1)!;
  return (value) => {
    const text = nonzero(value);
    return /[1-9]/.test(text) ? text : single(value);
  };
}

/** Returns a function that writes fractions as percentage points with a sign, all with the same precision. */
export function pointsFor(
  values: readonly (number | null)[],
  locale: string,
): (value: number) => string {
  const largest = Math.max(...values.map((value) => Math.abs(100 * (value ?? 0))));
  const options = { ...fixed(largest < 10 ? 1 : 0), signDisplay: "exceptZero" } as const;
  return (value) => {
    const text = (100 * value).toLocaleString(locale, options).replace("-", "−");
    return /^[+−]/.test(text) ? text : "0";
  };
}

/** Formats the month of a date in UTC: `Mar 2026`. */
export function formatMonth(date: Date, locale = "en-US"): string {
  return date.toLocaleDateString(locale, { month: "short", year: "numeric", timeZone: "UTC" });
}

/** Formats a day in UTC: `30 Jun 2026`. */
export function formatDay(date: Date, locale = "en-US"): string {
  if (locale === "en-US") return `${date.getUTCDate()} ${formatMonth(date)}`;
  const options = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
  return date.toLocaleDateString(locale, options);
}

/** Formats a count in full, with thousands separators: `2,130`. */
export function formatCount(value: number, locale = "en-US"): string {
  return write(value, locale, { maximumFractionDigits: 0 });
}
