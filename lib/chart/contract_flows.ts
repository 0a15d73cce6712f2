import type { DataFrame } from "../table/polars.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import type { BarItem } from "./drawing/bars.ts";
import { countOf, formatDay } from "./format.ts";
import { groupNoun, measureOf } from "./measures.ts";
import { captionOf } from "./notes.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { readRows, recordsOf } from "./read/rows.ts";
import { combined, firstValue, ranked } from "./read/combined.ts";
import { largest } from "./read/lines.ts";
import { lastDay, valueTexts } from "./words.ts";

const FLOWS = ["inflows", "outflows", "net_flows"] as const;
const MOST = 12;

/**
 * Reads one item for each group. The value of an item is the net flow. The upper bound is the inflow, and the lower
 * bound is the negative outflow.
 */
function itemsOf(frame: DataFrame, label: string | undefined, fn: string): BarItem[] {
  const rows = readRows(frame, { source: "a frame of contractFlows", label, numbers: FLOWS }, fn);
  return rows.map(({ id, label, kind, values: [upper, outflow, net] }) => (
    { id, label, kind, values: [net!], upper: upper!, lower: outflow! && -outflow! }
  ));
}

/** Returns the net flow, the inflow and the outflow of a group. */
function flowsOf({ values: [net = null], lower = null, upper = null }: BarItem) {
  return [net, upper, lower] as const;
}

/**
 * Returns the number of groups whose sums leave out contracts, because the service sent no value for these contracts.
 */
function incompleteSums(frame: DataFrame): number {
  const columns = ["contracts", "inflows_count", "outflows_count"] as const;
  if (!columns.every((name) => frame.columns.includes(name))) return 0;
  return recordsOf(frame, { numbers: columns }).filter((row) =>
    Math.min(row.inflows_count ?? 0, row.outflows_count ?? 0) < (row.contracts ?? 0)
  ).length;
}

/**
 * Draws the flows of contracts in one day, sorted by net flow. Each group has a dot for the net flow, a line to the
 * right for the inflow, and a line to the left for the outflow.
 *
 * Takes the result of `contractFlows`. If there are more than 12 groups (see `limit`), the 12 groups with the
 * largest flows and the sum of the other groups are drawn.
 *
 * @example
 * ```ts
 * import { contractFlows, plotContractFlows, projectContracts } from "@chainframe/chainframe";
 *
 * const chart = plotContractFlows(contractFlows(await projectContracts(), { by: "market_sector_id" }));
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column is missing, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotContractFlows(
  frame: DataFrame,
  options: ChartOptions = {},
): PlotChart {
  const fn = "plotContractFlows";
  const settings = chartSettings(fn, options, {});
  const { label, limit = MOST, source = frame, locale } = settings;
  const all = itemsOf(frame, label, fn);
  const sizeOf = (item: BarItem) => Math.max(...flowsOf(item).map((flow) => Math.abs(flow ?? 0)));
  const other = (rest: readonly BarItem[]) => combined(rest, " groups");
  const what = "groups with the largest flows";
  const { kept, note } = largest(all, { limit, sizeOf, other }, what);
  const items = ranked(kept);
  const missing = all.filter((item) => flowsOf(item).includes(null)).length;
  const partial = incompleteSums(frame);
  const day = lastDay(source);
  const noun = groupNoun(label ?? items[0]?.kind);
  return readyChart({
    again: plotContractFlows,
    frame,
    settings,
    empty: all.every((item) => flowsOf(item).every((flow) => flow === null)),
    ...captionOf({
      what: "Flows of contracts",
      of: countOf(items.filter(({ folded }) => !folded).length, noun),
      span: day === null ? "one day" : formatDay(day, locale),
      said: ["Large dot: net flow. Line: inflow (right) and outflow (left). Sorted by net flow."],
      kind: "Dot plot",
      noun,
      rows: valueTexts(items, "usd", firstValue),
      rowsAre: "net flows",
      dropped: note,
      notes: [
        missing > 0 && `Without a value: a flow of ${missing} of ${countOf(all.length, noun)}.`,
        partial > 0 && `Sums of ${countOf(partial, noun)} leave out contracts without a value.`,
      ],
    }),
    figure: (draw, look) =>
      draw.barsFigure(
        { measures: [measureOf(frame, "net_flows")], items, noun, as: "flows" },
        look,
      ),
  });
}
