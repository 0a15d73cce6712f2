/** The quantity that a number measures, which determines the format of the number, or a unit that follows the number. */
export type NumberUnit = "usd" | "change" | "fraction" | "count" | (string & Record<never, never>);

/** A number format: options of `Intl.NumberFormat`, or a function that formats a number. */
export type NumberFormat = Intl.NumberFormatOptions | ((value: number) => string);

/** The unit and format of the numbers of a chart. */
export type NumberStyle = Parameters<typeof formatterFor>[0];

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
/** The number of significant digits of a value. */
const DIGITS = 3;
/** Shares below this are written as `<0.1%`. */
const LEAST = 0.001;

const OPTIONS: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  usd: { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" },
  fraction: { style: "percent" },
  change: { style: "percent", signDisplay: "exceptZero" },
};

/** Formats one value with a number of significant digits, and for an axis exactly. A unit of the user's own follows. */
function written(value: number, unit: NumberUnit, locale: string, digits = DIGITS): string {
  const options = OPTIONS[unit] ?? {};
  const percent = options.style === "percent";
  const own = unit in OPTIONS || unit === "count" ? "" : ` ${unit}`;
  const size = Math.abs(value) * (percent ? 100 : 1);
  if (size !== 0 && (size >= LARGEST || size < SMALLEST)) {
    const [digits, power] = size.toExponential(1).split("e") as [string, string];
    const number = `${digits.replace(/\.0$/, "")}e${power.replace("+", "").replace("-", "−")}`;
    const sign = value < 0 ? "−" : unit === "change" ? "+" : "";
    return `${sign}${unit === "usd" ? "$" : ""}${number}${percent ? "%" : ""}${own}`;
  }
  // A loss of nearly everything is not written as a loss of everything.
  const nearly = unit === "change" && value > -1 && value < -0.9995 ? 2 - Math.log10(1 + value) : 0;
  return write(value, locale, {
    ...options,
    ...percent && size < 1e5 ? {} : { notation: "compact", minimumFractionDigits: 0 },
    ...percent && size >= 10 ** digits && size < 1e5
      ? { maximumFractionDigits: 0 }
      : { maximumSignificantDigits: Math.max(digits, Math.ceil(nearly)) },
  }) + own;
}

/**
 * Formats one value with three significant digits: `$1.23M`, `+5%`, `5%`, `1.2M`, `1.2M EUR`. Percentages between 0 and
 * 0.1 are written as `<0.1%`.
 */
export function formatValue(value: number, unit: NumberUnit, locale = "en-US"): string {
  const percent = unit === "fraction" || unit === "change";
  if (!percent || value === 0 || Math.abs(value) >= LEAST) return written(value, unit, locale);
  return `${value < 0 ? ">" : "<"}${written(Math.sign(value) * LEAST, "fraction", locale)}`;
}

/** Returns a function that formats numbers as `formatValue` does, or in a format of your own. */
export function formatterFor(
  { unit, locale, format }: {
    /** The quantity that the numbers measure, or a unit of your own that follows each number. */
    readonly unit: NumberUnit;
    /** The language of the numbers, such as `"en-US"`. */
    readonly locale: string;
    /** Options of `Intl.NumberFormat`, or a function that formats a number. */
    readonly format?: Intl.NumberFormatOptions | ((value: number) => string) | undefined;
  },
): (value: number) => string {
  if (typeof format === "function") return format;
  return (value) =>
    format === undefined ? formatValue(value, unit, locale) : write(value, locale, format);
}

/** Returns a function that formats the ticks of an axis exactly, or in the format of the style. */
export function tickFormatterFor(
  ticks: readonly number[],
  style: NumberStyle,
): (value: number) => string {
  if (style.format !== undefined) return formatterFor(style);
  const isExact = (digits: number) =>
    ticks.every((value) =>
      Math.abs(Number(value.toPrecision(digits)) - value) <= 1e-12 * Math.abs(value)
    );
  const digits = [3, 4, 5, 6, 7, 8].find(isExact) ?? 9;
  return (value) => written(value, style.unit, style.locale, digits);
}

/** Returns a function that writes fractions as percentage points with a sign, all with the same precision. */
export function pointsFor(
  values: readonly (number | null)[],
  locale: string,
): (value: number) => string {
  const largest = Math.max(...values.map((value) => Math.abs(100 * (value ?? 0))));
  const digits = largest < 10 ? 1 : 0;
  const options = {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "exceptZero",
  } as const;
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
