import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { answering } from "./answering.ts";
import { BLOCKCHAIN_COMPARISON_COLUMNS } from "./blockchain_comparison_columns.ts";
import { recordCases } from "./dataset_cases.ts";

recordCases({
  name: "blockchainComparison",
  ask: (connection) => blockchainComparison({}, connection),
  columns: Object.fromEntries(
    BLOCKCHAIN_COMPARISON_COLUMNS.map((name, index) => [name, index < 2 ? "String" : "Float64"]),
  ),
  full: Object.fromEntries(
    BLOCKCHAIN_COMPARISON_COLUMNS.map((name, index) => [name, index < 2 ? name : index / 8]),
  ),
  number: "ecosystem_fees_30d_sum",
  text: "chain_name",
});

Deno.test("blockchainComparison has 2 text and 95 number columns", () => {
  strictEqual(BLOCKCHAIN_COMPARISON_COLUMNS.length, 97);
});

Deno.test("blockchainComparison sends GET with encoded, comma separated ids", async () => {
  const { connection, sent } = answering({ data: [] });
  await blockchainComparison({
    chain_ids: ["alder", "a b/ü", "alder"],
    order_by: "ecosystem_fees_30d_sum",
    order_direction: "desc",
    limit: 5,
  }, connection);
  await blockchainComparison(undefined, connection);
  const path = "/v2/datasets/blockchain_comparison";
  deepStrictEqual(sent, [
    {
      method: "GET",
      path: `${path}?chain_ids=alder,a%20b%2F%C3%BC` +
        "&order_by=ecosystem_fees_30d_sum&order_direction=desc&limit=5",
      body: null,
    },
    { method: "GET", path, body: null },
  ]);
});
