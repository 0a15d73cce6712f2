import { checkOptions, oneOf } from "../../platform/check_options.ts";
import { nameColumn } from "../../table/read/names.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { withProvenance } from "../../table/show/show.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { inGroups, numberOfColumn, sumOrNull } from "../columnar.ts";

const OPTIONS = { by: oneOf(["project_id", "market_sector_id", "chain_id"]) };

const FLOWS = ["inflows", "outflows", "net_flows"];

/**
 * Adds up the inflows and outflows of contracts on the last day. Returns one row per project, sector or chain, in order
 * of first appearance.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or the columns of another `by` | String | the id and the name of the group that the option `by` selects |
 * | `contracts` | Int64 | number of contracts |
 * | `inflows`, `outflows`, `net_flows` | Float64 | US dollars: the sums of `inflows_1d_sum`, `outflows_1d_sum`, `net_flows_1d_sum`; null if no contract has a value, or if infinite values of both signs occur |
 * | `inflows_count`, `outflows_count`, `net_flows_count` | Int64 | for each sum, the number of contracts that have a value |
 *
 * Each sum leaves out contracts whose value is null. So `net_flows` may differ from `inflows - outflows` if the three
 * sums leave out different contracts.
 *
 * @example What flowed in and out of each project
 * ```ts
 * import { contractFlows, projectContracts } from "@chainframe/chainframe";
 *
 * const flows = contractFlows(await projectContracts(), { by: "project_id" });
 * console.log(flows.sort({ by: "net_flows", descending: true, nullsLast: true }).toString());
 * ```
 *
 * @param contracts a frame of `projectContracts`
 * @throws {RangeError} when columns are missing, or `by` is not one of the three columns.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function contractFlows(
  contracts: DataFrame,
  options: {
    /**
     * The groups, with one row each: `"project_id"`, `"market_sector_id"` or `"chain_id"`.
     *
     * @default {"project_id"}
     */
    readonly by?: "project_id" | "market_sector_id" | "chain_id";
  } = {},
): Frame {
  const { by = "project_id" } = checkOptions(options, OPTIONS, "contractFlows");
  const name = nameColumn(by);
  requireColumns(contracts, {
    fn: "contractFlows",
    source: "a frame of projectContracts",
    columns: [by, name],
    numbers: FLOWS.map((flow) => `${flow}_1d_sum`),
  });
  const value = (flow: string) => numberOfColumn(`${flow}_1d_sum`);
  const flows = inGroups(contracts, [by], [
    pl.col(name).dropNulls().first(),
    pl.len().cast(pl.Int64).alias("contracts"),
    // The sum of infinities of both signs is undefined.
    ...FLOWS.map((flow) => sumOrNull(value(flow)).fillNan(pl.lit(null)).alias(flow)),
    ...FLOWS.map((flow) => value(flow).count().cast(pl.Int64).alias(`${flow}_count`)),
  ]);
  return withProvenance(contracts, flows, {
    fn: "contractFlows",
    options,
    first: ["net_flows", "inflows", "outflows"],
    of: FLOWS.map((flow) => `${flow}_1d_sum`),
    columns: computedColumns([
      ["contracts over groups", "contracts", ...FLOWS.map((flow) => `${flow}_count`)],
      ["usd over both", ...FLOWS],
    ]),
  });
}
