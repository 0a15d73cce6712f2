import type { DataFrame } from "../table/polars.ts";
import { aFlag, aWhole } from "../platform/check_options.ts";
import type { About } from "./chart.ts";
import { coverEachOther, type Curve, foldCurves, hasValue, readCurves, sizeOf } from "./curves.ts";
import { curveNotes } from "./curve_notes.ts";
import { type PlotChart, plotChart, type VegaChart, vegaChart } from "./draw.ts";
import { countOf, formatCount, formatDay, formatValue } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf, type Settings } from "./options.ts";
import type { RetentionView } from "./plot/retention_lines.ts";
import { captionOf, emptyWords, lastDay, onlyName, textValues } from "./values.ts";

/**
 * Options of a chart of retention curves.
 *
 * @category Charts
 */
export interface RetentionOptions extends ChartOptions {
  /**
   * Whether to draw the confidence bands.
   * @default {with up to eight lines; where most of them cover each other, each line has a panel of its own}
   */
  readonly bands?: boolean;
  /**
   * The first month to draw: 0 shows the month in which everybody is there by definition, too.
   * @default {1}
   */
  readonly startMonth?: number;
}

const RULES = { bands: aFlag, startMonth: aWhole(0) };
const MOST_LINES = 40;
const MOST_BANDS = 8;
/** More lines than these cannot be told apart by colour. */
const MOST_COLORS = 12;
const NAMES = ["project_name", "project_id", "market_sector_name", "market_sector_id"];

/** Cohorts have an order in time: when each line is one, their colours follow it. */
function areCohorts(frame: DataFrame, curves: readonly Curve[]): boolean {
  if (!frame.columns.includes("cohort") || curves.length < 3) return false;
  return new Set(textValues(frame, "cohort")).size === curves.length;
}

/** The chart in a sentence. */
function describe(lines: readonly Curve[]): string {
  const ends = lines.slice(0, 4).map(({ label, points }) => {
    const end = points.findLast(({ retention }) => retention !== null);
    if (end === undefined) return `${label}: forecast only`;
    return `${label} ${formatValue(end.retention!, "share")} in month ${end.month}`;
  });
  const more = lines.length > 4 ? ` and ${lines.length - 4} more` : "";
  return `Line chart of ${countOf(lines.length, "line")}: ${ends.join("; ")}${more}.`;
}

const GROUPS = [
  ["cohort", "month of first use"],
  ["project_id", "project"],
  ["market_sector_id", "market sector"],
] as const;

/** What tells the lines apart: `, by market sector`. */
function byWords(frame: DataFrame, curves: readonly Curve[]): string {
  if (curves.length < 2) return "";
  const by = GROUPS.find(([column]) =>
    frame.columns.includes(column) && new Set(textValues(frame, column)).size === curves.length
  );
  return by === undefined ? "" : `, by ${by[1]}`;
}

/** The period and n: `12 months to 30 Jun 2026; 84,210 users`. */
function restsOn(frame: DataFrame, all: readonly Curve[], { from, locale }: Settings): string {
  const day = lastDay(from ?? frame);
  const users = all.reduce((sum, curve) => sum + sizeOf(curve), 0);
  return [
    "Months since the first one",
    day === null ? "" : `data to ${formatDay(day, locale)}`,
    users === 0 ? "" : `${formatCount(users, locale)} users`,
  ].filter((part) => part !== "").join("; ");
}

/** The groups in colour where there are more than colours: those of most users. */
function largestOf(curves: readonly Curve[]): string[] | undefined {
  if (curves.length <= MOST_COLORS) return undefined;
  return curves.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, 6).map(({ id }) => id);
}

/** What a chart is of, and what its caption must say. */
interface Drawn {
  /** All that was read, and what is drawn of it. */
  readonly read: readonly Curve[];
  readonly curves: readonly Curve[];
  readonly notes: readonly string[];
  /** Whether the curves have bounds, and whether they are drawn. */
  readonly bounded: boolean;
  readonly bands: boolean;
  /** Whether the largest are in colour because nobody said which. */
  readonly chosen: boolean;
}

