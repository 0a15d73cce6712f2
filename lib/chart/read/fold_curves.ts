import { countOf } from "../text/count_of.ts";
import type { Curve, CurvePoint } from "./retention_curves.ts";

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

function mean(values: readonly (readonly [value: number, weight: number])[]): number | null {
  const weight = values.reduce((sum, [, weight]) => sum + weight, 0);
  if (weight === 0) return null;
  return values.reduce((sum, [value, weight]) => sum + value * weight, 0) / weight;
}

/** Weighted by size where sizes are known; every curve counts the same where none is. */
function foldMonth(month: number, points: readonly CurvePoint[], weighted: boolean): CurvePoint {
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

/** More curves than can be told apart become the largest and one that stands for the rest. */
export function foldCurves(curves: readonly Curve[], most: number): FoldedCurves {
  if (curves.length <= most) return { curves, other: null, notes: [] };
  const weighted = curves.some((curve) => sizeOf(curve) > 0);
  const ranked = weighted ? curves.toSorted((a, b) => sizeOf(b) - sizeOf(a)) : curves;
  const kept = new Set(ranked.slice(0, most - 1));
  const rest = curves.filter((curve) => !kept.has(curve));
  const months = new Map<number, CurvePoint[]>();
  for (const point of rest.flatMap(({ points }) => points)) {
    months.set(point.month, [...months.get(point.month) ?? [], point]);
  }
  const points = [...months].map(([month, points]) => foldMonth(month, points, weighted));
  const other = `other (${countOf(rest.length, "group")})`;
  const how = weighted
    ? `the ${kept.size} largest groups by size, and the rest weighted by size`
    : `the first ${kept.size} groups, and the mean of the rest (the frame has no sizes)`;
  return {
    curves: [...curves.filter((curve) => kept.has(curve)), {
      label: other,
      reason: null,
      points: points.toSorted((a, b) => a.month - b.month),
    }],
    other,
    notes: [`${curves.length} groups: drawn are ${how}, as “${other}”.`],
  };
}
