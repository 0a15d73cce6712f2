import { WASHOUT } from "../analysis/cohort_counts.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { countOf, formatValue } from "./format.ts";
import { groupsOf, numbersOrNull, numberValues, textsOrNull } from "./rows.ts";
import { largest, type Line, type LinePoint } from "./series.ts";
import { listed, type Note, type Notes } from "./words.ts";

/** A retention curve. In its points, `x` is the month and `y` is the share of active users. */
export interface RetentionLine extends Line {
  /** The reason for a missing forecast, or a warning about the forecast. */
  readonly reason: string | null;
  /** The kinds of bounds of the curve. */
  readonly bounds: ReadonlySet<string>;
  /** The confidence level of the bounds. Null if the frame does not state it. */
  readonly confidence: number | null;
  /** Whether the cohort began so soon after the start of tracking that it includes older users. */
  readonly early: boolean;
}

const NAMES = [
  "project_name",
  "project_id",
  "market_sector_name",
  "market_sector_id",
  "chain_name",
  "chain_id",
  "cohort",
  "group",
];

/** Returns whether the cohort of each row began so soon after the start of tracking that it includes older users. */
export function earlyRows(frame: DataFrame): boolean[] {
  const truncated = textsOrNull(frame, "left_truncated");
  const tracked = numbersOrNull(frame, "tracked_months");
  return truncated.map((text, row) => text === "true" || (tracked[row] ?? Infinity) < WASHOUT);
}

/** Reads the result of `retentionCurves`, `pooledRetention` or `forecastRetention`. */
export function readRetention(frame: DataFrame, fn: string, label?: string): RetentionLine[] {
  const measure = frame?.columns?.includes("predicted") ? "observed" : "retention";
  requireColumns(frame, {
    fn,
    source: "a frame of retentionCurves, pooledRetention or forecastRetention",
    columns: label === undefined ? [] : [label],
    numbers: ["month", measure],
  });
  const { labels, ids } = groupsOf(frame, { names: NAMES, label });
  const forecast = measure === "observed";
  const months = numberValues(frame, "month");
  const values = numberValues(frame, measure);
  const predicted = numbersOrNull(frame, "predicted");
  const lower = numbersOrNull(frame, "lower");
  const upper = numbersOrNull(frame, "upper");
  const sizes = numbersOrNull(frame, "size");
  const levels = numbersOrNull(frame, "confidence");
  const reasons = textsOrNull(frame, "reason");
  const bounds = textsOrNull(frame, "bounds");
  const early = earlyRows(frame);
  const lines = Map.groupBy(labels.map((_, row) => row), (row) => labels[row]!);
  return [...lines].map(([label, rows]) => {
    const points = rows.filter((row) => months[row] !== null).map((row): LinePoint => ({
      x: months[row]!,
      y: values[row]!,
      complete: true,
      lower: lower[row]!,
      upper: upper[row]!,
      size: sizes[row]!,
      ...forecast ? { predicted: predicted[row]! } : {},
    }));
    const levelsOf = new Set(rows.flatMap((row) => levels[row] ?? []));
    return {
      id: ids[rows[0]!]!,
      label,
      points: points.toSorted((a, b) => a.x - b.x),
      reason: rows.map((row) => reasons[row] ?? null).find((reason) => reason !== null) ?? null,
      bounds: new Set(rows.flatMap((row) => bounds[row] ?? [])),
      confidence: levelsOf.size === 1 ? [...levelsOf][0]! : null,
      early: rows.some((row) => early[row]),
    };
  });
}

function weightedMean(values: readonly (readonly [value: number, weight: number])[]) {
  const weight = values.reduce((sum, [, weight]) => sum + weight, 0);
  if (weight === 0) return null;
  return values.reduce((sum, [value, weight]) => sum + value * weight, 0) / weight;
}

/**
 * Combines several curves into one, month by month. Curves are weighted by size, or equally if sizes are unknown. A
 * month without values stays null.
 */
export function pooledPoints(points: readonly LinePoint[], weighted: boolean): LinePoint[] {
  const months = Map.groupBy(points, ({ x }) => x);
  return [...months].toSorted(([a], [b]) => a - b).map(([x, all]) => {
    if (all.length === 1) return all[0]!;
    const mean = (of: (point: LinePoint) => number | null | undefined) =>
      weightedMean(all.flatMap((point) => {
        const value = of(point) ?? null;
        return value === null ? [] : [[value, weighted ? point.size ?? 0 : 1] as const];
      }));
    const size = weighted ? all.reduce((sum, { size }) => sum + (size ?? 0), 0) : null;
    const modeled = all.some(({ predicted }) => predicted !== undefined);
    return {
      x,
      y: mean(({ y }) => y),
      complete: true,
      lower: null,
      upper: null,
      size,
      ...modeled ? { predicted: mean(({ predicted }) => predicted) } : {},
    };
  });
}

/** Returns the largest number of users in a month of a curve. */
export function sizeOf({ points }: Line): number {
  return Math.max(0, ...points.map(({ size }) => size ?? 0));
}

