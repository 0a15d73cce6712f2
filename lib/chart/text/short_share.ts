import { formatPercent } from "./format_percent.ts";

/** A share for a narrow cell: whole percents from ten on, two digits below. */
export function shortShare(share: number): string {
  return Math.abs(share) >= 0.0995 && Math.abs(share) < 10
    ? `${Math.round(share * 100)}%`
    : formatPercent(Number(share.toPrecision(2)));
}
