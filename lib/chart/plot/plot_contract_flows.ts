import { GAIN_COLOR, LOSS_COLOR, theme } from "../theme.ts";
import { type FlowRow, flowRows } from "../read/flow_rows.ts";
import type { FieldWords } from "../text/field_words.ts";
import { countOf, formatValue } from "../text/format.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { loadPlot, type ObservablePlot, type PlotOptions } from "./observable_plot.ts";
import { noData, rowLabelMarks, valueAxis, valueAxisMarks } from "./axes.ts";
import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../chart.ts";
import type { LegendItem } from "../page/page.ts";
import { type Asker, type ChartOptions, widthOf } from "../read/options.ts";
import { emptyWords, sourceNote } from "../read/values.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";

const TOP = 24;
const WORDS: FieldWords = { title: "Flows", unit: "usd", axis: "US$ in one day", additive: true };

function signed(value: number | null): string {
  if (value === null) return "no value";
  return `${value > 0 ? "+" : ""}${formatValue(value, "usd")}`;
}

/** Inflows to the right of zero, outflows to the left, the net as a diamond and in figures at the side. */
export function flowsPanel(
  Plot: ObservablePlot,
  groups: readonly FlowRow[],
  width: number,
): PlotOptions {
  const face = { size: theme.label.size, bold: true };
  const labels = rowLabels(groups.map(({ label }) => label), width);
  const nets = groups.map(({ net_flows }) => signed(net_flows));
  const right = Math.max(...["Net flow", ...nets].map((text) => textWidth(text, face))) + 16;
  const rows = groups.map((group, row) => ({
    row,
    inflows: group.inflows,
    outflows: group.outflows === null ? null : -group.outflows,
    net: group.net_flows,
  }));
  const values = rows.flatMap(({ inflows, outflows, net }) => [inflows, outflows, net])
    .filter((value) => value !== null);
  const axis = valueAxis(values, "linear");
  const bar = { y: "row", insetTop: 4, insetBottom: 4 };
  return {
    width,
    height: TOP + groups.length * labels.rowHeight + 44,
    marginTop: TOP,
    marginBottom: 44,
    marginLeft: labels.width,
    marginRight: right,
    x: { type: "linear", domain: [...axis.domain], inset: 8, axis: null },
    y: { type: "band", domain: groups.map((_, row) => row), axis: null, padding: 0 },
    marks: [
      ...valueAxisMarks(Plot, axis, { words: WORDS, width: width - labels.width - right }),
      ...rowLabelMarks(Plot, labels, 8),
      Plot.barX(rows.filter(({ inflows }) => inflows !== null), {
        ...bar,
        x: "inflows",
        fill: GAIN_COLOR,
        ariaDescription: "inflows",
      }),
      Plot.barX(rows.filter(({ outflows }) => outflows !== null), {
        ...bar,
        x: "outflows",
        fill: LOSS_COLOR,
        ariaDescription: "outflows",
      }),
      Plot.ruleX([0], { stroke: theme.ink }),
      Plot.dot(rows.filter(({ net }) => net !== null), {
        x: "net",
        y: "row",
        symbol: "diamond",
        r: 5,
        fill: theme.ink,
        stroke: theme.paper,
        ariaDescription: "net",
      }),
      Plot.text(["Net flow"], {
        frameAnchor: "top-right",
        textAnchor: "end",
        dx: right - 2,
        dy: -16,
        fontWeight: "bold",
      }),
      Plot.text(nets, {
        y: (_: string, row: number) => row,
        frameAnchor: "right",
        textAnchor: "end",
        dx: right - 2,
        fontWeight: "bold",
        ariaDescription: "net value",
      }),
    ],
  };
}

/** Options of `plotContractFlows`. */
export type PlotContractFlowsOptions = ChartOptions;

const LEGEND: readonly LegendItem[] = [
  { label: "inflows", color: GAIN_COLOR, key: "square" },
  { label: "outflows", color: LOSS_COLOR, key: "square" },
  { label: "net flow", color: theme.ink, key: "diamond" },
];
const asker: Asker = { name: "plotContractFlows", hint: "pass what contractFlows gives" };

/** The chart in a sentence. */
function describe(groups: readonly FlowRow[]): string {
  const named = groups.slice(0, 5).map(({ label, net_flows }) =>
    `${label} ${net_flows === null ? "no value" : formatValue(net_flows, "usd")}`
  );
  const more = groups.length > 5 ? ` and ${groups.length - 5} more` : "";
  return `Bar chart of ${countOf(groups.length, "group")}, net flows: ${named.join(", ")}${more}.`;
}

/**
 * What flowed into and out of contracts in one day, in US dollars, and the net of both, group by group.
 *
 * Takes what `contractFlows` gives: by project, market sector or chain. More than 12 groups fold into the 11
 * with the largest flows and "other". A flow that is null is not drawn, and the caption says so.
 *
 * @example
 * ```ts
 * import { contractFlows, plotContractFlows, projectContracts } from "@chainframe/chainframe";
 *
 * const flows = contractFlows(await projectContracts(), { by: "market_sector_id" });
 * const chart = plotContractFlows(flows);
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function plotContractFlows(
  frame: DataFrame,
  options: PlotContractFlowsOptions = {},
): PlotChart {
  const width = widthOf(options, asker);
  const { groups, notes } = flowRows(frame, asker);
  const valued = groups.some(({ inflows, outflows, net_flows }) =>
    inflows !== null || outflows !== null || net_flows !== null
  );
  const empty = valued ? null : emptyWords(frame);
  const about: About = {
    title: options.title ?? "Contract flows",
    subtitle: options.subtitle ?? "Inflows, outflows and net flow of one day, largest flows first",
    label: empty ?? describe(groups),
    caption: [...notes, sourceNote(options.source ?? frame)],
  };
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    return {
      ...about,
      width,
      columns: 1,
      gap: 0,
      legend: empty === null ? LEGEND : [],
      rows: groups.map((group) => ({ ...group })),
      panels: [empty === null ? flowsPanel(Plot, groups, inner) : noData(Plot, empty, inner)],
    };
  });
}
