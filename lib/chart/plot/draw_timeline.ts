import type { FigureRow, LegendItem, PlotFigure } from "../chart.ts";
import { formatDay, formatMonth, formatterFor } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { symbolPath, theme } from "../theme.ts";
import type { TimeSeries } from "../time_series.ts";
import { noData, placeOn, type ValueAxis } from "./axes.ts";
import { type EndLabels, endLabels } from "./end_labels.ts";
import { loadPlot, type ObservablePlot } from "./observable_plot.ts";
import { smallMultiples } from "./small_multiples.ts";
import { axisOf, type TimeLine, timeLines, type TimelineView } from "./time_lines.ts";
import { RIGHT, timelinePanel, upwardOf } from "./timeline_panel.ts";

const TOP = 30;
const BOTTOM = 40;
/** More lines than these in one panel cannot be told apart. */
const MOST_TOGETHER = 8;

/** What is written beside the names of panels: the values of the last period that is complete for all lines. */
function lastValues(
  { dates, words, hundred, locale, format }: TimelineView,
  lines: readonly TimeLine[],
) {
  const known = (period: number) =>
    lines.flatMap(({ points }) => {
      const point = points[period]!;
      return point.value === null ? [] : [point];
    });
  const last = dates.findLastIndex((_, period) =>
    known(period).length > 0 && known(period).every(({ complete }) => complete)
  );
  const date = dates[last];
  if (date === undefined) return null;
  // Of an index it is told how far it is from 100.
  const valueOf = ({ points }: TimeLine) => {
    const value = points[last]!.value;
    return value === null || !hundred ? value : value / 100 - 1;
  };
  const style = { unit: hundred ? "change" as const : words.unit, locale, format };
  const write = formatterFor(lines.map(valueOf), style);
  const texts = lines.map((line) => {
    const value = valueOf(line);
    return [line.label, value === null ? "" : write(value)] as const;
  });
  const months = dates.every((date) => date.getUTCDate() === 1);
  const day = (months ? formatMonth : formatDay)(date, locale);
  // The largest first, as it is written.
  const order = lines.toSorted((a, b) =>
    (valueOf(b) ?? -Infinity) - (valueOf(a) ?? -Infinity) || 0
  );
  return {
    order,
    texts: new Map(texts),
    says: `beside the names: ${hundred ? "change to " : ""}${day}`,
  };
}

/** A panel for each line. */
function panelsApart(
  Plot: ObservablePlot,
  view: TimelineView,
  { axis, lines: all }: { axis: ValueAxis; lines: readonly TimeLine[] },
) {
  const { height, width } = view;
  const inside = Math.max(84, Math.min(120, height * 0.3));
  const inner = width - 2 * theme.padding;
  const size = { width: inner, inside, bottom: 34, top: 0, height: inside + 34, title: "" };
  const { room, label } = upwardOf({ view, axis, ...size });
  const grid = { ...size, narrowest: 108, room };
  const last = lastValues(view, all);
  const lines = last?.order ?? all;
  const textOf = ({ label }: TimeLine) => last?.texts.get(label) ?? "";
  const draw = (written: boolean) =>
    smallMultiples(lines, grid, (line, place) =>
      timelinePanel(Plot, {
        ...{ view, axis, lines: [line], labels: null, title: line.label, ...place },
        value: written ? textOf(line) : "",
      }));
  const plain = draw(false);
  const fits = lines.every((line, index) => {
    const frame = plain.panels[index]!.width! - (index % plain.columns === 0 ? room : 0) - RIGHT;
    const name = textWidth(line.label, { size: theme.panel.size, bold: true });
    return name + 10 + textWidth(textOf(line), theme.label) <= frame;
  });
  if (last === null || !fits) return { ...plain, axis: label ?? "" };
  return { ...draw(true), axis: [label, last.says].filter((part) => part !== null).join("; ") };
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
    return { ...{ ...page, legend: [] }, ...panelsApart(Plot, view, { axis, lines }) };
  }
  const labels = namesOf(lines, { axis, width: inner, height });
  const room = { width: inner, height, top: TOP, bottom: BOTTOM };
  return {
    ...{ ...page, columns: 1, gap: 0, legend: legendOf(lines, labels) },
    panels: [timelinePanel(Plot, { view, axis, lines, ...room, labels })],
  };
}
