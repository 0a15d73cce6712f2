import type { FigureRow, LegendItem, PlotFigure } from "../chart.ts";
import { formatterFor } from "../format.ts";
import { symbolPath, theme } from "../theme.ts";
import { AT_RISK_ROOM, atRiskMarks, monthTicks, usersAtRisk } from "./at_risk.ts";
import { noData, ticksOf, valueAxis } from "./axes.ts";
import { endLabelMarks, type EndLabels, endLabels, LABEL_GAP, LABEL_KEY } from "./end_labels.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import {
  type RetentionLine,
  type RetentionLines,
  retentionLines,
  type RetentionView,
} from "./retention_lines.ts";

const TOP = 34;
const BOTTOM = 44;
const LEFT = 48;

/** What a panel is drawn from: its lines, its size, and where its names stand. */
interface PanelPlan {
  readonly drawn: RetentionLines;
  readonly view: RetentionView;
  readonly width: number;
  readonly labels: EndLabels | null;
  /** The users that each month rests on, month by month; null where they are not shown. */
  readonly atRisk: ReadonlyMap<number, number> | null;
}

/** Labels at the ends of the lines, where there is room; else null. */
function lineLabels(
  { lines, months, shares: [bottom, top], observed }: RetentionLines,
  { width, height }: { width: number; height: number },
): EndLabels | null {
  const some = lines.some(({ prominent }) => !prominent);
  // Those in colour choose their places first.
  const order = lines.toSorted((a, b) => Number(b.prominent) - Number(a.prominent));
  const ends = order.flatMap(({ label, points, prominent }) => {
    const end = points.findLast(({ retention, predicted }) => (predicted ?? retention) !== null);
    if (end?.month !== months[1]) return [];
    const value = end.predicted ?? end.retention!;
    const share = (value - bottom) / (top - bottom);
    const y = TOP + (1 - share) * (height - TOP - BOTTOM);
    return [{ label, y, optional: !prominent || lines.length > 12 }];
  });
  const needed = lines.filter(({ prominent }) => prominent).length;
  if (lines.length < 2 || (!some && lines.length <= 12 && ends.length < needed)) return null;
  if (ends.length === 0 || observed < 0) return null;
  return endLabels(ends, { top: TOP - 12, bottom: height - BOTTOM + 8, width: width * 0.28 });
}

/** What stands right of the lines: intervals of the last month, and names. */
function shiftOf({ drawn: { lines }, view }: PanelPlan): number {
  return view.ends ? 5 * lines.filter(({ prominent }) => prominent).length + 2 : 0;
}

function rightOf(plan: PanelPlan): number {
  const names = plan.labels === null ? 16 : plan.labels.width + LABEL_GAP + LABEL_KEY + 2;
  return names + shiftOf(plan);
}

/** The intervals of the last month, side by side right of it, so that none hides another. */
function endIntervals(Plot: ObservablePlot, { drawn: { rows, lines } }: PanelPlan): Markish[] {
  const known = lines.filter(({ prominent }) => prominent).flatMap(({ label, color }) => {
    const row = rows.find(({ group, lower, upper }) =>
      group === label && lower !== null && upper !== null
    );
    return row === undefined ? [] : [{ ...row, color }];
  });
  return known.map((row, index) =>
    Plot.ruleX([row], {
      ...{ x: "month", y1: "lower", y2: "upper", stroke: row.color, strokeWidth: 2.5 },
      ...{ strokeOpacity: 0.75, dx: 6 + index * 5, ariaDescription: "interval" },
    })
  );
}

function lineMarks(Plot: ObservablePlot, plan: PanelPlan): Markish[] {
  const { drawn, view } = plan;
  const { rows, lines, forecast, observed } = drawn;
  const faint = new Set(lines.flatMap(({ prominent, label }) => prominent ? [] : [label]));
  const colored = rows.filter(({ group }) => !faint.has(String(group)));
  const line = { x: "month", z: "group", stroke: "group" };
  const band = { x: "month", z: "group", y1: "lower", y2: "upper", fill: "group" };
  const drawLines = (data: readonly FigureRow[], strokeWidth: number) => [
    Plot.line(data, {
      ...{ ...line, y: "predicted", strokeWidth: strokeWidth * 0.75, strokeDasharray: "5 3" },
      ariaDescription: "forecast",
    }),
    Plot.line(data, { ...line, y: "retention", strokeWidth, ariaDescription: "observed" }),
  ];
  return [
    ...view.bands
      ? [
        Plot.areaY(colored, {
          ...{ ...band, fillOpacity: lines.length > 4 ? 0.1 : 0.16 },
          ariaDescription: "confidence band",
        }),
      ]
      : [],
    ...view.ends ? endIntervals(Plot, plan) : [],
    ...forecast && Number.isFinite(observed)
      ? [
        Plot.ruleX([observed], {
          ...{ stroke: theme.muted, strokeDasharray: "1 3", ariaDescription: "end of data" },
        }),
        Plot.text([observed], {
          ...{ x: (month: number) => month, text: () => "data ends", frameAnchor: "top" },
          ...{ dx: -5, dy: 4, textAnchor: "end", fill: theme.muted, ariaDescription: "data ends" },
        }),
      ]
      : [],
    ...drawLines(rows.filter(({ group }) => faint.has(String(group))), 1),
    ...drawLines(colored, 2),
    Plot.dot(colored, {
      ...{ x: "month", y: "retention", fill: "group", symbol: "group" },
      ...{ r: lines.length > 6 ? 2.5 : 3, ariaDescription: "observed value" },
    }),
  ];
}

