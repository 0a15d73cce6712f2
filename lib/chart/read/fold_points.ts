import type { CurvePoint } from "./retention_curves.ts";

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
