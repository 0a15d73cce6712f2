import { numberFormat } from "../platform/locale.ts";

/** The quantity that a number measures, which determines the format of the number, or a unit that follows the number. */
export type NumberUnit = "usd" | "change" | "fraction" | "count" | (string & Record<never, never>);

/** The unit of differences of fractions, which are written as percentage points: `+3.2 points`. */
export const POINTS = "fraction points";

/** A number format: options of `Intl.NumberFormat`, or a function that formats a number. */
export type NumberFormat = Intl.NumberFormatOptions | ((value: number) => string);

/** The unit and format of the numbers of a chart. */
export interface NumberStyle {
  /** The quantity that the numbers measure, or a unit of your own that follows each number. */
  readonly unit: NumberUnit;
  /** The language of the numbers, such as `"en-US"`. */
  readonly locale: string;
  /** Options of `Intl.NumberFormat`, or a function that formats a number. */
  readonly format?: Intl.NumberFormatOptions | ((value: number) => string) | undefined;
}

/**
 * How precisely numbers are written:
 *
 * - `values` that belong together have equal decimals: as many as they need, and at most those with which the largest
 *   has three digits. With a letter, a number has one decimal below 100, and none from 100 on
 * - `exact` numbers have three digits each, as in a tooltip
 * - `ticks` of an axis are written as they are, with equal decimals for each letter
 * - `each` is for ticks of a logarithmic axis, which have decimals of their own
 * - `whole` numbers have no decimals
 */
export type Precision = "values" | "exact" | "ticks" | "each" | "whole";

/** Formats a number, with the minus sign `−` in place of a hyphen. */
export function write(value: number, locale: string, options: Intl.NumberFormatOptions): string {
  return numberFormat(locale, options).format(value === 0 ? 0 : value).replace("-", "−");
}

/** The rules for the numbers of a unit. */
interface Kind {
  readonly options: Intl.NumberFormatOptions;
  /** The digits that are written are those of the value times this number. */
  readonly times: number;
  /** The text that follows a number. */
  readonly after: string;
  /** The fewest decimals of a number that has decimals. */
  readonly fewest: number;
  /** Returns the most decimals of values, by the size of the largest. */
  readonly most: (largest: number) => number;
  /** Numbers of this size have a letter, such as K. */
  readonly letterFrom: number;
  /** Numbers below this size are written as powers of ten. */
  readonly smallest: number;
}

/** Returns the number of decimals with which a number has three digits. */
function threeDigits(size: number): number {
  return size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
}

const COUNT: Kind = {
  ...{ options: {}, times: 1, after: "", fewest: 0, letterFrom: 1000, smallest: 1e-4 },
  most: threeDigits,
};
const PERCENT: Kind = {
  ...COUNT,
  ...{ options: { style: "percent" }, times: 100, letterFrom: 1e5 },
  most: (largest) => Math.min(threeDigits(largest), largest < 1 ? 2 : 1),
};
const SIGNED = { signDisplay: "exceptZero" } as const;
const KINDS: Readonly<Record<string, Kind>> = {
  count: COUNT,
  usd: {
    ...COUNT,
    options: { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" },
    ...{ fewest: 2, smallest: 1e-7 },
  },
  fraction: PERCENT,
  change: { ...PERCENT, options: { ...PERCENT.options, ...SIGNED } },
  [POINTS]: {
    ...PERCENT,
    ...{ options: SIGNED, after: " points", most: (largest) => largest < 10 ? 1 : 0 },
  },
};

/** Numbers of this size are written as powers of ten. */
const LARGEST = 999.5e12;
/** Most decimals of a tick, so that an error of the last bit is not written. */
const MOST_DECIMALS = 9;

/** Writes a number as a multiple of a power of ten: `3×10⁻⁵`. */
function powerText(size: number): string {
  if (!Number.isFinite(size)) return "∞";
  const [digits, power] = size.toExponential(1).split("e") as [string, string];
  const raised = power.replace("+", "").replace("-", "⁻")
    .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]!);
  return `${digits.replace(/\.0$/, "")}×10${raised}`;
}

/** Returns the number of decimals that a number needs, at most `most`. */
function decimalsOf(digits: number, most: number): number {
  return digits.toFixed(Math.min(most, 100)).replace(/\.?0*$/, "").split(".")[1]?.length ?? 0;
}

/** A number as it is written: its digits, without sign, and its letter. The letter is empty if it has none. */
interface Written {
  readonly value: number;
  readonly digits: number;
  readonly letter: string;
}

/** Returns the digits and the letter of a number in a language. */
function writtenOf(value: number, { times, letterFrom }: Kind, locale: string): Written {
  const size = Math.abs(value) * times;
  const plain = { value, digits: size, letter: "" };
  if (size < letterFrom * (1 - 1e-12)) return plain;
  const parts = numberFormat(locale, {
    ...{ numberingSystem: "latn", notation: "compact", maximumFractionDigits: MOST_DECIMALS },
  }).formatToParts(size);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  const letter = of("compact");
  if (letter === "") return plain;
  return { value, letter, digits: Number(`${of("integer")}.${of("fraction") || 0}`) };
}

