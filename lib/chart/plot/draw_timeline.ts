import type { FigureRow, LegendItem, PlotFigure } from "../chart.ts";
import { FAINT_OPACITY } from "../colors.ts";
import { symbolPath, theme } from "../theme.ts";
import type { TimePoint, TimeSeries } from "../time_series.ts";
import { noData, placeOn, scaleOptions, valueAlong, type ValueAxis } from "./axes.ts";
import { endLabelMarks, type EndLabels, endLabels } from "./end_labels.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { upwardAxis } from "./plane_axes.ts";
import { smallMultiples } from "./small_multiples.ts";
import { axisOf, openPieces, type TimeLine, timeLines, type TimelineView } from "./time_lines.ts";

const TOP = 30;
const BOTTOM = 40;
/** More lines than these in one panel cannot be told apart. */
const MOST_TOGETHER = 8;
/** More points than these are not marked one by one. */
const MOST_DOTS = 40;

/** Points that stand alone or are not final are marked; the others where there are few, and several lines. */
function dotsOf({ points }: TimeLine, alone: boolean): TimePoint[] {
  const few = points.length <= MOST_DOTS && !alone;
  return points.filter(({ value, complete }, index) =>
    value !== null &&
    (few || !complete ||
      ((points[index - 1]?.value ?? null) === null && (points[index + 1]?.value ?? null) === null))
  );
}

function lineMarks(Plot: ObservablePlot, { lines, title }: PanelPlan): Markish[] {
  return lines.flatMap((line) => {
    const { color, symbol, prominent, points } = line;
    const [strokeWidth, strokeOpacity] = prominent ? [2, 1] : [1, FAINT_OPACITY];
    const small = title !== undefined;
    const dots = prominent ? dotsOf(line, small) : [];
    const at = { x: "date", y: "value", symbol: small ? "circle" as const : symbol, r: 3 };
    return [
      Plot.line(points.map((point) => point.complete ? point : { ...point, value: null }), {
        ...{ x: "date", y: "value", stroke: color, strokeWidth, strokeOpacity },
        ariaDescription: "line",
      }),
      Plot.link(openPieces(line), {
        x1: ([from]) => from.date,
        y1: ([from]) => from.value,
        x2: ([, to]) => to.date,
        y2: ([, to]) => to.value,
        ...{ stroke: color, strokeWidth, strokeOpacity, strokeDasharray: "4 3" },
        ariaDescription: "not complete",
      }),
      Plot.dot(dots.filter(({ complete }) => complete), {
        ...{ ...at, fill: color, ariaDescription: "value" },
      }),
      Plot.dot(dots.filter(({ complete }) => !complete), {
        ...{ ...at, fill: theme.paper, stroke: color, strokeWidth: 1.5 },
        ariaDescription: "value, not complete",
      }),
    ];
  });
}

interface PanelPlan {
  readonly view: TimelineView;
  readonly axis: ValueAxis;
  readonly lines: readonly TimeLine[];
  readonly width: number;
  readonly height: number;
  readonly labels: EndLabels | null;
  /** Of one of several panels: its name, and whether its neighbour at the left has the axis. */
  readonly title?: string;
  readonly bare?: boolean;
  readonly top: number;
  readonly bottom: number;
}

/** The axis up. */
function upwardOf(
  { view, axis, height, title, top, bottom }: Omit<PanelPlan, "lines" | "labels">,
) {
  const { words, locale, format } = view;
  return upwardAxis({ ...axis, dates: false }, {
    ...{ style: { unit: words.unit, locale, format }, length: height - top - bottom },
    name: words.axis,
    named: title === undefined,
    most: title === undefined ? 7 : 4,
  });
}

function axisMarks(Plot: ObservablePlot, plan: PanelPlan, across: number): Markish[] {
  const { view: { hundred, dates }, axis, bare = false } = plan;
  // Plot puts ticks on round dates; a single day has only itself.
  const ticks = dates.length < 2
    ? { ticks: [...dates], tickFormat: (date: Date) => date.toISOString().slice(0, 10) }
    : { ticks: Math.max(2, Math.floor(across / 70)) };
  const { marks, grid } = upwardOf(plan);
  return [
    ...bare ? grid(Plot) : marks(Plot),
    Plot.axisX({ ...ticks, label: null, fill: theme.muted, stroke: theme.muted }),
    ...hundred && axis.domain[0] <= 100
      ? [Plot.ruleY([100], { stroke: theme.muted, strokeDasharray: "2 2", ariaDescription: "100" })]
      : [],
  ];
}

