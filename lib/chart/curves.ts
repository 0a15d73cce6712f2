import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { countOf } from "./format.ts";
import { groupsOf, numberValues, textValues } from "./values.ts";

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
  /** By which it keeps its colour. */
  readonly id: string;
  readonly label: string;
  readonly points: readonly CurvePoint[];
  /** Why there is no forecast, or why it is a limiting curve; null when there is nothing to say. */
  readonly reason: string | null;
  /** Of what the bounds are: `binomial`, `cluster`; null when the frame does not say. */
  readonly bounds: string | null;
  /** How sure they are; null when the frame does not say. */
  readonly confidence: number | null;
  /** Whether it stands for those that were folded together. */
  readonly folded?: boolean;
}

const NAMES = [
  "project_name",
  "project_id",
  "market_sector_name",
  "market_sector_id",
  "cohort",
] as const;

/** What our analysis says of a month or of a whole curve, and so names no group. */
const MEASURED = new Set([
  ...["month", "size", "retained", "retention", "lower", "upper", "cohorts", "cohort_date"],
  ...["observed", "predicted", "alpha", "beta", "c", "model", "aic", "log_likelihood"],
  ...["se_log_alpha", "se_log_beta", "adjusted", "reason", "at_risk", "lost", "net_activity"],
  ...["net_activity_lower", "net_activity_upper", "cluster", "clusters", "dispersion", "bounds"],
  ...["left_out", "left_truncated", "tracked_months", "tau2", "q", "se_logit_q", "confidence"],
]);

/** Whether the bands of some curves cover each other in most months, so that none could be read. */
export function coverEachOther(curves: readonly Curve[]): boolean {
  const points = curves.flatMap(({ points }) => points);
  const pairs = [...Map.groupBy(points, ({ month }) => month).values()].flatMap((month) => {
    const bands = month.flatMap(({ lower, upper }) =>
      lower === null || upper === null ? [] : [{ lower, upper }]
    ).toSorted((a, b) => a.lower + a.upper - b.lower - b.upper);
    return bands.slice(1).map((band, index) => band.lower < bands[index]!.upper);
  });
  return curves.length > 3 && pairs.filter((covers) => covers).length > pairs.length / 2;
}

/** Reads what `retentionCurves`, `pooledRetention` and `forecastRetention` give. */
export function readCurves(frame: DataFrame, asker: string, label?: string): Curve[] {
  const forecast = frame.columns.includes("predicted");
  const measure = forecast ? "observed" : "retention";
  requireColumns(frame, {
    asker,
    source: "what retentionCurves, pooledRetention or forecastRetention gives",
    columns: label === undefined ? [] : [label],
    numbers: ["month", measure],
  });
  const others = frame.columns.filter((column) =>
    !MEASURED.has(column) && !NAMES.includes(column as never)
  );
  const { labels, ids } = groupsOf(frame, { names: [...NAMES, ...others], label });
  const numbers = (column: string) =>
    frame.columns.includes(column) ? numberValues(frame, column) : null;
  const texts = (column: string) =>
    frame.columns.includes(column) ? textValues(frame, column) : null;
  const months = numberValues(frame, "month");
  const retention = numberValues(frame, measure);
  const [lower, upper, size, predicted] = ["lower", "upper", "size", "predicted"].map(numbers);
  const confidence = numbers("confidence");
  const [reasons, bounds] = ["reason", "bounds"].map(texts);
  const curves = new Map<string, Curve & { points: CurvePoint[]; bounds: string | null }>();
  labels.forEach((label, row) => {
    const month = months[row];
    if (month === null || month === undefined) return;
    const curve = curves.get(label) ?? {
      ...{ id: ids[row]!, label, points: [] },
      ...{ reason: reasons?.[row] ?? null, bounds: bounds?.[row] ?? null },
      confidence: confidence?.[row] ?? null,
    };
    if (bounds?.[row] === "cluster") curve.bounds = "cluster";
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
  return [...curves.values()].map((curve) => ({
    ...curve,
    points: curve.points.toSorted((a, b) => a.month - b.month),
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
interface FoldedCurves {
  readonly curves: readonly Curve[];
  readonly notes: readonly string[];
}

/** The most users that a curve rests on. */
export function sizeOf({ points }: Curve): number {
  return Math.max(0, ...points.map(({ size }) => size ?? 0));
}

/** More curves than can be told apart become the largest and one that stands for the rest. */
export function foldCurves(curves: readonly Curve[], most: number): FoldedCurves {
  if (curves.length <= most) return { curves, notes: [] };
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
      ...{ id: other, label: other, reason: null, bounds: null, points, folded: true },
      confidence: null,
    }],
    notes: [`${curves.length} groups: drawn are ${how}, as “${other}”.`],
  };
}

/** Whether a curve has anything to draw. */
export function hasValue({ points }: Curve): boolean {
  return points.some(({ retention, predicted }) => retention !== null || predicted !== null);
}
