import { deepStrictEqual } from "node:assert/strict";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { answering } from "./answering.ts";
import { recordCases } from "./dataset_cases.ts";

const FULL = {
  project_id: "quillswap",
  project_name: "Quillswap",
  market_sector_id: "dex",
  market_sector_name: "Exchanges",
  chain_id: "alder",
  chain_name: "Alder",
  account_address: "0xabc",
  account_title: "Router",
  account_creation_timestamp: "2025-01-01T00:00:00.000Z",
  gas_used_1d_sum: 1,
  transaction_count_1d_sum: 2,
  active_addresses_1d_distinct_count: 3,
  transaction_gas_1d_avg: 4,
  gas_market_share_1d_avg: 0.5,
  inflows_1d_sum: 6,
  outflows_1d_sum: 7,
  net_flows_1d_sum: -1,
  gas_used_1d_sum_trend: 0.1,
  transaction_count_1d_sum_trend: 0.2,
  active_addresses_1d_distinct_count_trend: 0.3,
  transaction_gas_1d_avg_trend: 0.4,
  gas_market_share_1d_avg_trend: 0.5,
  inflows_1d_sum_trend: 0.6,
  outfows_1d_sum_trend: 0.7,
  net_flows_1d_sum_trend: 0.8,
  most_emitted_event_1d_name: "Swap",
  most_emitted_event_1d_signature: "Swap(address)",
  most_transferred_asset_1d_symbol: "USDX",
};

recordCases({
  name: "projectContracts",
  ask: (connection) => projectContracts({}, connection),
  columns: Object.fromEntries(
    Object.entries(FULL).map(([name, value]) => [
      name,
      typeof value === "number" ? "Float64" : "String",
    ]),
  ),
  full: FULL,
  number: "outfows_1d_sum_trend",
  text: "account_address",
});

Deno.test("projectContracts sends GET with its three filters", async () => {
  const { connection, sent } = answering({ data: [] });
  await projectContracts({
    project_ids: ["a", "b"],
    chain_ids: ["c"],
    market_sector_ids: ["d&e"],
    limit: 1,
  }, connection);
  deepStrictEqual(sent, [{
    method: "GET",
    path:
      "/v2/datasets/project_contracts?project_ids=a,b&chain_ids=c&market_sector_ids=d%26e&limit=1",
    body: null,
  }]);
});
