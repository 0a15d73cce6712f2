import type { DataFrame } from "../../table/polars.ts";
import { type Asker, checkColumns } from "./options.ts";
import { groupLabels, numberValues, textValues } from "./values.ts";
import { countOf } from "../text/format.ts";

/** One month of one curve. */
export interface CurvePoint {
  readonly month: number;
  /** The fraction that was seen to stay; null where nothing was observed. */
  readonly retention: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /** Users at risk; null when not known. */
  readonly size: number | null;
  /** What the model says; null where there is no forecast. */
  readonly predicted: number | null;
}

/** One line of a retention chart. */
export interface Curve {
  readonly label: string;
  readonly points: readonly CurvePoint[];
  /** Why there is no forecast, or why it is a limiting curve; null when there is nothing to say. */
  readonly reason: string | null;
}

const NAMES = [
  "project_name",
  "project_id",
  "market_sector_name",
  "market_sector_id",
  "cohort",
] as const;

const MEASURED = new Set([
  ...["month", "size", "retained", "retention", "lower", "upper", "cohorts", "cohort_date"],
  ...["observed", "predicted", "alpha", "beta", "log_likelihood", "adjusted", "reason"],
]);

/** Reads what `retentionCurves`, `pooledRetention` and `forecastRetention` give. */
export function readCurves(frame: DataFrame, asker: Asker): Curve[] {
  const forecast = frame.columns.includes("predicted");
  checkColumns(frame, ["month", forecast ? "observed" : "retention"], asker);
  const others = frame.columns.filter((column) =>
    !MEASURED.has(column) && !NAMES.includes(column as never)
  );
  const labels = groupLabels(frame, [...NAMES, ...others], "all");
  const numbers = (column: string) =>
    frame.columns.includes(column) ? numberValues(frame, column, asker) : null;
  const months = numberValues(frame, "month", asker);
  const retention = numberValues(frame, forecast ? "observed" : "retention", asker);
  const [lower, upper, size, predicted] = ["lower", "upper", "size", "predicted"].map(numbers);
  const reasons = frame.columns.includes("reason") ? textValues(frame, "reason") : null;
  const curves = new Map<string, { points: CurvePoint[]; reason: string | null }>();
  labels.forEach((label, row) => {
    const month = months[row];
    if (month === null || month === undefined) return;
    const curve = curves.get(label) ?? { points: [], reason: reasons?.[row] ?? null };
    curve.points.push({
      month,
      retention: retention[row] ?? null,
      lower: lower?.[row] ?? null,
      upper: upper?.[row] ?? null,
      size: size?.[row] ?? null,
      predicted: predicted?.[row] ?? null,
    });
    curves.set(label, curve);
  });
  return [...curves].map(([label, { points, reason }]) => ({
    label,
    reason,
    points: points.toSorted((a, b) => a.month - b.month),
  }));
}

function mean(values: readonly (readonly [value: number, weight: number])[]): number | null {
  const weight = values.reduce((sum, [, weight]) => sum + weight, 0);
  if (weight === 0) return null;
  return values.reduce((sum, [value, weight]) => sum + value * weight, 0) / weight;
}

function foldMonth(month: number, points: readonly CurvePoint[], weighted: boolean): CurvePoint {
  if (points.length === 1) return points[0]!;
  const weigh = (field: "retention" | "predicted") =>
    mean(points.flatMap((point) => {
      const value = point[field];
      return value === null ? [] : [[value, weighted ? point.size ?? 0 : 1] as const];
    }));
  return {
    month,
    retention: weigh("retention"),
    lower: null,
    upper: null,
    size: weighted ? points.reduce((sum, { size }) => sum + (size ?? 0), 0) : null,
    predicted: weigh("predicted"),
  };
}

/**
 * Several curves as one, month by month: weighted by size, or every curve the same where sizes are not
 * known. A month in which no curve has a value stays null.
 */
export function foldPoints(points: readonly CurvePoint[], weighted: boolean): CurvePoint[] {
  const months = Map.groupBy(points, ({ month }) => month);
  return [...months]
    .map(([month, points]) => foldMonth(month, points, weighted))
    .toSorted((a, b) => a.month - b.month);
}

/** Curves to draw, and the note that says what was folded. */
export interface FoldedCurves {
  readonly curves: readonly Curve[];
  /** The label of the curve that stands for the rest; null when nothing was folded. */
  readonly other: string | null;
  readonly notes: readonly string[];
}

function sizeOf({ points }: Curve): number {
  return Math.max(0, ...points.map(({ size }) => size ?? 0));
}

/** More curves than can be told apart become the largest and one that stands for the rest. */
export function foldCurves(curves: readonly Curve[], most: number): FoldedCurves {
  if (curves.length <= most) return { curves, other: null, notes: [] };
  const weighted = curves.some((curve) => sizeOf(curve) > 0);
  const ranked = weighted ? curves.toSorted((a, b) => sizeOf(b) - sizeOf(a)) : curves;
  const kept = new Set(ranked.slice(0, most - 1));
  const rest = curves.filter((curve) => !kept.has(curve));
  const points = foldPoints(rest.flatMap(({ points }) => points), weighted);
  const other = `other (${countOf(rest.length, "group")})`;
  const how = weighted
    ? `the ${kept.size} largest groups by size, and the rest weighted by size`
    : `the first ${kept.size} groups, and the mean of the rest (the frame has no sizes)`;
  return {
    curves: [...curves.filter((curve) => kept.has(curve)), {
      label: other,
      reason: null,
      points,
    }],
    other,
    notes: [`${curves.length} groups: drawn are ${how}, as “${other}”.`],
  };
}
