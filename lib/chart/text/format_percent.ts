import { formatNumber } from "./format_number.ts";

/** A fraction as percent: 0.1234 is `12.3%`. */
export function formatPercent(fraction: number): string {
  return `${formatNumber(fraction * 100)}%`;
}

/** A change as percent, with its sign: 0.05 is `+5%`. */
export function formatChange(fraction: number): string {
  return `${fraction > 0 ? "+" : ""}${formatPercent(fraction)}`;
}
