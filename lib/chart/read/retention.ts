import type { DataFrame } from "../../table/polars.ts";
import { seriesColors, type SymbolName, SYMBOLS } from "../theme.ts";
import { countOf, formatPercent } from "../text/format.ts";
import { type Asker, type ChartOptions, widthOf } from "./options.ts";
import { type Curve, foldCurves, readCurves } from "./curves.ts";
import { emptyWords, onlyName, sourceNote, textValues } from "./values.ts";
import type { About, FigureRow } from "../chart.ts";

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

/** Options of a chart of retention curves. */
export interface RetentionOptions extends ChartOptions {
  /**
   * Whether to draw the confidence bands.
   * @default {with up to four lines}
   */
  readonly bands?: boolean;
  /**
   * The first month to draw: 1 leaves out the month in which everybody is there.
   * @default {0}
   */
  readonly startMonth?: number;
}

/** What a chart of retention curves says and draws. */
export interface RetentionView {
  readonly about: About;
  readonly width: number;
  /** What to draw; null when no value is known. */
  readonly scene: RetentionScene | null;
}

const MOST_BANDS = 4;
const NAMES = ["project_name", "project_id", "market_sector_name", "market_sector_id"];

/** The chart in a sentence. */
function describe(lines: readonly RetentionLine[]): string {
  const ends = lines.slice(0, 4).map(({ label, points }) => {
    const end = points.findLast(({ retention }) => retention !== null);
    if (end === undefined) return `${label}: forecast only`;
    return `${label} ${formatPercent(end.retention!)} in month ${end.month}`;
  });
  const more = lines.length > 4 ? ` and ${lines.length - 4} more` : "";
  return `Line chart of ${countOf(lines.length, "line")}: ${ends.join("; ")}${more}.`;
}

/**
 * Reads a retention frame for the function called `name`.
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function retentionView(
  frame: DataFrame,
  options: RetentionOptions,
  name: string,
): RetentionView {
  const asker = {
    name,
    hint: "pass what retentionCurves, pooledRetention or forecastRetention gives",
  };
  const width = widthOf(options, asker);
  const { startMonth = 0, source = frame } = options;
  const { lines, bounds, notes } = retentionLines(frame, { startMonth, asker });
  const { bands = lines.length <= MOST_BANDS } = options;
  const empty = lines.length === 0;
  return {
    width,
    scene: empty ? null : retentionScene(lines, bounds && bands),
    about: {
      title: options.title ?? `User retention${onlyName(frame, NAMES)}`,
      subtitle: options.subtitle ??
        "Share of each cohort's users who are active again, month by month",
      label: empty ? emptyWords(frame) : describe(lines),
      caption: [
        ...notes,
        ...bounds && !bands ? ["Confidence intervals are not drawn."] : [],
        sourceNote(source),
      ],
    },
  };
}
