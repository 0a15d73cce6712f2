import { extentOf } from "./extent.ts";
import { boolean, integer } from "../platform/check_options.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { aFrame } from "../table/read/requirements.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { LinesPlan } from "./drawing/line_plan.ts";
import { formatCount } from "./format.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import {
  hasValue,
  readRetention,
  type RetentionLine,
  retentionNotes,
  sizeOf,
  unitsOf,
} from "./read/curves.ts";
import { aReference, type ReferenceOptions, referenceRules, referenceWords } from "./reference.ts";
import { onlyName } from "./read/rows.ts";
import { hasForecast, largest, lastValue, type Line, pointsOf, sumBy } from "./read/lines.ts";
import {
  countedWords,
  intervalName,
  joined,
  largestOf,
  monthsText,
  type Note,
  pluralOf,
  valueTexts,
} from "./words.ts";

const RULES = {
  dots: aFrame,
  bands: boolean,
  startMonth: integer(0),
  reference: aReference,
};
const MOST_LINES = 40;
/** If there are more lines than this, there are too many panels, and colors cannot be distinguished. */
const MOST_COLORS = 12;
const MOST_COHORTS = 8;
const DOTS_AT = [1, 3, 6, 11];

/** Returns whether bounds are drawn, whether lines can have panels, and a note on bounds that are not drawn. */
function boundsOf(
  lines: readonly RetentionLine[],
  bands: boolean | undefined,
): Pick<LinesPlan, "bounds" | "panels"> & { readonly note?: Note } {
  const bounded = pointsOf(lines).some(({ lower = null, upper = null }) =>
    lower !== null && upper !== null
  );
  if (bands === true && bounded) return { bounds: "bands" };
  const panels = lines.length > 1 && lines.length <= MOST_COLORS ? "behind" : undefined;
  if (!bounded || bands === false) return { panels };
  return lines.length <= MOST_COLORS
    ? { bounds: "bands", panels }
    : { note: "Intervals are not drawn here; a dot plot of one month shows them." };
}

/** Removes bounds that allow neither for differences between projects nor for differences between periods. */
function withSureBounds(line: RetentionLine): RetentionLine {
  const { bounds, points } = line;
  if (bounds.size === 0 || bounds.has("cluster") || bounds.has("block")) return line;
  return { ...line, points: points.map((point) => ({ ...point, lower: null, upper: null })) };
}

/** Returns the curves of the option `dots`, each with the id of the only line. */
function dotsOf(given: DataFrame | undefined, lines: readonly Line[], fn: string) {
  if (given === undefined) return [];
  if (lines.length === 1) {
    return readRetention(given, fn).map((line) => ({ ...line, group: lines[0]!.id }));
  }
  throw new RangeError(`${fn}: dots: the frame must hold one curve; got ${lines.length} curves`);
}

