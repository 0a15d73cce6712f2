import type { FigureRow } from "./figure_row.ts";
import type { RetentionLine } from "./retention_lines.ts";

/** Where a retention chart draws: months across, shares up. */
export interface RetentionScene {
  readonly lines: readonly RetentionLine[];
  readonly rows: readonly FigureRow[];
  readonly bands: boolean;
  readonly months: readonly [first: number, last: number];
  /** The bottom and the top of the share axis: zero, unless a value is below it. */
  readonly shares: readonly [bottom: number, top: number];
}

/** The next round share above the highest one. */
function ceiling(highest: number): number {
  const step =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((step) => highest <= step * 6) ??
      10 ** Math.floor(Math.log10(highest)) / 2;
  return Math.max(step, Math.ceil(highest / step - 1e-9) * step);
}

/** The scene of some lines; each of them has a value. */
export function retentionScene(lines: readonly RetentionLine[], bands: boolean): RetentionScene {
  const rows = lines.flatMap(({ label, points }) =>
    points.map(({ month, retention, lower, upper, predicted }) => ({
      group: label,
      month,
      retention,
      predicted,
      lower: bands ? lower : null,
      upper: bands ? upper : null,
    }))
  );
  const drawn = rows.filter((row) => row.retention !== null || row.predicted !== null);
  const months = drawn.map(({ month }) => month);
  const values = rows.flatMap(({ retention, predicted, upper }) => [
    retention ?? 0,
    predicted ?? 0,
    upper ?? 0,
  ]);
  const lowest = Math.min(...values);
  return {
    lines,
    rows,
    bands,
    months: [Math.min(...months), Math.max(...months)],
    shares: [lowest < 0 ? -ceiling(-lowest) : 0, ceiling(Math.max(...values))],
  };
}