function panelOf(Plot: ObservablePlot, plan: PanelPlan): PlotOptions {
  const { view: { dates }, axis, lines, width, height, labels, title, top, bottom } = plan;
  const right = labels === null ? 8 : labels.room;
  const left = plan.bare ? 0 : upwardOf(plan).room;
  const [first, last] = [dates[0]!, dates.at(-1)!];
  const inside = height - top - bottom;
  const valueAt = (y: number) => valueAlong(axis, 1 - (y - top) / inside);
  const day = 43_200_000;
  const domain = dates.length > 1
    ? [first, last]
    : [new Date(first.getTime() - day), new Date(first.getTime() + day)];
  return {
    ...title === undefined ? {} : { title },
    ...{
      width,
      height,
      marginTop: top,
      marginLeft: left,
      marginBottom: bottom,
      marginRight: right,
    },
    x: { type: "utc", domain, axis: null },
    y: scaleOptions(axis),
    color: { type: "identity" },
    symbol: { type: "identity" } as never,
    marks: [
      ...axisMarks(Plot, plan, width - left - right),
      ...lineMarks(Plot, plan),
      ...labels === null ? [] : endLabelMarks(Plot, {
        ...{ labels, valueAt },
        after: (pixels) => new Date(+last + pixels * (+last - +first) / (width - left - right)),
        styleOf: (label) => {
          const { color, symbol, prominent } = lines.find((line) => line.label === label)!;
          const marked = prominent && dates.length <= MOST_DOTS;
          return {
            color,
            symbol: marked ? symbol : null,
            ink: prominent ? theme.ink : theme.muted,
          };
        },
      }),
    ],
  };
}

/** Names at the ends of the lines that reach the last period; null where they have no room. */
function namesOf(
  lines: readonly TimeLine[],
  { axis, width, height }: { axis: ValueAxis; width: number; height: number },
): EndLabels | null {
  if (lines.length < 2) return null;
  const inside = height - TOP - BOTTOM;
  const ends = lines.flatMap(({ label, points, prominent }) => {
    const value = points.at(-1)?.value ?? null;
    if (value === null) return [];
    return [{ label, y: TOP + (1 - placeOn(axis, value)) * inside, optional: !prominent }];
  });
  if (ends.length === 0) return null;
  return endLabels(ends, {
    top: TOP - 12,
    bottom: height - BOTTOM + 8,
    width: width * 0.28,
    farthest: 90,
  });
}

function legendOf(lines: readonly TimeLine[], labels: EndLabels | null): LegendItem[] {
  const named = new Set(labels?.labels.map(({ label }) => label));
  const missing = lines.filter(({ prominent, label }) => prominent && !named.has(label));
  return lines.length === 1 ? [] : missing.map(({ label, color, symbol }) => (
    { label, color, key: "line", marker: symbolPath(symbol) }
  ));
}

function rowsOf(series: readonly TimeSeries[]): FigureRow[] {
  return series.flatMap(({ label, points }) =>
    points.map(({ date, complete, value }) => ({ group: label, date, complete, value }))
  );
}

/** The figure of lines over time. */
export async function timelineFigure(view: TimelineView): Promise<PlotFigure> {
  const { about, theme: look, width, height, series, highlight } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, rows: rowsOf(series) };
  if (series.length === 0) {
    const panels = [noData(Plot, about.label, inner)];
    return { ...page, legend: [], columns: 1, gap: 0, panels };
  }
  const axis = axisOf(view);
  const lines = timeLines(view);
  if (series.length > MOST_TOGETHER && highlight === undefined) {
    const inside = Math.max(84, Math.min(120, height * 0.3));
    const size = { width: inner, inside, bottom: 34, top: 0, height: inside + 34, title: "" };
    const { room, label } = upwardOf({ view, axis, ...size });
    const grid = { ...size, narrowest: 120, room };
    return {
      ...{ ...page, legend: [], axis: label ?? "" },
      ...smallMultiples(
        lines,
        grid,
        (line, place) =>
          panelOf(Plot, { view, axis, lines: [line], labels: null, title: line.label, ...place }),
      ),
    };
  }
  const labels = namesOf(lines, { axis, width: inner, height });
  const room = { width: inner, height, top: TOP, bottom: BOTTOM };
  return {
    ...{ ...page, columns: 1, gap: 0, legend: legendOf(lines, labels) },
    panels: [panelOf(Plot, { view, axis, lines, ...room, labels })],
  };
}