/**
 * Draws retention curves: the share of users who are still active, by month since first use. Each group has one line,
 * with confidence bounds and a dashed forecast if the frame has them. The number of users in each month is below the
 * axis.
 *
 * Takes the result of `retentionCurves` (one line per cohort), `pooledRetention` (one line per group) or
 * `forecastRetention` (observed and predicted values). If one panel has no room for the names of up to twelve groups, or
 * if their lines cross often, each group has a small panel, with the lines of the other groups faint behind. If there are more than 12 groups, no bounds are drawn, and only the six
 * largest groups are in color (see `highlight`). If there are more than 40 lines (see `limit`), the lines of the largest groups are drawn. A null makes a gap.
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
 * @throws {RangeError} when a column is missing, the frame has more than 8 cohorts, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotRetention(
  frame: DataFrame,
  options:
    & {
      /**
       * A frame of further curves, such as `pooledRetention(curves, { by: "project_id" })`. They are drawn as small dots
       * at months 1, 3, 6 and 11. Requires that `frame` holds one curve.
       * @default {none}
       */
      readonly dots?: DataFrame;
      /**
       * Whether to draw the confidence bounds as bands in one panel.
       * @default {true if one panel has room for the names of up to twelve lines; else each line has a panel}
       */
      readonly bands?: boolean;
      /**
       * The first month to draw. 0 includes month 0, in which retention is 1 by definition.
       * @default {1}
       */
      readonly startMonth?: number;
    }
    & ReferenceOptions
    & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotRetention", options, RULES);
  const { fn, startMonth = 1, limit = MOST_LINES, label, locale, reference } = settings;
  const started = <Read extends Line>(line: Read) => ({
    ...line,
    points: line.points.filter(({ x }) => x >= startMonth),
  });
  const all = readRetention(frame, fn, label).map(started);
  // The months of the axis end with the last value.
  const [, end] = extentOf(
    pointsOf(all).flatMap(({ x, y, predicted }) => (predicted ?? y) === null ? [] : [x]),
  );
  const read = all.map((line) => (
    { ...line, points: line.points.filter(({ x }) => x <= end) }
  ));
  const forecast = hasForecast(read);
  const valued = read.filter(hasValue);
  const { kept: chosen, ...left } = largest(valued, { limit, sizeOf }, "largest groups");
  const keptLines = new Set(chosen);
  const kept = valued.filter((line) => keptLines.has(line));
  const lines = forecast ? kept.map(withSureBounds) : kept;
  const kind = read[0]?.kind;
  // Cohorts have an order in time, and their colors follow this order.
  const ordered = read.length > 2 && kind === "cohort";
  const dots = dotsOf(settings.dots, lines, fn).map(started);
  if (ordered && lines.length > MOST_COHORTS) {
    throw new RangeError(
      `${fn}: the frame has ${lines.length} cohorts; at most ${MOST_COHORTS} can be distinguished: ` +
        "filter it, or use plotRetentionHeatmap or pooledRetention",
    );
  }
  const { note: unbounded = false, ...how } = boundsOf(lines, settings.bands);
  const users = sumBy(read, sizeOf);
  const words = countedWords(frame);
  const bySize = lines.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const many = !ordered && lines.length > MOST_COLORS;
  const level = intervalName(lines.flatMap(({ levels }) => levels), locale);
  const interval = forecast ? `${level} of the fitted curve` : level;
  const name = lines.length < 2 || ordered ? onlyName(frame) : null;
  const noun = kind === "cohort" ? "monthly cohort" : read[0]?.noun ?? "group";
  const of = lines.length > 1
    ? joined([largestOf(lines.length, valued.length, noun), name ?? ""], " of ")
    : name ?? (lines[0]?.id ? lines[0].label : words.all);
  const months = pointsOf(lines).map(({ x }) => x);
  const seen = pointsOf(lines).filter(({ y }) => y !== null).map(({ x }) => x);
  const plan: LinesPlan = {
    lines,
    x: { name: "Months since the cohort began", months: true },
    y: {
      unit: "fraction",
      name: "",
      zero: true,
      scale: "linear",
    },
    ordered,
    ...how,
    interval,
    dots,
    dotsAt: DOTS_AT,
    ifCrowded: true,
    empty: "not yet observed",
    atRisk: words.sizes,
    rules: [
      ...forecast && seen.length > 0 ? [{ x: extentOf(seen)[1], label: "data ends" }] : [],
      ...referenceRules(reference),
    ],
  };
  return readyChart({
    again: plotRetention,
    frame,
    settings: many ? { highlight: bySize.slice(0, 6).map(({ id }) => id), ...settings } : settings,
    ...ordered ? {} : { series: bySize },
    empty: lines.length === 0,
    words: {
      what: forecast ? "Retention and forecast" : words.retention,
      of,
      span: monthsText(forecast ? months : seen),
      said: [
        words.share,
        users === 0 ? "" : words.total(formatCount(users, locale), users),
      ],
      kind: reference === undefined
        ? "Line chart"
        : `Line chart, with the line ${referenceWords(reference, "fraction")},`,
      noun,
      rows: valueTexts(lines, "fraction", lastValue),
      rowsAre: "last observed values",
      ...left,
      missing: read.filter((curve) => !hasValue(curve)).map(({ label }) => label),
      bounds: how.bounds,
      interval,
      allowing: unitsOf(frame).allowing,
      notes: [
        ...retentionNotes(frame, lines),
        dots.length > 0 && `Dots: single ${pluralOf(dots[0]?.noun ?? "group")}.`,
        many && settings.highlight === undefined &&
        `In color: the six groups with most ${words.most}.`,
        unbounded,
      ],
    },

    figure: (draw, look) => draw.linesFigure(plan, look),
  });
}
