import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import type { BarItem } from "./drawing/bars.ts";
import { formatDay, formatterFor } from "./format.ts";
import { measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { ANY_NAMES, groupsOf, numberValues } from "./rows.ts";
import { largest } from "./series.ts";
import { described, drawnNote, lastDay } from "./words.ts";

/**
 * Options of `plotContractFlows`.
 *
 * @category Charts
 */
export type PlotContractFlowsOptions = ChartOptions;

const FLOWS = ["inflows", "outflows", "net_flows"] as const;
const MOST = 12;

function sumOf(items: readonly BarItem[], of: (item: BarItem) => number | null): number | null {
  const known = items.flatMap((item) => of(item) ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function otherOf(rest: readonly BarItem[]): BarItem {
  const label = `other (${rest.length} groups)`;
  return {
    id: label,
    label,
    folded: true,
    values: [sumOf(rest, ({ values }) => values[0]!)],
    inflow: sumOf(rest, ({ inflow = null }) => inflow),
    outflow: sumOf(rest, ({ outflow = null }) => outflow),
  };
}

/** The number of groups whose sums leave out contracts, because the service sent no value for them. */
function incompleteSums(frame: DataFrame): number {
  const columns = ["contracts", "inflows_count", "outflows_count"];
  if (!columns.every((name) => frame.columns.includes(name))) return 0;
  const [contracts, ...counts] = columns.map((name) => numberValues(frame, name));
  return contracts!.filter((all, row) => counts.some((count) => (count[row] ?? 0) < (all ?? 0)))
    .length;
}

/**
 * Draws the flows of contracts in one day: a dot for the net flow of each group, a line to the right for the inflow
 * and to the left for the outflow, sorted by net flow.
 *
 * Takes the result of `contractFlows`. Of more than 12 groups (see `limit`) the 11 with the largest flows are drawn,
 * plus the sum of the others.
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
  options: PlotContractFlowsOptions = {},
): PlotChart {
  const fn = "plotContractFlows";
  const settings = chartSettings(fn, options, {});
  const { label, limit = MOST, source = frame, locale } = settings;
  requireColumns(frame, {
    fn,
    source: "what contractFlows gives",
    columns: label === undefined ? [] : [label],
    numbers: FLOWS,
  });
  const [inflows, outflows, net] = FLOWS.map((flow) => numberValues(frame, flow));
  const { labels, ids } = groupsOf(frame, { names: ANY_NAMES, label });
  const all = labels.map((label, row): BarItem => ({
    id: ids[row]!,
    label,
    values: [net![row]!],
    inflow: inflows![row]!,
    outflow: outflows![row]!,
  }));
  const sizeOf = ({ inflow = null, outflow = null, values }: BarItem) =>
    Math.max(...[inflow, outflow, values[0]!].map((value) => Math.abs(value ?? 0)));
  const { kept, rest } = largest(all, { limit, sizeOf, other: otherOf });
  const items = kept.toSorted((a, b) =>
    Number(a.folded ?? false) - Number(b.folded ?? false) ||
    (b.values[0] ?? -Infinity) - (a.values[0] ?? -Infinity) || 0
  );
  const missing =
    all.filter(({ values, inflow, outflow }) => [values[0], inflow, outflow].includes(null)).length;
  const partial = incompleteSums(frame);
  const day = lastDay(source);
  const write = formatterFor(items.map(({ values }) => values[0]!), {
    unit: "usd",
    locale: "en-US",
  });
  const texts = items.map(({ label, values: [value = null] }) =>
    `${label} ${value === null ? "no value" : write(value)}`
  );
  return readyChart({
    frame,
    settings,
    empty: all.every(({ values, inflow, outflow }) =>
      [values[0], inflow, outflow].every((v) => v === null)
    ),
    words: {
      title: `Net flow of contracts, ${day === null ? "one day" : formatDay(day, locale)}`,
      subtitle: "Dot: net flow. Line: inflow (right) and outflow (left). Sorted by net flow.",
      label: described("Dot plot", texts, { noun: "group", what: "net flows" }),
      notes: {
        leftOut: [
          ...rest.length === 0 ? [] : drawnNote(
            limit - 1,
            all.length,
            "groups with the largest flows, and the sum of the others",
          ),
          ...missing === 0
            ? []
            : [`Without a value: a flow of ${missing} of ${all.length} groups.`],
          ...partial === 0
            ? []
            : [`Sums of ${partial} groups leave out contracts without a value.`],
        ],
      },
    },
    figure: (draw, look) =>
      draw.barsFigure(
        { measures: [measureOf("net_flows")], items, noun: "group", as: "flows" },
        look,
      ),
  });
}
