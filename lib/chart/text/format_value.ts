import type { Unit } from "./field_words.ts";
import { formatNumber } from "./format_number.ts";
import { formatChange, formatPercent } from "./format_percent.ts";

/** A value with its unit: `$1.2M`, `+5%`, `5%`, `1.2M`. */
export function formatValue(value: number, unit: Unit): string {
  if (unit === "change") return formatChange(value);
  if (unit === "share") return formatPercent(value);
  if (unit === "count") return formatNumber(value);
  return value < 0 ? `−$${formatNumber(-value)}` : `$${formatNumber(value)}`;
}