/** Returns the number of decimals with which a number is written. `group` are the numbers with the same letter. */
function decimalsFor(
  { digits, letter }: Written,
  group: readonly Written[],
  { kind, precision }: { readonly kind: Kind; readonly precision: Precision },
): number {
  const needed = (most: number) =>
    Math.max(0, ...group.map(({ digits }) => decimalsOf(digits, most)));
  switch (precision) {
    case "ticks":
      return needed(MOST_DECIMALS);
    case "each":
      return decimalsOf(digits, MOST_DECIMALS);
    case "exact":
      return decimalsOf(digits, threeDigits(digits));
  }
  if (letter !== "") return digits < 99.95 ? 1 : 0;
  if (precision === "whole") return 0;
  const sizes = group.map(({ digits }) => digits).filter((digits) => digits < LARGEST);
  const largest = Math.max(0, ...sizes);
  const most = kind.most(largest);
  return largest < 10 ** -most ? most : needed(most);
}

/** Returns a function that writes one number of a unit with some decimals. */
function writerOf(kind: Kind, locale: string) {
  const { options, times, after, fewest } = kind;
  const isWhole = (text: string) => /^[+−]?1$/.test(text);
  return ({ value, letter }: Written, decimals: number, more: Intl.NumberFormatOptions = {}) => {
    const count = decimals === 0 || letter !== "" ? decimals : Math.max(fewest, decimals);
    const text = write(options.style === "percent" ? value : value * times, locale, {
      ...options,
      ...letter !== "" && { notation: "compact" as const },
      ...{ minimumFractionDigits: count, maximumFractionDigits: count },
      ...more,
    });
    return text + (isWhole(text) ? after.replace(/ points$/, " point") : after);
  };
}

/**
 * Returns a function that writes numbers: `$10.8M`, `+5%`, `5%`, `1.2M EUR`. `values` are the numbers that belong
 * together, such as the values of a chart or the ticks of an axis. A value that would be written as zero is written as
 * `<0.1%`, unless it is zero.
 */
export function numbersOf(
  values: readonly (number | null)[],
  { unit, locale, format }: NumberStyle,
  precision: Precision = "values",
): (value: number) => string {
  if (typeof format === "function") return format;
  if (format !== undefined) return (value) => write(value, locale, format);
  const kind = hasFormat(unit) ? KINDS[unit]! : { ...COUNT, after: ` ${unit}` };
  const known = values.flatMap((value) =>
    value === null || !Number.isFinite(value) ? [] : [writtenOf(value, kind, locale)]
  );
  const groups = Map.groupBy(known, ({ letter }) => letter);
  // The name of an axis says that its ticks are points.
  const text = writerOf(
    unit === POINTS && /ticks|each/.test(precision) ? { ...kind, after: "" } : kind,
    locale,
  );
  const together = precision === "values" || precision === "whole";
  // Beside larger values, a small value is written as `<0.1`.
  const isAmong = together &&
    (kind.times !== 1 || known.some(({ digits }) => digits >= kind.smallest));
  // A loss of nearly everything is not written as a loss of everything.
  const nearly = (value: number, digits: number, decimals: number) =>
    unit !== "change" || value <= -1 || value > -0.9 ? 0 : Math.max(
      0,
      Array.from({ length: MOST_DECIMALS - decimals }, (_, more) => more)
        .findIndex((more) => Number(digits.toFixed(decimals + more)) < 100),
    );
  const power = (value: number) =>
    text({ value: Math.sign(value) / kind.times, digits: 1, letter: "" }, 0)
      .replace(/1/, powerText(Math.abs(value) * kind.times));
  const writeOne = (one: Written): string => {
    const { value, digits, letter } = one;
    if (value === 0) return text(one, 0);
    const size = Math.abs(value) * kind.times;
    if (size >= LARGEST || size < kind.smallest && !isAmong) return power(value);
    const decimals = decimalsFor(one, groups.get(letter) ?? [one], { kind, precision });
    // 999,960 is 1.0M.
    if (decimals === 0 && digits >= 999.5 && digits < 1000) {
      return writeOne(writtenOf(Number(value.toPrecision(3)), kind, locale));
    }
    const step = 10 ** -decimals;
    const isSmall = together && letter === "" && digits < step * (1 - 1e-9);
    // Beside larger numbers, a small one has digits of its own, and a small percentage is below a part of a percent.
    if (isSmall && kind.times === 1) {
      return size < kind.smallest
        ? power(value)
        : text(one, decimalsOf(digits, threeDigits(digits)));
    }
    if (isSmall && unit !== POINTS) {
      const least = { value: Math.sign(value) * step / kind.times, digits: step, letter };
      return (value < 0 ? ">" : "<") + text(least, decimals, { signDisplay: "auto" });
    }
    return text(one, decimals + nearly(value, digits, decimals));
  };
  return (value) => Number.isFinite(value) ? writeOne(writtenOf(value, kind, locale)) : "no value";
}

/** Returns whether a unit has a format. Any other unit follows each number, or is in the name of an axis. */
export function hasFormat(unit: NumberUnit): boolean {
  return Object.hasOwn(KINDS, unit);
}

/** Reciprocals with a letter of their own. */
const FRACTIONS: Readonly<Record<number, string>> = { 2: "½", 3: "⅓", 4: "¼", 5: "⅕" };

/** Writes a ratio as a factor: `×3`, `×⅓`, `×1/30`. */
export function factorText(ratio: number, locale: string): string {
  const whole = Math.round(1 / ratio);
  if (ratio < 1 && Math.abs(whole * ratio - 1) < 1e-9) {
    return `×${FRACTIONS[whole] ?? `1/${whole}`}`;
  }
  return `×${numbersOf([], { unit: "count", locale }, "exact")(ratio)}`;
}
