import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { hearing } from "../http/hearing.ts";
import type { NotFoundError } from "../../lib/http/errors.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import { answering, byPath } from "./answering.ts";

const CHAINS = {
  data: [
    { chain_id: "alder", chain_name: "Alder" },
    { chain_id: "basalt", chain_name: "Basalt" },
    { chain_id: null },
  ],
};

function absent(field: string, ...values: string[]) {
  return values.map((value) => ({ code: "NOT_IN_ANSWER", field, value }));
}

Deno.test("errorsOf lists requested ids of a dataset that have no row", async () => {
  const { connection } = answering(CHAINS);
  const frame = await blockchainComparison({ chain_ids: ["ghost", "alder", "spook"] }, connection);
  deepStrictEqual(errorsOf(frame).columns, ["code", "field", "value"]);
  deepStrictEqual(errorsOf(frame).toRecords(), absent("chain_ids", "ghost", "spook"));
  const single = await blockchainComparison({ chain_ids: "ghost" }, connection);
  deepStrictEqual(errorsOf(single).toRecords(), absent("chain_ids", "ghost"));
  const all = await blockchainComparison({}, connection);
  deepStrictEqual(errorsOf(all).height, 0);
  const word = await blockchainComparison({ chain_ids: "all" }, connection);
  deepStrictEqual(errorsOf(word).height, 0);
  const none = await blockchainComparison({ chain_ids: "all" }, answering({ data: [] }).connection);
  deepStrictEqual(errorsOf(none).toRecords(), absent("chain_ids", "all"));
});

Deno.test("errorsOf checks each list of a dataset, split or not", async () => {
  const row = { project_id: "a", chain_id: "alder", market_sector_id: "dex" };
  const query = {
    project_ids: ["a", "b"],
    chain_ids: ["alder", "ghost"],
    market_sector_ids: ["dex", "cex"],
  };
  const expected = [
    ...absent("project_ids", "b"),
    ...absent("chain_ids", "ghost"),
    ...absent("market_sector_ids", "cex"),
  ];
  for (const maxUrlLength of [4_096, 1]) {
    const { connection } = answering({ data: [row] }, { maxUrlLength });
    const errors = errorsOf(await projectContracts(query, connection));
    deepStrictEqual(errors.toRecords(), expected);
  }
});

Deno.test("errorsOf sorts ten thousand unknown ids in less than three seconds", async () => {
  const project_ids = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
  const errors = project_ids.map((value) => ({ code: "NOT_FOUND", field: "project_ids", value }));
  const { connection } = answering({ data: [], errors: errors.toReversed() });
  const query = {
    metric_ids: ["fees"],
    interval: "30d",
    group_by: "projects",
    project_ids,
  } as const;
  const start = performance.now();
  const found = errorsOf(await metricBreakdown(query, connection));
  ok(performance.now() - start < 3_000);
  deepStrictEqual(found.getColumn("value").toArray(), project_ids);
});

Deno.test("errorsOf lists no ids that limit may have cut off", async () => {
  const { connection } = answering(CHAINS);
  const frame = await blockchainComparison({ chain_ids: ["ghost"], limit: 5 }, connection);
  deepStrictEqual(errorsOf(frame).height, 0);
});

Deno.test("errorsOf lists an id once if the service reports it, too", async () => {
  const ghost = { code: "NOT_FOUND", field: "chain_ids", value: "ghost" };
  const { connection } = answering({ ...CHAINS, errors: [ghost] });
  const frame = await blockchainComparison({ chain_ids: ["ghost", "spook"] }, connection);
  deepStrictEqual(errorsOf(frame).toRecords(), [ghost, ...absent("chain_ids", "spook")]);
});

Deno.test("the warning suggests the nearest id that the connection has seen, without a request", async () => {
  const { connection, sent } = answering(CHAINS, { onMissing: "warn" });
  const told = await hearing(async () => {
    await blockchainComparison({ chain_ids: ["aldr", "\u001b[31mx"] }, connection);
  });
  deepStrictEqual(told, [
    "blockchain_comparison: not found: chain_ids aldr (NOT_IN_ANSWER, nearest: alder), chain_ids " +
    "\ufffd[31mx (NOT_IN_ANSWER); errorsOf(frame) lists them, catalog() the known ids",
  ]);
  deepStrictEqual(sent.length, 1);

  const throwing = answering(
    byPath({
      "/v2/datasets/blockchain_comparison?chain_ids=basal": { data: [] },
      "/v2/datasets/blockchain_comparison": CHAINS,
    }),
    { onMissing: "throw" },
  ).connection;
  const ask = () => blockchainComparison({ chain_ids: ["basal"] }, throwing);
  const message = "blockchain_comparison: not found: chain_ids basal (NOT_IN_ANSWER";
  await rejects(ask, { name: "NotFoundError", message: `${message})` });
  await blockchainComparison({}, throwing);
  await rejects(ask, (error: NotFoundError<DataFrame>) => {
    deepStrictEqual(error.message, `${message}, nearest: basalt)`);
    deepStrictEqual(error.errors?.toRecords(), absent("chain_ids", "basal"));
    return true;
  });
});

Deno.test("the warning about an unknown metric names the nearest known metric", async () => {
  const told = await hearing(async () => {
    const all = ["deposits", "active_addresses", "fee", "zzz"];
    await metricBreakdown({ metric_ids: all, interval: "30d", group_by: "chains" } as const);
  });
  match(
    told.join("\n"),
    /deposits \(nearest: tvl\), metric_ids active_addresses \(nearest: active_users\), metric_ids fee \(nearest: fees\), metric_ids zzz;/,
  );
});
