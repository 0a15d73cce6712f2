import {
  type RetentionLine,
  type RetentionOptions,
  type RetentionScene,
  retentionView,
} from "../read/retention.ts";
import { formatPercent } from "../text/format.ts";
import { symbolPath, theme } from "../theme.ts";
import { type EndLabels, endLabels } from "./end_labels.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import type { DataFrame } from "../../table/polars.ts";
import type { LegendItem } from "../page/page.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { noData } from "./axes.ts";

const HEIGHT = 400;
const TOP = 34;
const BOTTOM = 44;
const LEFT = 48;
const LABEL_GAP = 14;
const KEY = 11;

/** Labels at the ends of the lines, where all lines end in the same month and there is room; else null. */
export function lineLabels(
  { lines, months, shares: [bottom, top] }: RetentionScene,
  width: number,
): EndLabels | null {
  const ends = lines.flatMap(({ label, points }) => {
    const end = points.findLast(({ retention, predicted }) => (predicted ?? retention) !== null);
    if (end?.month !== months[1]) return [];
    const value = end.predicted ?? end.retention!;
    const share = (value - bottom) / (top - bottom);
    return [{ label, y: TOP + (1 - share) * (HEIGHT - TOP - BOTTOM) }];
  });
  if (lines.length < 2 || ends.length < lines.length) return null;
  return endLabels(ends, { top: TOP - 12, bottom: HEIGHT - BOTTOM + 8, width: width * 0.28 });
}

/** Whole months, as many as there is room for. */
function monthTicks([first, last]: readonly [number, number], width: number): number[] {
  const room = Math.max(2, Math.floor(width / 32));
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => (last - first) / step <= room) ?? 240;
  const start = Math.ceil(first / step) * step;
  const count = Math.floor((last - start) / step) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => start + index * step);
}

/** The name of each line beside its end, with a thin line to it where it had to move. */
function labelMarks(
  { dot, line, text }: ObservablePlot,
  scene: RetentionScene,
  { labels, pixel }: { labels: EndLabels; pixel: number },
): Markish[] {
  const { shares: [bottom, top], months: [, last] } = scene;
  const valueAt = (y: number) =>
    bottom + (1 - (y - TOP) / (HEIGHT - TOP - BOTTOM)) * (top - bottom);
  return labels.labels.flatMap(({ label, lines, y, at }) => {
    const { color } = scene.lines.find((line) => line.label === label)!;
    const leader = [[last + 5 * pixel, valueAt(y)], [last + (LABEL_GAP - 3) * pixel, valueAt(at)]];
    return [
      ...Math.abs(at - y) < 3 ? [] : [
        line(leader as [number, number][], {
          stroke: color,
          strokeWidth: 0.75,
          ariaDescription: "leader",
        }),
      ],
      dot([{ x: last, y: valueAt(at), group: label }], {
        x: "x",
        y: "y",
        fill: "group",
        symbol: "group",
        dx: LABEL_GAP + 3,
        r: 3,
        ariaDescription: "line key",
      }),
      text([{ x: last, y: valueAt(at) }], {
        x: "x",
        y: "y",
        text: () => lines.join("\n"),
        textAnchor: "start",
        dx: LABEL_GAP + KEY,
        lineHeight: theme.label.line / theme.label.size,
        ariaDescription: "line label",
      }),
    ];
  });
}

function lineMarks(Plot: ObservablePlot, { rows, lines, bands }: RetentionScene): Markish[] {
  const line = { x: "month", z: "group", stroke: "group" };
  const band = {
    x: "month",
    z: "group",
    y1: "lower",
    y2: "upper",
    fill: "group",
    fillOpacity: 0.16,
  };
  return [
    ...bands ? [Plot.areaY(rows, { ...band, ariaDescription: "confidence band" })] : [],
    Plot.line(rows, {
      ...line,
      y: "predicted",
      strokeWidth: 1.5,
      strokeDasharray: "5 3",
      ariaDescription: "forecast",
    }),
    Plot.line(rows, { ...line, y: "retention", strokeWidth: 2, ariaDescription: "observed" }),
    Plot.dot(rows, {
      x: "month",
      y: "retention",
      fill: "group",
      symbol: "group",
      r: lines.length > 6 ? 2.5 : 3,
      ariaDescription: "observed value",
    }),
  ];
}

