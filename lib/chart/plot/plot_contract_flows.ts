import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import type { LegendItem } from "../page/legend.ts";
import { GAIN_COLOR, LOSS_COLOR } from "../palette.ts";
import { type ChartOptions, widthOf } from "../read/chart_options.ts";
import type { Asker } from "../read/check_columns.ts";
import { emptyWords } from "../read/empty_words.ts";
import { type FlowRow, flowRows } from "../read/flow_rows.ts";
import { sourceNote } from "../read/source_note.ts";
import { countOf } from "../text/count_of.ts";
import { formatValue } from "../text/format_value.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { flowsPanel } from "./flows_panel.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";

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
