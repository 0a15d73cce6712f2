import { responseOf } from "../table/track/provenance.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { BarItem } from "./drawing/bars.ts";
import { formatDay } from "./format.ts";
import { measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { readRows, recordsOf } from "./read/rows.ts";
import { combinedItem, firstValue, ranked } from "./read/combined.ts";
import { largest } from "./read/lines.ts";
import { countOf, lastDay, valueTexts } from "./words.ts";

const FLOWS = ["net_flows", "inflows", "outflows"] as const;
const MOST = 12;

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
 * Draws the flows of contracts in one day as bars, sorted by net flow. Net flows, inflows and outflows have a panel each.
 * Inflows and outflows share a scale. Net flows, which are often much smaller, have their own.
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
  const settings = chartSettings("plotContractFlows", options);
  const { fn, label, limit = MOST, source = frame, locale } = settings;
  const all = readRows(frame, { source: "a frame of contractFlows", label, numbers: FLOWS }, fn);
  const sizeOf = ({ values }: BarItem) => Math.max(...values.map((flow) => Math.abs(flow ?? 0)));
  const other = (rest: readonly BarItem[]) => combinedItem(rest, " groups", FLOWS.map(() => true));
  const what = "groups with the largest flows";
  const { kept, ...left } = largest(all, { limit, sizeOf, other }, what);
  const items = ranked(kept);
  const missing = all.filter(({ values }) => values.includes(null)).length;
  const partial = incompleteSums(frame);
  const day = lastDay(source);
  const noun = all[0]?.noun ?? "group";
  const isServed = responseOf(source) !== undefined || responseOf(frame) !== undefined;
  return readyChart({
    again: plotContractFlows,
    frame,
    settings,
    empty: all.every(({ values }) => values.every((flow) => flow === null)),
    words: {
      what: "Flows of contracts",
      of: countOf(items.filter(({ folded }) => !folded).length, noun),
      // The flows of the service are those of one day. Of own flows, the time is not known.
      span: day !== null ? formatDay(day, locale) : isServed ? "one day" : "",
      said: ["Ranked by net flow; in brackets: the rank; net flows have their own scale"],
      kind: "Bar charts",
      noun,
      rows: valueTexts(items, "usd", firstValue),
      rowsAre: "net flows",
      ...left,
      notes: [
        missing > 0 && `Without a value: a flow of ${missing} of ${countOf(all.length, noun)}.`,
        partial > 0 && `Sums of ${countOf(partial, noun)} leave out contracts without a value.`,
      ],
    },
    figure: (draw, look) => {
      const measures = FLOWS.map((name) => measureOf(frame, name));
      return draw.barsFigure({ measures, items, noun: "group", as: "bars", pooled: 1 }, look);
    },
  });
}