/** The panel of a retention chart. */
export function retentionPanel(
  Plot: ObservablePlot,
  scene: RetentionScene,
  { width, labels }: { width: number; labels: EndLabels | null },
): PlotOptions {
  const { lines, shares, months } = scene;
  const right = labels === null ? 16 : labels.width + LABEL_GAP + KEY + 2;
  const [first, last] = months[0] === months[1] ? [months[0] - 0.5, months[0] + 0.5] : months;
  const across = width - LEFT - right;
  const groups = lines.map(({ label }) => label);
  return {
    width,
    height: HEIGHT,
    marginTop: TOP,
    marginLeft: LEFT,
    marginBottom: BOTTOM,
    marginRight: right,
    x: { type: "linear", domain: [first, last], axis: null },
    y: { type: "linear", domain: [...shares], axis: null },
    color: { type: "ordinal", domain: groups, range: lines.map(({ color }) => color) },
    symbol: { domain: groups, range: lines.map(({ symbol }) => symbol) },
    marks: [
      Plot.gridY({ ticks: 6, stroke: theme.grid, strokeOpacity: 1 }),
      Plot.axisY({
        ticks: 6,
        tickFormat: formatPercent,
        tickSize: 0,
        label: "Users still active (%)",
        labelArrow: "none",
        fill: theme.muted,
      }),
      Plot.axisX({
        ticks: monthTicks(months, across),
        tickFormat: String,
        label: "Months since the cohort began",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 36,
        fill: theme.muted,
        stroke: theme.muted,
      }),
      Plot.ruleY([0], { stroke: theme.muted }),
      ...lineMarks(Plot, scene),
      ...labels === null ? [] : labelMarks(Plot, scene, { labels, pixel: (last - first) / across }),
    ],
  };
}

function legendOf({ lines, rows, bands }: RetentionScene, direct: boolean): LegendItem[] {
  const [{ color, symbol }] = lines as readonly [RetentionLine];
  const marker = symbolPath(lines.length === 1 ? symbol : "circle");
  const neutral = lines.length === 1 ? color : theme.muted;
  const items: LegendItem[] = direct || lines.length === 1 ? [] : lines.map((line) => (
    { label: line.label, color: line.color, key: "line", marker: symbolPath(line.symbol) }
  ));
  if (rows.some(({ predicted }) => predicted !== null)) {
    items.push(
      { label: "observed", color: neutral, key: "line", marker },
      { label: "forecast", color: neutral, key: "dashed" },
    );
  }
  if (bands) items.push({ label: "confidence interval", color: neutral, key: "band" });
  return items;
}

/**
 * Retention curves: the share of users still active by months since their first month, one line per group,
 * with confidence bands, and a forecast dashed.
 *
 * Takes what `retentionCurves` (a line per cohort), `pooledRetention` (a line per group) or
 * `forecastRetention` (observed and predicted) gives. More than 12 lines fold into the 11 largest and
 * "other". A null is left empty.
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
 */
export function plotRetention(frame: DataFrame, options: RetentionOptions = {}): PlotChart {
  const { about, width, scene } = retentionView(frame, options, "plotRetention");
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const page = { ...about, width, columns: 1, gap: 0 };
    if (scene === null) {
      return { ...page, legend: [], rows: [], panels: [noData(Plot, about.label, inner)] };
    }
    const labels = lineLabels(scene, inner);
    return {
      ...page,
      rows: scene.rows,
      legend: legendOf(scene, labels !== null),
      panels: [retentionPanel(Plot, scene, { width: inner, labels })],
    };
  });
}
