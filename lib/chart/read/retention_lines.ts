import type { DataFrame } from "../../table/polars.ts";
import { seriesColors } from "../series_colors.ts";
import { type SymbolName, SYMBOLS } from "../symbols.ts";
import { countOf } from "../text/count_of.ts";
import type { Asker } from "./check_columns.ts";
import { foldCurves } from "./fold_curves.ts";
import { type Curve, readCurves } from "./retention_curves.ts";
import { textValues } from "./text_values.ts";

/** A curve as it is drawn. */
export interface RetentionLine extends Curve {
  readonly color: string;
  readonly symbol: SymbolName;
}

/** The lines of a retention chart, and what its caption has to say about them. */
export interface RetentionLines {
  readonly lines: readonly RetentionLine[];
  /** Whether there are confidence bounds to draw. */
  readonly bounds: boolean;
  readonly notes: readonly string[];
}

const MOST_LINES = 12;

function hasValue({ points }: Curve): boolean {
  return points.some(({ retention, predicted }) => retention !== null || predicted !== null);
}

function listed(names: readonly string[], most: number): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

function missingNotes(curves: readonly Curve[]): string[] {
  const points = curves.flatMap(({ points }) => points);
  const missing = points.filter((point) => point.retention === null && point.predicted === null);
  const empty = curves.filter((curve) => !hasValue(curve)).map(({ label }) => label);
  return [
    ...missing.length === 0 ? [] : [
      `${missing.length} of ${
        countOf(points.length, "value")
      } not observed: left empty, which is not zero.`,
    ],
    ...empty.length === 0 ? [] : [`Without any value: ${listed(empty, 5)}.`],
  ];
}

function reasonNotes(curves: readonly Curve[]): string[] {
  const reasons = curves.flatMap(({ label, reason }) =>
    reason === null ? [] : [`${label}: ${reason}`]
  );
  return reasons.length === 0 ? [] : [`Forecast: ${listed(reasons, 3)}.`];
}

/** Cohorts have an order in time: when each line is one, their colours follow it. */
function areCohorts(frame: DataFrame, curves: readonly Curve[]): boolean {
  if (!frame.columns.includes("cohort") || curves.length < 3) return false;
  return new Set(textValues(frame, "cohort")).size === curves.length;
}

/** Reads a retention frame into at most twelve lines, from `startMonth` on. */
export function retentionLines(
  frame: DataFrame,
  { startMonth, asker }: { startMonth: number; asker: Asker },
): RetentionLines {
  if (!(Number.isInteger(startMonth) && startMonth >= 0)) {
    throw new RangeError(`${asker.name}: startMonth must be a whole number from 0: ${startMonth}`);
  }
  const all = readCurves(frame, asker).map((curve) => ({
    ...curve,
    points: curve.points.filter(({ month }) => month >= startMonth),
  }));
  const { curves, other, notes } = foldCurves(all.filter(hasValue), MOST_LINES);
  const colors = seriesColors(curves.map(({ label }) => label), {
    other,
    ordered: areCohorts(frame, all),
  });
  return {
    lines: curves.map((curve, index) => ({
      ...curve,
      color: colors[index]!,
      symbol: SYMBOLS[index % SYMBOLS.length]!,
    })),
    bounds: curves.some(({ points }) =>
      points.some(({ lower, upper }) => lower !== null && upper !== null)
    ),
    notes: [...notes, ...missingNotes(all), ...reasonNotes(curves)],
  };
}