/** Returns whether a curve has a value to draw. */
export function hasValue({ points }: Line): boolean {
  return points.some(({ y, predicted = null }) => y !== null || predicted !== null);
}

/** Returns the largest curves by size, and one curve that combines the other curves. */
export function keptCurves(curves: readonly RetentionLine[], limit: number) {
  const weighted = curves.some((curve) => sizeOf(curve) > 0);
  const other = (rest: readonly RetentionLine[]): RetentionLine => {
    const label = `other (${countOf(rest.length, "group")})`;
    return {
      id: label,
      label,
      folded: true,
      points: pooledPoints(rest.flatMap(({ points }) => points), weighted),
      reason: null,
      bounds: new Set(),
      confidence: null,
      early: false,
    };
  };
  const { kept, rest } = largest(curves, { limit, sizeOf: weighted ? sizeOf : () => 0, other });
  if (rest.length === 0) return { curves, notes: [] };
  const chosen = new Set(kept);
  const what = weighted ? "largest groups" : "first groups";
  const how = weighted ? "weighted by size" : "their mean";
  return {
    curves: [...curves.filter((curve) => chosen.has(curve)), kept.at(-1)!],
    notes: [
      `Drawn: the ${kept.length - 1} ${what} of ${curves.length}, the others as one, ${how}.`,
    ],
  };
}

/** Returns the name of the bounds of some curves: `95% interval`. */
export function intervalName(lines: readonly RetentionLine[], locale: string): string {
  const [stated, ...others] = new Set(lines.flatMap(({ confidence }) => confidence ?? []));
  return stated === undefined || others.length > 0
    ? "confidence interval"
    : `${formatValue(stated, "share", locale)} interval`;
}

/** Returns notes that state what the bounds allow for, and why some bounds are missing. */
function boundNotes(curves: readonly RetentionLine[], bounds: string | undefined, name: string) {
  const kinds = new Set(curves.flatMap(({ bounds }) => [...bounds]));
  const shape = bounds === "bands" ? "Shaded" : "Whiskers";
  const allows = kinds.has("cluster")
    ? ", allowing for differences between projects"
    : kinds.has("block")
    ? ", allowing for differences between periods"
    : kinds.has("binomial")
    ? ", for independent users"
    : "";
  return [
    bounds !== undefined && `${shape}: ${name}s${allows}.`,
    kinds.has("one_cluster") && "Groups of one project have no interval.",
  ];
}

/** Returns a note on curves without a forecast. */
function reasonNote(curves: readonly RetentionLine[]): Note {
  const reasons = curves.flatMap(({ label, reason }) =>
    reason === null ? [] : [`${label}: ${reason}`]
  );
  return reasons.length > 0 && `Forecast: ${listed(reasons, 3)}.`;
}

/** Returns a note on models that fit the observed months poorly. */
function fitNote(curves: readonly RetentionLine[]): Note {
  const points = curves.flatMap(({ points }) => points);
  const fitted = points.flatMap(({ x, y, predicted = null, size = null }) => {
    if (x === 0 || y === null || predicted === null || size === null || size <= 0) return [];
    const half = 1.96 * Math.sqrt(predicted * (1 - predicted) / size);
    return [Math.abs(y - predicted) > half];
  });
  const outside = fitted.filter((far) => far).length;
  return outside > 0.1 * fitted.length &&
    `The model fits badly: ${outside} of ${fitted.length} months lie outside its sampling interval.`;
}

/** Returns a note on cohorts that include users from before tracking began. */
function washoutNote(frame: DataFrame, curves: readonly RetentionLine[]): Note {
  const dropped = Math.max(0, ...numbersOrNull(frame, "left_out").map((count) => count ?? 0));
  if (dropped > 0) {
    return "Left out: the first cohorts after tracking began, which hold older users.";
  }
  const early = curves.filter(({ early }) => early).map(({ label }) => label);
  return early.length > 0 &&
    `The first cohorts after tracking began hold older users: ${listed(early, 3)}.`;
}

/** Returns the caption notes of a chart of curves. */
export function retentionNotes(
  frame: DataFrame,
  { read, drawn, bounds, interval }: {
    /** All curves of the frame. */
    readonly read: readonly RetentionLine[];
    /** The curves in the chart. */
    readonly drawn: readonly RetentionLine[];
    readonly bounds: string | undefined;
    readonly interval: string;
  },
): Notes {
  const points = read.flatMap(({ points }) => points);
  const missing = points.filter(({ y, predicted = null }) => y === null && predicted === null);
  const empty = read.filter((curve) => !hasValue(curve)).map(({ label }) => label);
  return {
    sample: [
      fitNote(drawn),
      frame.columns.includes("predicted") &&
      "Observed: retention from each month to the next, multiplied.",
      washoutNote(frame, drawn),
    ],
    interval: boundNotes(drawn, bounds, interval),
    leftOut: [
      reasonNote(drawn),
      missing.length > 0 && `Empty: not yet observed (${missing.length} of ${points.length}).`,
      empty.length > 0 && `Without a value: ${listed(empty, 5)}.`,
    ],
  };
}