/** The words of the chart. */
function aboutOf(frame: DataFrame, settings: Settings, drawn: Drawn): About {
  const { read, curves, notes, bounded, bands, chosen } = drawn;
  const name = curves.length < 2 ? onlyName(frame, NAMES) : null;
  const of = name === null ? byWords(frame, read) : `: ${name}`;
  return {
    title: settings.title ?? `Share of first-time users active again${of}`,
    subtitle: settings.subtitle ?? restsOn(frame, read, settings),
    label: curves.length === 0 ? emptyWords(frame) : describe(curves),
    caption: captionOf(frame, settings, [
      ...notes,
      ...chosen ? ["In colour: the six groups of most users."] : [],
      ...curveNotes(frame, { read, drawn: curves, bounds: bounded && bands }),
      ...bounded && !bands ? ["Confidence intervals are not drawn."] : [],
    ]),
  };
}

/** Reads a retention frame for the function called `asker`. */
function retentionView(
  frame: DataFrame,
  options: RetentionOptions,
  asker: string,
): RetentionView & {
  readonly from: DataFrame;
} {
  const settings = chartSettings(asker, options, RULES);
  const { startMonth = 1, limit = MOST_LINES, from = frame, label, highlight } = settings;
  const read = readCurves(frame, asker, label).map((curve) => ({
    ...curve,
    points: curve.points.filter(({ month }) => month >= startMonth),
  }));
  const { curves, notes } = foldCurves(read.filter(hasValue), limit);
  const bounded = curves.some(({ points }) =>
    points.some(({ lower, upper }) => lower !== null && upper !== null)
  );
  const covered = settings.bands === undefined && coverEachOther(curves);
  const ordered = areCohorts(frame, read);
  // Cohorts are compared in their order, one line beside the other.
  const { bands = curves.length <= MOST_BANDS && !(ordered && covered) } = settings;
  const largest = ordered ? undefined : largestOf(curves);
  const chosen = highlight === undefined && largest !== undefined;
  const about = aboutOf(frame, settings, { read, curves, notes, bounded, bands, chosen });
  const { height = 400 } = settings;
  return {
    ...{ ...lookOf(about, settings), height, ordered, from },
    lines: curves,
    bands: bounded && bands && !covered,
    apart: bounded && bands && covered,
    highlight: highlight ?? largest,
  };
}

/**
 * Retention curves: the share of users still active by months since their first month, one line per group,
 * with confidence bands, the users that each month rests on, and a forecast dashed from where the data ends.
 *
 * Takes what `retentionCurves` (a line per cohort), `pooledRetention` (a line per group) or
 * `forecastRetention` (observed and predicted) gives. Of more than 12 lines six are in colour (`highlight`), the
 * others grey; of more than 40 (`limit`) the largest are drawn and "other". A null is left empty.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotRetention, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = plotRetention(pooledRetention(curves, { by: "market_sector_id" }));
 * console.log((await chart.svg()).length);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotRetention(frame: DataFrame, options: RetentionOptions = {}): PlotChart {
  const { from, ...view } = retentionView(frame, options, "plotRetention");
  type Draw = typeof import("./plot/draw_retention.ts");
  const draw = (): Promise<Draw> =>
    import(new URL("./plot/draw_retention.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).retentionFigure({ ...view, width }),
  });
}

/**
 * Retention curves that answer to the mouse: hovering shows the numbers, a click on a name shows its line alone,
 * with its interval where those of all would cover each other, and the next click all again; the wheel zooms
 * while Ctrl is held, dragging moves, a double click leads back. In the page that `save` makes the names take keys as well.
 *
 * Takes what `retentionCurves`, `pooledRetention` or `forecastRetention` gives, and draws the same lines as
 * `plotRetention`.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, pooledRetention, retentionCurves, vegaRetention } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = vegaRetention(pooledRetention(curves, { by: "market_sector_id" }));
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function vegaRetention(frame: DataFrame, options: RetentionOptions = {}): VegaChart {
  const { from, ...view } = retentionView(frame, options, "vegaRetention");
  type Draw = typeof import("./vega/draw_retention.ts");
  const draw = (): Promise<Draw> =>
    import(new URL("./vega/draw_retention.ts", import.meta.url).href);
  return vegaChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).retentionSpec({ ...view, width }),
  });
}
