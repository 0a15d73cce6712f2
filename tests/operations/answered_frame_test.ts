import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { errorsOf } from "../../lib/table/provenance.ts";
import type { DataFrame } from "../../lib/table/polars.ts";
import { provenanceOf } from "../../lib/table/provenance.ts";
import { answering } from "./answering.ts";

const MISSING = { code: "NOT_FOUND", field: "project_ids", value: "ghost" };

async function warnings(code: () => Promise<unknown>): Promise<string[]> {
  const told: string[] = [];
  const { error } = console;
  console.error = (text) => told.push(text);
  try {
    await code();
  } finally {
    console.error = error;
  }
  return told;
}

Deno.test("errorsOf gives the entity errors, each once, and none where errors is absent, null or empty", async () => {
  const other = { code: "GONE", field: "metric_ids", value: "x" };
  const cases: [unknown, unknown[]][] = [
    [[MISSING, MISSING, other], [MISSING, other]],
    [undefined, []],
    [null, []],
    [[], []],
  ];
  for (const [errors, expected] of cases) {
    const { connection } = answering({ data: [], errors });
    const frame = errorsOf(await metricAggregations({}, connection));
    deepStrictEqual([frame.columns, frame.toRecords()], [["code", "field", "value"], expected]);
  }
});

Deno.test("an entity error of a wrong shape is a ResponseError", async () => {
  for (const errors of [["ghost"], [null], [{ code: 5 }], "ghost", {}]) {
    const { connection } = answering({ data: [], errors });
    await rejects(metricAggregations({}, connection), { name: "ResponseError" });
  }
});

Deno.test("provenanceOf says what was asked, when, where, and what came", async () => {
  const { connection } = answering({ data: [] });
  const query = { chain_ids: ["alder"], limit: 2 };
  const frame = await blockchainComparison(query, connection);
  const { retrieved_at, ...rest } = provenanceOf(frame);
  deepStrictEqual(rest, {
    operation: "blockchain_comparison",
    source: "service",
    url: "http://127.0.0.1:9/v2/datasets/blockchain_comparison?chain_ids=alder&limit=2",
    query,
    requests: 1,
    renamed: [],
    // printf '{"data":[]}' | sha256sum
    sha256: "8fe32e407a1038ee38753b70e5374b3a46d6ae9d5f16cd5b73c53abaca8f5ed0",
    data_through: null,
    data_since: null,
    notes: [],
    steps: [],
    inputs: [],
  });
  strictEqual(retrieved_at instanceof Date && Date.now() - retrieved_at.getTime() < 60_000, true);
});

Deno.test("provenanceOf gives the days between which all answers hold, null where one does not say", async () => {
  const stated: Record<string, HeadersInit> = {
    a: { "data-through": "2026-06-17", "data-since": "2025-01-01" },
    b: { "data-through": "2026-06-16", "data-since": "2025-02-01" },
    c: {},
  };
  const { connection } = answering(
    (path: string) => Response.json({ data: [] }, { headers: stated[path.at(-1)!]! }),
    { maxUrlLength: 1 },
  );
  const days = async (...chain_ids: string[]) => {
    const frame = await blockchainComparison({ chain_ids }, connection);
    const { data_through, data_since } = provenanceOf(frame);
    return [data_through, data_since].map((day) => day && day.toISOString().slice(0, 10));
  };
  deepStrictEqual(await days("a"), ["2026-06-17", "2025-01-01"]);
  deepStrictEqual(await days("a", "b"), ["2026-06-16", "2025-02-01"]);
  deepStrictEqual(await days("a", "b", "c"), [null, null]);
});

Deno.test("onMissing warn tells which entities were not found, and ignore does not", async () => {
  const answer = { data: [], errors: [MISSING] };
  const warn = answering(answer, { onMissing: "warn" }).connection;
  const ignore = answering(answer, { onMissing: "ignore" }).connection;
  deepStrictEqual(await warnings(() => metricAggregations({}, warn)), [
    "metric_aggregations: not found: project_ids ghost; errorsOf(frame) lists them",
  ]);
  deepStrictEqual(await warnings(() => metricAggregations({}, ignore)), []);
});

Deno.test("onMissing throw is a NotFoundError that carries the error frame", async () => {
  const { connection } = answering({ data: [], errors: [MISSING] }, { onMissing: "throw" });
  await rejects(
    metricAggregations({}, connection),
    (error: Error & { errors: DataFrame }) =>
      error.name === "NotFoundError" && error.errors.toRecords()[0]?.value === "ghost",
  );
});
