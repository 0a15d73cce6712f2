import type { DataFrame } from "../../table/polars.ts";
import { countOf } from "../text/format.ts";
import { type Asker, checkColumns } from "./options.ts";
import { groupLabels, numberValues } from "./values.ts";

/** The flows of one group of contracts, in US dollars. */
export interface FlowRow {
  readonly label: string;
  readonly inflows: number | null;
  readonly outflows: number | null;
  readonly net_flows: number | null;
}

/** The groups, largest flows first, and what the caption has to say about them. */
export interface FlowRows {
  readonly groups: readonly FlowRow[];
  readonly notes: readonly string[];
}

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

/** How many contracts the sums leave out because the service gave no value for them. */
function incomplete(frame: DataFrame, asker: Asker): number {
  if (
    !["contracts", "inflows_count", "outflows_count"].every((name) => frame.columns.includes(name))
  ) {
    return 0;
  }
  const contracts = numberValues(frame, "contracts", asker);
  const counts = ["inflows_count", "outflows_count"].map((name) =>
    numberValues(frame, name, asker)
  );
  return contracts.filter((all, row) => counts.some((count) => (count[row] ?? 0) < (all ?? 0)))
    .length;
}

/** Reads what `contractFlows` gives into at most twelve groups. */
export function flowRows(frame: DataFrame, asker: Asker): FlowRows {
  checkColumns(frame, FLOWS, asker);
  const [inflows, outflows, net] = FLOWS.map((flow) => numberValues(frame, flow, asker));
  const all = groupLabels(frame, NAMES, "all").map((label, row): FlowRow => ({
    label,
    inflows: inflows![row]!,
    outflows: outflows![row]!,
    net_flows: net![row]!,
  })).toSorted((a, b) => volume(b) - volume(a));
  const missing = all.filter((row) => FLOWS.some((flow) => row[flow] === null)).length;
  const partial = incomplete(frame, asker);
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
  if (all.length <= MOST) return { groups: all, notes };
  const rest = all.slice(MOST - 1);
  const other: FlowRow = {
    label: `other (${rest.length} groups)`,
    inflows: sumOf(rest, "inflows"),
    outflows: sumOf(rest, "outflows"),
    net_flows: sumOf(rest, "net_flows"),
  };
  return {
    groups: [...all.slice(0, MOST - 1), other],
    notes: [
      `${all.length} groups: drawn are the ${
        MOST - 1
      } with the largest flows, and the sum of the rest as “other”.`,
      ...notes,
    ],
  };
}
