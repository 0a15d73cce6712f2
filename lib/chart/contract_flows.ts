import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import type { About } from "./chart.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { countOf, formatDay, formatValue } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf } from "./options.ts";
import type { FlowRow } from "./plot/draw_flows.ts";
import { captionOf, emptyWords, groupsOf, lastDay, numberValues } from "./values.ts";

/**
 * Options of `plotContractFlows`.
 *
 * @category Charts
 */
export type PlotContractFlowsOptions = ChartOptions;

const FLOWS = ["inflows", "outflows", "net_flows"] as const;
const NAMES = [
  ...["project_name", "project_id", "market_sector_name", "market_sector_id"],
  ...["chain_name", "chain_id"],
];
const MOST = 12;

function volume({ inflows, outflows, net_flows }: FlowRow): number {
  if (inflows === null && outflows === null) return Math.abs(net_flows ?? -1);
  return Math.abs(inflows ?? 0) + Math.abs(outflows ?? 0);
}

function sumOf(rows: readonly FlowRow[], flow: typeof FLOWS[number]): number | null {
  const known = rows.map((row) => row[flow]).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** How many groups leave contracts out of their sums, because the service gave no value for them. */
function incomplete(frame: DataFrame): number {
  const columns = ["contracts", "inflows_count", "outflows_count"];
  if (!columns.every((name) => frame.columns.includes(name))) return 0;
  const [contracts, ...counts] = columns.map((name) => numberValues(frame, name));
  return contracts!.filter((all, row) => counts.some((count) => (count[row] ?? 0) < (all ?? 0)))
    .length;
}

/** The groups, largest flows first, and what the caption has to say about them. */
function flowRows(frame: DataFrame, label: string | undefined, most: number): {
  groups: FlowRow[];
  notes: string[];
} {
  const [inflows, outflows, net] = FLOWS.map((flow) => numberValues(frame, flow));
  const all = groupsOf(frame, { names: NAMES, label }).labels.map((label, row): FlowRow => ({
    ...{ label, folded: false },
    inflows: inflows![row]!,
    outflows: outflows![row]!,
    net_flows: net![row]!,
  })).toSorted((a, b) => volume(b) - volume(a));
  const missing = all.filter((row) => FLOWS.some((flow) => row[flow] === null)).length;
  const partial = incomplete(frame);
  const notes = [
    ...missing === 0 ? [] : [
      `Without a value, which is not zero: a flow of ${missing} of ${
        countOf(all.length, "group")
      }.`,
    ],
    ...partial === 0
      ? []
      : [`In ${countOf(partial, "group")} the sums leave out contracts that have no value.`],
  ];
  if (all.length <= most) return { groups: all, notes };
  const rest = all.slice(most - 1);
  const other: FlowRow = {
    ...{ label: `other (${countOf(rest.length, "group")})`, folded: true },
    inflows: sumOf(rest, "inflows"),
    outflows: sumOf(rest, "outflows"),
    net_flows: sumOf(rest, "net_flows"),
  };
  return {
    groups: [...all.slice(0, most - 1), other],
    notes: [
      `${all.length} groups: drawn are the ${
        most - 1
      } with the largest flows, and the sum of the rest as “other”.`,
      ...notes,
    ],
  };
}

/** The chart in a sentence. */
function describe(groups: readonly FlowRow[]): string {
  const named = groups.slice(0, 5).map(({ label, net_flows }) =>
    `${label} ${net_flows === null ? "no value" : formatValue(net_flows, "usd")}`
  );
  const more = groups.length > 5 ? ` and ${groups.length - 5} more` : "";
  return `Bar chart of ${countOf(groups.length, "group")}, net flows: ${named.join(", ")}${more}.`;
}

/**
 * What flowed into and out of contracts in one day, group by group: the net as a bar, inflows and outflows as
 * thin ones, in US dollars. Where sizes differ by more than a hundred the axis is logarithmic to both sides.
 *
 * Takes what `contractFlows` gives: by project, market sector or chain. Of more than 12 groups (`limit`) the 11
 * with the largest flows are drawn and "other". A flow that is null is not drawn, and the caption says so.
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
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotContractFlows(
  frame: DataFrame,
  options: PlotContractFlowsOptions = {},
): PlotChart {
  const settings = chartSettings("plotContractFlows", options, {});
  const { label, limit = MOST, from = frame, locale } = settings;
  requireColumns(frame, {
    ...{ asker: "plotContractFlows", source: "what contractFlows gives", numbers: FLOWS },
    columns: label === undefined ? [] : [label],
  });
  const { groups, notes } = flowRows(frame, label, limit);
  const valued = groups.some((group) => FLOWS.some((flow) => group[flow] !== null));
  const day = lastDay(from);
  const when = day === null ? "one day" : formatDay(day, locale);
  const about: About = {
    title: settings.title ?? `Net flow of contracts, ${when}`,
    subtitle: settings.subtitle ??
      "Bars: net flow; thin: inflows to the right, outflows to the left; largest flows first",
    label: valued ? describe(groups) : emptyWords(frame),
    caption: captionOf(frame, settings, notes),
  };
  type Draw = typeof import("./plot/draw_flows.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_flows.ts", import.meta.url).href);
  const view = { ...lookOf(about, settings), groups: valued ? groups : [] };
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).flowsFigure({ ...view, width }),
  });
}
