import type { FigureRow, LegendItem, PlotFigure } from "../chart.ts";
import { formatterFor } from "../format.ts";
import { symbolPath, theme } from "../theme.ts";
import type { TimePoint, TimeSeries } from "../time_series.ts";
import { noData, placeOn, scaleOptions, ticksOf, type ValueAxis } from "./axes.ts";
import { endLabelMarks, type EndLabels, endLabels, LABEL_GAP, LABEL_KEY } from "./end_labels.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { axisOf, openPieces, type TimeLine, timeLines, type TimelineView } from "./time_lines.ts";

const TOP = 26;
const BOTTOM = 40;
const LEFT = 64;
const GAP = 16;
/** More lines than these in one panel cannot be told apart. */
const MOST_TOGETHER = 8;
/** More points than these are not marked one by one. */
const MOST_DOTS = 40;

/** Points that stand alone or are not final are marked; the others where there are few. */
function dotsOf({ points }: TimeLine): TimePoint[] {
  const few = points.length <= MOST_DOTS;
  return points.filter(({ value, complete }, index) =>
    value !== null &&
    (few || !complete ||
      ((points[index - 1]?.value ?? null) === null && (points[index + 1]?.value ?? null) === null))
  );
}

function lineMarks(Plot: ObservablePlot, lines: readonly TimeLine[]): Markish[] {
  return lines.flatMap((line) => {
    const { color, symbol, prominent, points } = line;
    const strokeWidth = prominent ? 2 : 1;
    const dots = prominent ? dotsOf(line) : [];
    const at = { x: "date", y: "value", symbol, r: 3 };
    return [
      Plot.line(points.map((point) => point.complete ? point : { ...point, value: null }), {
        ...{ x: "date", y: "value", stroke: color, strokeWidth, ariaDescription: "line" },
      }),
      Plot.link(openPieces(line), {
        x1: ([from]) => from.date,
        y1: ([from]) => from.value,
        x2: ([, to]) => to.date,
        y2: ([, to]) => to.value,
        ...{ stroke: color, strokeWidth, strokeDasharray: "4 3", ariaDescription: "not complete" },
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
  readonly title?: string;
}

function axisMarks(Plot: ObservablePlot, plan: PanelPlan, right: number): Markish[] {
  const { view: { words, locale, format, hundred, dates }, axis, width, height, title } = plan;
  const style = { unit: words.unit, locale, format };
  const small = title !== undefined;
  const ticks = ticksOf(axis, {
    ...{ style, width: height - TOP - BOTTOM, vertical: true, most: small ? 4 : 7 },
  });
  const kind = axis.type === "log" ? "log scale" : "";
  const label = small ? "" : [words.axis, kind].filter((word) => word !== "").join(", ");
  // Plot puts ticks on round dates; a single day has only itself.
  const across = dates.length < 2
    ? { ticks: [...dates], tickFormat: (date: Date) => date.toISOString().slice(0, 10) }
    : { ticks: Math.max(2, Math.floor((width - LEFT - right) / 70)) };
  return [
    Plot.gridY({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
    Plot.axisY({
      ...{ ticks, tickFormat: formatterFor(ticks, style), tickSize: 0, fill: theme.muted },
      ...{ label: label === "" ? null : label, labelArrow: "none" },
    }),
    Plot.axisX({ ...across, label: null, fill: theme.muted, stroke: theme.muted }),
    ...axis.type === "linear" && axis.domain[0] < 0
      ? [Plot.ruleY([0], { stroke: theme.muted })]
      : [],
    ...hundred
      ? [Plot.ruleY([100], { stroke: theme.muted, strokeDasharray: "1 3", ariaDescription: "100" })]
      : [],
  ];
}

function panelOf(Plot: ObservablePlot, plan: PanelPlan): PlotOptions {
  const { view: { dates }, axis, lines, width, height, labels, title } = plan;
  const right = labels === null ? 16 : labels.width + LABEL_GAP + LABEL_KEY + 2;
  const [first, last] = [dates[0]!, dates.at(-1)!];
  const inside = height - TOP - BOTTOM;
  const valueAt = (y: number) => {
    const place = 1 - (y - TOP) / inside;
    const [low, high] = axis.domain;
    return axis.type === "log" ? low * (high / low) ** place : low + place * (high - low);
  };
  const day = 43_200_000;
  const domain = dates.length > 1
    ? [first, last]
    : [new Date(first.getTime() - day), new Date(first.getTime() + day)];
  return {
    ...title === undefined ? {} : { title },
    ...{
      width,
      height,
      marginTop: TOP,
      marginLeft: LEFT,
      marginBottom: BOTTOM,
      marginRight: right,
    },
    x: { type: "utc", domain, axis: null },
    y: scaleOptions(axis),
    color: { type: "identity" },
    symbol: { type: "identity" } as never,
    marks: [
      ...axisMarks(Plot, plan, right),
      ...lineMarks(Plot, lines),
      ...labels === null ? [] : endLabelMarks(Plot, {
        ...{ labels, x: last, valueAt },
        styleOf: (label) => {
          const { color, symbol, prominent } = lines.find((line) => line.label === label)!;
          return { color, symbol, ink: prominent ? theme.ink : theme.muted };
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
  return endLabels(ends, { top: TOP - 12, bottom: height - BOTTOM + 8, width: width * 0.28 });
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
    const columns = Math.max(1, Math.min(3, Math.floor((inner + GAP) / (220 + GAP))));
    const room = (inner - GAP * (columns - 1)) / columns;
    const size = { width: room, height: Math.max(120, Math.min(190, height / 2)), labels: null };
    return {
      ...{ ...page, legend: [], columns, gap: GAP },
      panels: lines.map((line) =>
        panelOf(Plot, { view, axis, lines: [line], ...size, title: line.label })
      ),
    };
  }
  const labels = namesOf(lines, { axis, width: inner, height });
  return {
    ...{ ...page, columns: 1, gap: 0, legend: legendOf(lines, labels) },
    panels: [panelOf(Plot, { view, axis, lines, width: inner, height, labels })],
  };
}
