import type { LegendItem, PlotFigure } from "../chart.ts";
import { GAIN_COLOR, LOSS_COLOR } from "../colors.ts";
import { formatterFor } from "../format.ts";
import type { Look } from "../options.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, rowLabelMarks, scaleOptions, signedAxis, valueAxisMarks } from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";

/** The flows of one group of contracts, in US dollars. */
export interface FlowRow {
  readonly label: string;
  readonly inflows: number | null;
  readonly outflows: number | null;
  readonly net_flows: number | null;
  /** Whether it stands for those that were folded together. */
  readonly folded: boolean;
}

/** A chart of flows: what it says, its rows, and how it looks. */
export interface FlowsView extends Look {
  /** None where no value is known. */
  readonly groups: readonly FlowRow[];
}

const TOP = 24;

/** Inflows, outflows and net of a row, outflows below zero; a null is left out of each. */
function signedRows(groups: readonly FlowRow[]) {
  const rows = groups.map(({ inflows, outflows, net_flows }, row) => ({
    ...{ row, inflows, net: net_flows },
    outflows: outflows === null ? null : -outflows,
  }));
  const known = (flow: "inflows" | "outflows" | "net") =>
    rows.flatMap((each) => each[flow] === null ? [] : [{ row: each.row, value: each[flow] }]);
  return { inflows: known("inflows"), outflows: known("outflows"), net: known("net") };
}

/** The net as the bar, what came in and went out as thin bars below it. */
function flowMarks(
  Plot: ObservablePlot,
  { inflows, outflows, net }: ReturnType<typeof signedRows>,
  rowHeight: number,
): Markish[] {
  const bar = { y: "row", x1: 0, x2: "value" };
  const thin = { ...bar, insetTop: rowHeight - 8, insetBottom: 4, fillOpacity: 0.55 };
  return [
    Plot.barX(inflows, { ...thin, fill: GAIN_COLOR, ariaDescription: "inflows" }),
    Plot.barX(outflows, { ...thin, fill: LOSS_COLOR, ariaDescription: "outflows" }),
    Plot.barX(net, {
      ...{ ...bar, insetTop: 3, insetBottom: 9, ariaDescription: "net" },
      fill: ({ value }: { value: number }) => value < 0 ? LOSS_COLOR : GAIN_COLOR,
    }),
    Plot.ruleX([0], { stroke: theme.ink }),
  ];
}

/** The net in figures, at the side. */
function netTexts(Plot: ObservablePlot, nets: readonly string[], right: number): Markish[] {
  const side = { textAnchor: "end" as const, dx: right - 2, fontWeight: "bold" as const };
  return [
    Plot.text(["Net flow"], { ...side, frameAnchor: "top-right", dy: -16 }),
    Plot.text(nets, {
      ...{ ...side, y: (_: string, row: number) => row, frameAnchor: "right" },
      ariaDescription: "net value",
    }),
  ];
}

function flowsPanel(Plot: ObservablePlot, view: FlowsView, width: number): PlotOptions {
  const { groups, locale, format } = view;
  const face = { size: theme.label.size, bold: true };
  const labels = rowLabels(groups.map(({ label }) => label), width);
  const rows = signedRows(groups);
  const style = { unit: "usd" as const, locale, format };
  const write = formatterFor(rows.net.map(({ value }) => value), style);
  const nets = groups.map(({ net_flows: net }) =>
    net === null ? "no value" : `${net > 0 ? "+" : ""}${write(net)}`
  );
  const right = Math.max(...["Net flow", ...nets].map((text) => textWidth(text, face))) + 16;
  const values = Object.values(rows).flat().map(({ value }) => value);
  const compared = groups.map(({ inflows, outflows, net_flows }) =>
    Math.max(...[inflows, outflows, net_flows].map((value) => Math.abs(value ?? 0)))
  );
  const axis = signedAxis(values, compared);
  const rowHeight = Math.max(labels.rowHeight, 28);
  return {
    ...{ width, height: TOP + groups.length * rowHeight + 44 },
    ...{ marginTop: TOP, marginBottom: 44, marginLeft: labels.width, marginRight: right },
    x: { ...scaleOptions(axis), inset: 8 },
    y: { type: "band", domain: groups.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      ...valueAxisMarks(Plot, axis, {
        ...{ style, width: width - labels.width - right - 16, name: "US$ in one day" },
      }),
      ...rowLabelMarks(Plot, labels, 8),
      ...flowMarks(Plot, rows, rowHeight),
      ...netTexts(Plot, nets, right),
    ],
  };
}

const LEGEND: readonly LegendItem[] = [
  { label: "into contracts", color: GAIN_COLOR, key: "square" },
  { label: "out of contracts", color: LOSS_COLOR, key: "square" },
];

/** The figure of flows. */
export async function flowsFigure(view: FlowsView): Promise<PlotFigure> {
  const { about, theme: look, groups, width } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0 };
  if (groups.length === 0) {
    return { ...page, legend: [], rows: [], panels: [noData(Plot, about.label, inner)] };
  }
  return {
    ...page,
    legend: LEGEND,
    rows: groups.map(({ folded: _, ...group }) => group),
    panels: [flowsPanel(Plot, view, inner)],
  };
}
