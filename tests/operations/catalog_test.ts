import { deepStrictEqual, rejects } from "node:assert/strict";
import type { Connection } from "../../lib/http/connect.ts";
import { answersOf } from "../../lib/evidence/archive.ts";
import { catalog } from "../../lib/operations/catalog.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { timeline } from "../../lib/operations/timeline.ts";
import { answering, byPath } from "./answering.ts";

const DEX = { market_sector_id: "dex", market_sector_name: "Exchanges" };
const ANSWERS = {
  "/v2/metric-aggregations?project_ids=all": {
    data: [
      { project_id: "b", project_name: "B", metric_id: "fees" },
      { project_id: "b", project_name: "B", metric_id: "tvl" },
      { project_id: "a", project_name: "A", metric_id: "fees" },
    ],
  },
  "/v2/datasets/blockchain_comparison": {
    data: [{ chain_id: "basalt", chain_name: "Basalt" }, {
      chain_id: "alder",
      chain_name: "Alder",
    }],
  },
  "/v2/datasets/cohort_analysis": { data: [{ project_id: "a", project_name: "A", ...DEX }] },
  "/v2/datasets/project_contracts": { data: [{ project_id: "c", project_name: "C", ...DEX }] },
};

Deno.test("catalog returns projects, metrics, chains and sectors, and sends its requests once", async () => {
  const { connection, sent } = answering(byPath(ANSWERS));
  const [first, second] = await Promise.all([catalog(connection), catalog(connection)]);
  deepStrictEqual([first === second, sent.length], [true, 4]);
  deepStrictEqual(first.projects.toRecords(), [
    { project_id: "a", project_name: "A", ...DEX },
    { project_id: "b", project_name: "B", market_sector_id: null, market_sector_name: null },
    { project_id: "c", project_name: "C", ...DEX },
  ]);
  deepStrictEqual(first.metrics.toRecords(), [
    { metric_id: "fees", projects: 2 },
    { metric_id: "tvl", projects: 1 },
  ]);
  deepStrictEqual(first.chains.toRecords(), [
    { chain_id: "alder", chain_name: "Alder" },
    { chain_id: "basalt", chain_name: "Basalt" },
  ]);
  deepStrictEqual(first.market_sectors.toRecords(), [{ ...DEX, projects: 2 }]);
  const printed = Deno.inspect(first).split("\n");
  deepStrictEqual(printed.slice(0, 2), [
    "projects",
    "project_id  project_name  market_sector_id  market_sector_name",
  ]);
  deepStrictEqual(printed.slice(printed.indexOf("chains"), printed.indexOf("chains") + 3), [
    "chains",
    "chain_id  chain_name",
    "alder     Alder",
  ]);
});

Deno.test("catalog sends its requests again after a failure", async () => {
  const { connection, sent } = answering(byPath({}), { retries: 0 });
  await rejects(catalog(connection), { name: "NotFoundError" });
  const before = sent.length;
  await rejects(catalog(connection), { name: "NotFoundError" });
  deepStrictEqual(sent.length > before, true);
});

Deno.test("the warning suggests the nearest id of a loaded catalog, without a request", async () => {
  const path = "/v2/metric-aggregations?project_ids=tidewatr";
  const own = { data: [{ project_id: "tidewater", project_name: "T", metric_id: "fees" }] };
  const missing = { code: "NOT_FOUND", field: "project_ids", value: "tidewatr" };
  const { connection, sent } = answering(
    byPath({
      ...ANSWERS,
      "/v2/metric-aggregations?project_ids=all": own,
      [path]: { data: [], errors: [missing] },
    }),
    { onMissing: "throw" },
  );
  const ask = () => metricAggregations({ project_ids: ["tidewatr"] }, connection);
  await rejects(ask(), { message: "metric_aggregations: not found: project_ids tidewatr" });
  deepStrictEqual(sent.length, 1);
  await catalog(connection);
  await rejects(ask(), {
    message: "metric_aggregations: not found: project_ids tidewatr (nearest: tidewater)",
  });
});

Deno.test("every operation refuses a connection that connect did not make", async () => {
  const query = { metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026" } as const;
  const ids = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
  for (const connection of [null, 5, {}] as unknown as Connection[]) {
    const calls = [
      catalog(connection),
      metricBreakdown(ids, connection),
      timeline(query, connection),
      answersOf({ operation: project, query: { project_id: "a" } }, connection),
    ];
    for (const call of calls) {
      await rejects(call, /^TypeError: connection: must be the result of connect\(\)$/);
    }
  }
});
