import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Connection } from "../../lib/http/connect.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { project } from "../../lib/operations/project.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { createService } from "../../lib/service/mod.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { connected, seen, splitAsUnsplit } from "./split_as_unsplit.ts";

type Ask = (connection: Connection) => Promise<DataFrame>;

Deno.test("split and unsplit give the same frame, for any ids, order, limit and size", async () => {
  const most = await splitAsUnsplit({ seed: 4, numRuns: 40 });
  ok(most > 20, `the most parts were ${most}`);
});

Deno.test("split and unsplit give the same frame on the reference service", async () => {
  const service = await createService({ tokens: ["t0ken-of-a-test"] });
  const fetch = (request: Request) => service.fetch(request);
  try {
    const all = connected(fetch);
    const idsOf = (frame: DataFrame, column: string) =>
      [...new Set(frame.getColumn(column).toArray().map(String))].toReversed();
    const chains = idsOf(await blockchainComparison({}, all), "chain_id");
    const projects = idsOf(await metricAggregations({}, all), "project_id");
    const list = [...projects.slice(0, 14), "ghost", "spectre"];
    const sum = "inflows_1d_sum";
    const cases: [string, Ask][] = [
      ["chains", (c) => blockchainComparison({ chain_ids: chains }, c)],
      [
        "chains by fees",
        (c) =>
          blockchainComparison(
            { chain_ids: chains, order_by: "ecosystem_fees_30d_sum", limit: 5 },
            c,
          ),
      ],
      [
        "chains by name, descending",
        (c) =>
          blockchainComparison({
            chain_ids: chains,
            order_by: "chain_name",
            order_direction: "desc",
          }, c),
      ],
      [
        "contracts",
        (c) => projectContracts({ project_ids: list.slice(0, 8), chain_ids: chains }, c),
      ],
      ["contracts, few", (c) => projectContracts({ project_ids: list, limit: 7 }, c)],
      [
        "contracts by inflows, descending",
        (c) =>
          projectContracts(
            { project_ids: list, order_by: sum, order_direction: "desc", limit: 30 },
            c,
          ),
      ],
      [
        "contracts by a text with ties",
        (c) =>
          projectContracts({ project_ids: list, order_by: "market_sector_name", limit: 50 }, c),
      ],
      ["cohorts", (c) => cohortAnalysis({ project_ids: list }, c)],
      [
        "cohorts by month_11, most of it null",
        (c) =>
          cohortAnalysis({ project_ids: list, order_by: "month_11", order_direction: "desc" }, c),
      ],
      ["aggregations", (c) => metricAggregations({ project_ids: list }, c)],
      [
        "aggregations of some metrics",
        (c) =>
          metricAggregations({
            // In the order of the service, which sorts metrics of one response.
            metric_ids: ["fees", "nothing", "tvl", "naught"],
            project_ids: list,
          }, c),
      ],
    ];
    for (const [name, ask] of cases) {
      const whole = seen(await ask(all));
      for (const maxUrlLength of [1, 180]) {
        const frame = await ask(connected(fetch, { maxUrlLength }));
        deepStrictEqual(seen(frame), whole, `${name}, ${maxUrlLength}`);
        ok(maxUrlLength > 1 || provenanceOf(frame).requests! > 1, `${name}: was not split`);
      }
    }
  } finally {
    await service.close();
  }
});

Deno.test("a row in two parts is kept once, and duplicates within a response stay", async () => {
  const twin = { chain_id: "alder", chain_name: "Alder" };
  const connection = connected(() => Promise.resolve(Response.json({ data: [twin, twin] })), {
    maxUrlLength: 1,
  });
  const frame = await blockchainComparison({ chain_ids: ["alder", "ALDER"] }, connection);
  strictEqual(frame.height, 2);
});

Deno.test("responses with another order are stacked in the order of the ids", async () => {
  const connection = connected((request) => {
    const ids = new URL(request.url).searchParams.get("chain_ids")!.split(",");
    return Promise.resolve(Response.json({ data: ids.map((chain_id) => ({ chain_id })) }));
  }, { maxUrlLength: 75 });
  const frame = await blockchainComparison(
    { chain_ids: ["d", "c", "b", "a", "f", "e", "g"] },
    connection,
  );
  deepStrictEqual(frame.getColumn("chain_id").toArray(), ["d", "c", "b", "a", "f", "e", "g"]);
  ok(provenanceOf(frame).requests! > 1);
});

Deno.test("the error of a malformed row names its row in the part, and limit does not hide it", async () => {
  const bodies: Record<string, unknown[]> = {
    a: [{ chain_id: "a", ecosystem_fees_1d_sum: 1 }],
    b: [{ chain_id: "b", ecosystem_fees_1d_sum: 2 }, {
      chain_id: "c",
      ecosystem_fees_1d_sum: "many",
    }],
  };
  const connection = connected(
    (request) => Promise.resolve(Response.json({ data: bodies[request.url.slice(-1)] })),
    { maxUrlLength: 1 },
  );
  const query = { limit: 1, order_by: "ecosystem_fees_1d_sum", chain_ids: ["a", "b"] } as const;
  await rejects(blockchainComparison(query, connection), {
    name: "ResponseError",
    row: 1,
    field: "ecosystem_fees_1d_sum",
    got: "many",
    url:
      "http://127.0.0.1:9/v2/datasets/blockchain_comparison?limit=1&order_by=ecosystem_fees_1d_sum&chain_ids=b",
  });
});

Deno.test("entity errors are listed once, in the order of an unsplit response", async () => {
  const known = new Set(["a", "fees"]);
  const connection = (maxUrlLength: number) =>
    connected((request) => {
      const errors = [];
      for (const field of ["project_ids", "metric_ids"]) {
        for (const value of new URL(request.url).searchParams.get(field)!.split(",")) {
          if (!known.has(value)) errors.push({ code: "NOT_FOUND", field, value });
        }
      }
      return Promise.resolve(Response.json({ data: [], errors }));
    }, { maxUrlLength });
  const query = { metric_ids: ["x", "fees", "w"], project_ids: ["z", "a", "y", "b"] };
  const whole = errorsOf(await metricAggregations(query, connection(999))).toRecords();
  strictEqual(whole.length, 5);
  for (const maxUrlLength of [1, 75, 80, 85]) {
    deepStrictEqual(
      errorsOf(await metricAggregations(query, connection(maxUrlLength))).toRecords(),
      whole,
    );
  }
});

Deno.test("several projects report progress as one call", async () => {
  const totals: [number, number][] = [];
  const connection = connected(
    (request) =>
      Promise.resolve(
        request.url.endsWith("ghost")
          ? Response.json({ message: "no" }, { status: 404 })
          : Response.json({ data: { project_id: request.url.slice(-1) } }),
      ),
    { concurrency: 1, onProgress: ({ done, total }) => totals.push([done, total]) },
  );
  const frame = await project({ project_id: ["b", "ghost", "a"] }, connection);
  deepStrictEqual(frame.getColumn("project_id").toArray(), ["b", "a"]);
  deepStrictEqual(totals, [[0, 3], [1, 3], [2, 3], [3, 3]]);
  strictEqual(provenanceOf(frame).requests, 2);
});
