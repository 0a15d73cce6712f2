import { GAIN_COLOR, LOSS_COLOR, OTHER_COLOR, theme } from "../theme.ts";
import { type Entity, type Ranking, rankingView } from "../read/ranking.ts";
import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format.ts";
import { type RowLabels, rowLabels, textWidth } from "../text/layout.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import {
  noData,
  rowLabelMarks,
  type Scale,
  type ValueAxis,
  valueAxis,
  valueAxisMarks,
} from "./axes.ts";
import type { DataFrame } from "../../table/polars.ts";
import type { ChartOptions } from "../read/options.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";

/** Panels of bars, side by side, with one row for each entity. */
export interface RankedPanels {
  readonly panels: readonly PlotOptions[];
  readonly columns: number;
  readonly gap: number;
}

interface Bar {
  readonly row: number;
  readonly value: number;
  readonly text: string;
  readonly color: string;
}

interface PanelPlan {
  readonly words: FieldWords;
  readonly titled: boolean;
  readonly scale: Scale;
  /** The names of the rows; null in a panel that has a neighbour at its left. */
  readonly labels: RowLabels | null;
  readonly rowHeight: number;
  /** The width of the panel without the names. */
  readonly body: number;
}

const NARROWEST = 150;
const GAP = 16;

function barsOf(entities: readonly Entity[], index: number, { unit }: FieldWords): Bar[] {
  return entities.flatMap(({ values, folded }, row): Bar[] => {
    const value = values[index] ?? null;
    if (value === null) return [];
    const color = folded ? OTHER_COLOR : value < 0 ? LOSS_COLOR : GAIN_COLOR;
    return [{ row, value, text: formatValue(value, unit), color }];
  });
}

/** Room beside the bars for the values that are written there. */
function valueRoom(bars: readonly Bar[]): { left: number; right: number } {
  const widest = (side: readonly Bar[]) =>
    Math.max(0, ...side.map(({ text }) => textWidth(text, { size: theme.label.size }))) + 8;
  const negative = bars.filter(({ value }) => value < 0);
  return {
    left: negative.length === 0 ? 0 : widest(negative),
    right: Math.max(widest(bars.filter(({ value }) => value >= 0)), 20),
  };
}

function barMarks(
  Plot: ObservablePlot,
  bars: readonly Bar[],
  { log, domain: [low] }: ValueAxis,
): Markish[] {
  const body = log
    ? [
      Plot.ruleY(bars, { y: "row", x1: low, x2: "value", stroke: theme.faint }),
      Plot.dot(bars, { y: "row", x: "value", fill: "color", r: 5 }),
    ]
    : [
      Plot.barX(bars, { y: "row", x: "value", fill: "color", insetTop: 3, insetBottom: 3 }),
      Plot.ruleX([0], { stroke: theme.muted }),
    ];
  const texts = (keep: (bar: Bar) => boolean, textAnchor: "start" | "end", dx: number) =>
    Plot.text(bars.filter(keep), {
      y: "row",
      x: "value",
      text: "text",
      textAnchor,
      dx,
      ariaDescription: "value",
    });
  const dx = log ? 9 : 5;
  return [
    ...body,
    texts(({ value }) => value >= 0, "start", dx),
    texts(({ value }) => value < 0, "end", -dx),
  ];
}

function panelOf(
  Plot: ObservablePlot,
  entities: readonly Entity[],
  index: number,
  { words, titled, scale, labels, rowHeight, body }: PanelPlan,
): PlotOptions {
  const bars = barsOf(entities, index, words);
  const axis = valueAxis(bars.map(({ value }) => value), scale);
  const room = valueRoom(bars);
  const names = labels?.width ?? 0;
  const missing = entities.flatMap(({ values }, row) => values[index] === null ? [row] : []);
  return {
    ...titled ? { title: words.title } : {},
    width: body + names,
    height: entities.length * rowHeight + 46,
    marginTop: 6,
    marginBottom: 40,
    marginLeft: names + room.left,
    marginRight: room.right,
    x: { type: axis.log ? "log" : "linear", domain: [...axis.domain], axis: null },
    y: { type: "band", domain: entities.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      ...valueAxisMarks(Plot, axis, { words, width: body - room.left - room.right }),
      ...labels === null ? [] : rowLabelMarks(Plot, labels, 6 + room.left),
      ...barMarks(Plot, bars, axis),
      Plot.text(missing, {
        y: (row: number) => row,
        x: () => Math.max(axis.domain[0], 0),
        text: () => "no value",
        textAnchor: "start",
        dx: 5,
        fill: theme.muted,
        ariaDescription: "missing",
      }),
    ],
  };
}

/** A panel of bars for each field; on a logarithmic axis dots, because a bar there would have no zero. */
export function rankedPanels(
  Plot: ObservablePlot,
  entities: readonly Entity[],
  { words, scale, width }: { words: readonly FieldWords[]; scale: Scale; width: number },
): RankedPanels {
  const labels = rowLabels(entities.map(({ label }) => label), width);
  const most = Math.max(1, Math.floor((width - labels.width + GAP) / (NARROWEST + GAP)));
  const columns = Math.min(words.length, most, words.length === 4 ? 2 : 3);
  return {
    columns,
    gap: GAP,
    panels: words.map((field, index) =>
      panelOf(Plot, entities, index, {
        words: field,
        titled: words.length > 1,
        scale,
        labels: index % columns === 0 ? labels : null,
        rowHeight: labels.rowHeight,
        body: (width - labels.width - GAP * (columns - 1)) / columns,
      })
    ),
  };
}

/** Rows ranked by a value, with bars in one panel for each field. */
export function rankedChart(
  frame: DataFrame,
  options: ChartOptions,
  { scale, ...ranking }: Ranking & { readonly scale: Scale },
): PlotChart {
  const { about, width, entities } = rankingView(frame, options, ranking);
  const { fields, words, noun } = ranking;
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const panels = entities.length > 0
      ? rankedPanels(Plot, entities, { words, scale, width: inner })
      : { panels: [noData(Plot, about.label, inner)], columns: 1, gap: 0 };
    const rows = entities.map(({ label, values }) => ({
      [noun]: label,
      ...Object.fromEntries(fields.map((field, index) => [field, values[index]!])),
    }));
    return { ...about, width, legend: [], rows, ...panels };
  });
}
