import { countOf } from "../text/count_of.ts";
import { foldPoints } from "./fold_points.ts";
import type { Curve } from "./retention_curves.ts";

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