function axisMarks(Plot: ObservablePlot, plan: PanelPlan): Markish[] {
  const { drawn, view, width, atRisk } = plan;
  const { months, shares } = drawn;
  const style = { unit: "share" as const, locale: view.locale, format: view.format };
  const axis = { ...valueAxis([0, 1], "linear"), domain: shares };
  const ticks = ticksOf(axis, { style, width: view.height - TOP - BOTTOM, vertical: true });
  const right = rightOf(plan);
  const across = monthTicks(months, width - LEFT - right);
  return [
    Plot.gridY({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
    Plot.axisY({
      ...{ ticks, tickFormat: formatterFor(ticks, style), tickSize: 0, fill: theme.muted },
      ...{ label: "Users still active (%)", labelArrow: "none" },
    }),
    Plot.axisX({
      ...{ ticks: across, tickFormat: String, fill: theme.muted, stroke: theme.muted },
      label: "Months since the cohort began",
      ...{ labelAnchor: "center", labelArrow: "none", labelOffset: 36 },
    }),
    Plot.ruleY([0], { stroke: theme.muted }),
    ...atRisk === null ? [] : atRiskMarks(Plot, {
      ...{ users: atRisk, ticks: across, left: LEFT, below: BOTTOM, locale: view.locale },
      several: drawn.lines.length > 1,
      apart: (width - LEFT - right) * ((across[1] ?? 1) - (across[0] ?? 0)) /
        Math.max(1, months[1] - months[0]),
    }),
  ];
}

function retentionPanel(Plot: ObservablePlot, plan: PanelPlan): PlotOptions {
  const { drawn, view, width, labels, atRisk } = plan;
  const { lines, shares: [bottom, top], months } = drawn;
  const right = rightOf(plan);
  const domain = months[0] === months[1] ? [months[0] - 0.5, months[0] + 0.5] : [...months];
  const groups = lines.map(({ label }) => label);
  const below = atRisk === null ? 0 : AT_RISK_ROOM;
  const inside = view.height - TOP - BOTTOM;
  return {
    ...{ width, height: view.height + below, marginTop: TOP, marginLeft: LEFT },
    ...{ marginBottom: BOTTOM + below, marginRight: right },
    x: { type: "linear", domain, axis: null },
    y: { type: "linear", domain: [bottom, top], axis: null },
    color: { type: "ordinal", domain: groups, range: lines.map(({ color }) => color) },
    symbol: { domain: groups, range: lines.map(({ symbol }) => symbol) },
    marks: [
      ...axisMarks(Plot, plan),
      ...lineMarks(Plot, plan),
      ...labels === null ? [] : endLabelMarks(Plot, {
        ...{ labels, x: months[1], shift: shiftOf(plan) },
        valueAt: (y) => bottom + (1 - (y - TOP) / inside) * (top - bottom),
        styleOf: (label) => {
          const { color, symbol, prominent } = lines.find((line) => line.label === label)!;
          return { color, symbol, ink: prominent ? theme.ink : theme.muted };
        },
      }),
    ],
  };
}

function legendOf(
  drawn: RetentionLines,
  { bands, ends }: RetentionView,
  named: ReadonlySet<string>,
): LegendItem[] {
  const { lines, forecast, interval } = drawn;
  const [{ color, symbol }] = lines as readonly [RetentionLine];
  const marker = symbolPath(lines.length === 1 ? symbol : "circle");
  const neutral = lines.length === 1 ? color : theme.muted;
  const items: LegendItem[] = lines.length === 1
    ? []
    : lines.filter(({ prominent, label }) => prominent && !named.has(label)).map((line) => (
      { label: line.label, color: line.color, key: "line", marker: symbolPath(line.symbol) }
    ));
  if (forecast) {
    items.push(
      { label: "observed", color: neutral, key: "line", marker },
      { label: "forecast", color: neutral, key: "dashed" },
    );
  }
  if (bands || ends) items.push({ label: interval, color: neutral, key: "band" });
  return items;
}

/** The figure of retention curves. */
export async function retentionFigure(view: RetentionView): Promise<PlotFigure> {
  const { about, theme: look, width, lines, height } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0 };
  if (lines.length === 0) {
    return { ...page, legend: [], rows: [], panels: [noData(Plot, about.label, inner)] };
  }
  const drawn = retentionLines(view);
  const labels = lineLabels(drawn, { width: inner, height });
  const atRisk = usersAtRisk(drawn.lines);
  const named = new Set(labels?.labels.map(({ label }) => label));
  return {
    ...page,
    rows: drawn.rows,
    legend: legendOf(drawn, view, named),
    panels: [retentionPanel(Plot, { drawn, view, width: inner, labels, atRisk })],
  };
}
