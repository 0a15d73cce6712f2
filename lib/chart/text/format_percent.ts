import { formatNumber } from "./format_number.ts";

/** One decimal from one percent on, two digits below, thousands apart. */
function unsigned(percent: number): string {
  if (percent >= 1e5) return formatNumber(percent);
  if (percent >= 999.95) return percent.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
  if (percent >= 0.995) return String(Number(percent.toFixed(1)));
  return formatNumber(Number(percent.toPrecision(2)));
}

/** A fraction as percent: 0.1234 is `12.3%`. */
export function formatPercent(fraction: number): string {
  const percent = fraction * 100;
  return `${percent < 0 ? "−" : ""}${unsigned(Math.abs(percent))}%`;
}

/** A change as percent, with its sign: 0.05 is `+5%`. */
export function formatChange(fraction: number): string {
  return `${fraction > 0 ? "+" : ""}${formatPercent(fraction)}`;
}
