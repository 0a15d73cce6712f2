import type { FigureRow } from "../chart.ts";
import { type Drawn, drawnSeries } from "../colors.ts";
import type { Curve } from "../curves.ts";
import { formatValue } from "../format.ts";
import type { ColoredLook } from "../options.ts";

/** A chart of retention curves: what it says, its lines, and how it looks. */
export interface RetentionView extends ColoredLook {
  readonly height: number;
  /** None when no value is known. */
  readonly lines: readonly Curve[];
  readonly bands: boolean;
  /** Whether the bands would cover each other, so that each line has a panel of its own. */
  readonly apart: boolean;
  /** Whether the lines have an order in time. */
  readonly ordered: boolean;
}

/** A curve as it is drawn. */
export type RetentionLine = Curve & Drawn;

/** The lines of a retention chart, months across, shares up. */
export interface RetentionLines {
  readonly lines: readonly RetentionLine[];
  readonly rows: readonly FigureRow[];
  readonly months: readonly [first: number, last: number];
  /** The bottom and the top of the share axis: zero, unless a value is below it. */
  readonly shares: readonly [bottom: number, top: number];
  /** Whether a forecast is drawn, and the last month that was observed. */
  readonly forecast: boolean;
  readonly observed: number;
  /** What the bands are: `95% interval`. */
  readonly interval: string;
}

/** The next round share above the highest one. */
function ceiling(highest: number): number {
  const step =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((step) => highest <= step * 6) ??
      10 ** Math.floor(Math.log10(highest)) / 2;
  return Math.max(step, Math.ceil(highest / step - 1e-9) * step);
}

/** The confidence of a Wilson score bound, read back from it: it solves (p - l)² = z² l (1 - l) / n. */
function confidenceReadBack(lines: readonly Curve[]): number | null {
  const all = lines.flatMap(({ bounds, points }) =>
    bounds === "cluster" ? [] : points.flatMap(({ retention: p, lower: l, size: n }) => {
      if (p === null || l === null || n === null || !(l > 0 && l < p && p < 1)) return [];
      return [(p - l) / Math.sqrt(l * (1 - l) / n)];
    })
  );
  const [z] = all;
  if (z === undefined || all.some((other) => Math.abs(other - z) > 0.01)) return null;
  // Zelen and Severo's approximation of the normal distribution (Abramowitz and Stegun 26.2.17).
  const t = 1 / (1 + 0.2316419 * z);
  const tail = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return Math.round((1 - 2 * tail) * 1000) / 1000;
}

/** How sure the bounds are, as the frame states it; null where lines differ, or nobody knows. */
function confidenceOf(lines: readonly Curve[]): number | null {
  const [stated, ...others] = new Set(lines.flatMap(({ confidence }) => confidence ?? []));
  if (stated === undefined) return confidenceReadBack(lines);
  return others.length === 0 ? stated : null;
}

/** The lines of a view, with their colours and the axes that hold them. */
export function retentionLines(view: RetentionView): RetentionLines {
  const { bands, apart, highlight, colors, ordered, locale } = view;
  const lines = drawnSeries(view.lines, { highlight, colors, ordered });
  const rows = lines.flatMap(({ label, points }) =>
    points.map(({ month, retention, lower, upper, predicted, size }) => ({
      ...{ group: label, month, retention, predicted, size },
      lower: bands || apart ? lower : null,
      upper: bands || apart ? upper : null,
    }))
  );
  const drawn = rows.filter((row) => row.retention !== null || row.predicted !== null);
  const months = drawn.map(({ month }) => month);
  const seen = rows.filter(({ retention }) => retention !== null).map(({ month }) => month);
  const values = rows.flatMap(({ retention, predicted, upper }) => [
    ...[retention ?? 0, predicted ?? 0, upper ?? 0],
  ]);
  const lowest = Math.min(...values);
  const confidence = confidenceOf(lines);
  const percent = confidence === null ? "confidence" : formatValue(confidence, "share", locale);
  return {
    ...{ lines, rows, interval: `${percent} interval` },
    forecast: rows.some(({ predicted }) => predicted !== null),
    observed: Math.max(...seen),
    months: [Math.min(...months), Math.max(...months)],
    shares: [lowest < 0 ? -ceiling(-lowest) : 0, ceiling(Math.max(...values))],
  };
}
