import type { Unit } from "./field_words.ts";

/** A count with its noun: `1 chain`, `3 chains`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const SCALES = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]] as const;

/** Three significant digits, without trailing zeros. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function unsigned(value: number): string {
  if (value === 0) return "0";
  if (value >= 999.5e12 || value < 1e-4) {
    return value.toExponential(1).replace(".0e", "e").replace("e+", "e").replace("e-", "e−");
  }
  const [divisor, suffix] = SCALES.find(([scale]) => value >= scale * 0.9995) ?? [1, ""];
  return `${short(value / divisor)}${suffix}`;
}

/** A number for people: 1234567 is `1.23M`, and a negative one has a true minus sign. */
export function formatNumber(value: number): string {
  return value < 0 ? `−${unsigned(-value)}` : unsigned(value);
}

/** One decimal from one percent on, two digits below, thousands apart. */
function unsignedPercent(percent: number): string {
  if (percent >= 1e5) return formatNumber(percent);
  if (percent >= 999.95) return percent.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
  if (percent >= 0.995) return String(Number(percent.toFixed(1)));
  return formatNumber(Number(percent.toPrecision(2)));
}

/** A fraction as percent: 0.1234 is `12.3%`. */
export function formatPercent(fraction: number): string {
  const percent = fraction * 100;
  return `${percent < 0 ? "−" : ""}${unsignedPercent(Math.abs(percent))}%`;
}

/** A change as percent, with its sign: 0.05 is `+5%`. */
export function formatChange(fraction: number): string {
  return `${fraction > 0 ? "+" : ""}${formatPercent(fraction)}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The month of a date in UTC: `Mar 2026`. */
export function formatMonth(date: Date): string {
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** A share for a narrow cell: whole percents from ten on, two digits below. */
export function shortShare(share: number): string {
  return Math.abs(share) >= 0.0995 && Math.abs(share) < 10
    ? `${Math.round(share * 100)}%`
    : formatPercent(Number(share.toPrecision(2)));
}

/** A value with its unit: `$1.2M`, `+5%`, `5%`, `1.2M`. */
export function formatValue(value: number, unit: Unit): string {
  if (unit === "change") return formatChange(value);
  if (unit === "share") return formatPercent(value);
  if (unit === "count") return formatNumber(value);
  return value < 0 ? `−$${formatNumber(-value)}` : `$${formatNumber(value)}`;
}
