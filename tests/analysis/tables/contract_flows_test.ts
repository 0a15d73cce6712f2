import { deepEqual, equal, throws } from "node:assert/strict";
import { contractFlows } from "../../../lib/analysis/tables/contract_flows.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";

function contracts(): DataFrame {
  return pl.DataFrame([
    utf8("project_id", ["b", "a", "b", "c"]),
    utf8("project_name", [null, "The a", "The b", "The c"]),
    utf8("market_sector_id", ["loans", "loans", "games", "games"]),
    utf8("market_sector_name", ["Loans", "Loans", "Games", "Games"]),
    utf8("chain_id", ["alder", "birch", "alder", null]),
    utf8("chain_name", ["Alder", "Birch", "Alder", null]),
    float64("inflows_1d_sum", [10, 20, null, null]),
    float64("outflows_1d_sum", [1, 2, 4, null]),
    float64("net_flows_1d_sum", [9, 18, null, null]),
  ]);
}

Deno.test("contractFlows sums by project, skips nulls and counts the values used", () => {
  const flows = contractFlows(contracts());
  deepEqual(flows.columns, [
    ...["project_id", "project_name", "contracts", "inflows", "outflows", "net_flows"],
    ...["inflows_count", "outflows_count", "net_flows_count"],
  ]);
  deepEqual(flows.rows(), [
    ["b", "The b", 2, 10, 5, 9, 1, 2, 1],
    ["a", "The a", 1, 20, 2, 18, 1, 1, 1],
    ["c", "The c", 1, null, null, null, 0, 0, 0],
  ]);
});

Deno.test("contractFlows sums by sector and by chain", () => {
  deepEqual(contractFlows(contracts(), { by: "market_sector_id" }).rows(), [
    ["loans", "Loans", 2, 30, 3, 27, 2, 2, 2],
    ["games", "Games", 2, null, 4, null, 0, 1, 0],
  ]);
  deepEqual(contractFlows(contracts(), { by: "chain_id" }).rows(), [
    ["alder", "Alder", 2, 10, 5, 9, 1, 2, 1],
    ["birch", "Birch", 1, 20, 2, 18, 1, 1, 1],
    [null, null, 1, null, null, null, 0, 0, 0],
  ]);
});

Deno.test("contractFlows gives null and a count for infinities of both signs, never NaN", () => {
  const odd = contracts().withColumn(
    pl.Series("inflows_1d_sum", [Infinity, Infinity, -Infinity, NaN], pl.Float64),
  );
  const flows = contractFlows(odd).select("project_id", "inflows", "inflows_count");
  deepEqual(flows.rows(), [["b", null, 2], ["a", Infinity, 1], ["c", null, 0]]);
});

Deno.test("contractFlows of no contracts has every column and no rows", () => {
  const flows = contractFlows(contracts().slice(0, 0));
  equal(flows.height, 0);
  equal(flows.columns.length, 9);
});

Deno.test("contractFlows refuses another grouping and frames without the columns", () => {
  throws(() => contractFlows(contracts(), { by: "account_address" as "chain_id" }), {
    name: "RangeError",
    message: "contractFlows: by: must be one of project_id, market_sector_id, chain_id; got " +
      '"account_address"',
  });
  throws(() => contractFlows(contracts().drop("inflows_1d_sum")), {
    name: "RangeError",
    message: /^contractFlows: expected a frame of projectContracts; missing: inflows_1d_sum; got/,
  });
});
