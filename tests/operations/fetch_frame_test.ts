import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import type { ResponseError } from "../../lib/http/errors.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
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

Deno.test("errorsOf lists each entity error once, and none if errors is absent, null or empty", async () => {
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

Deno.test("an entity error of any shape is read as text, next to the data", async () => {
  const none = { code: null, field: null, value: null };
  const cases: [unknown, object[]][] = [
    [["ghost"], [{ ...none, value: "ghost" }]],
    [[null, 5, ["a"]], [
      { ...none, value: "null" },
      { ...none, value: "5" },
      { ...none, value: '["a"]' },
    ]],
    [[{ code: 5, field: true, value: { id: "x" } }], [
      { code: "5", field: "true", value: '{"id":"x"}' },
    ]],
    ["ghost", [{ ...none, value: "ghost" }]],
    [{ code: "GONE" }, [{ ...none, code: "GONE" }]],
    [["\ud800"], [{ ...none, value: '"\\ud800"' }]],
    [{}, [none]],
  ];
  for (const [errors, rows] of cases) {
    const { connection } = answering(() =>
      new Response(JSON.stringify({ data: [{ project_id: "a" }], errors }))
    );
    const frame = await metricAggregations({}, connection);
    deepStrictEqual([frame.height, errorsOf(frame).columns], [1, ["code", "field", "value"]]);
    deepStrictEqual(errorsOf(frame).toRecords(), rows);
  }
});

Deno.test("other members of an entity error are noted", async () => {
  const item = { code: "GONE", field: "project_ids", value: "x", since: "2025" };
  const { connection } = answering({ data: [], errors: [item, MISSING, "text"] });
  deepStrictEqual(provenanceOf(await metricAggregations({}, connection)).notes, [
    `errors: ${JSON.stringify(item)}`,
  ]);
});

Deno.test("other members and values read as null give one warning", async () => {
  const { connection } = answering({
    data: [{ chain_id: "a", core_developers_latest: "-" }],
    pagination: { next: "\u001b]0;title\u0007" },
    page: 1,
  });
  const twice = async () => {
    for (let time = 0; time < 2; time++) await blockchainComparison({}, connection);
  };
  deepStrictEqual(await warnings(twice), [
    "chainframe: blockchain_comparison: see provenanceOf(frame).notes: " +
    'pagination: {"next":"\\u001b]0;title\\u0007"}, page: 1, ' +
    'core_developers_latest: 1 read as null: "-"',
  ]);
});

Deno.test("deeply nested values are kept unchanged", async () => {
  const deep = `${'{"a":['.repeat(100_000)}${"]}".repeat(100_000)}`;
  const body =
    `{"data":[{"chain_id":"a","more":${deep}}],"errors":[{"value":${deep}}],"page":${deep}}`;
  const { connection } = answering(() => new Response(body));
  const frame = await blockchainComparison({}, connection);
  strictEqual(frame.getColumn("more").toArray()[0], deep);
  strictEqual(errorsOf(frame).getColumn("value").toArray()[0], deep);
  deepStrictEqual(provenanceOf(frame).notes, [`page: ${deep}`]);
});

Deno.test("any error while a response is read is a ResponseError, and the response is requested again", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const bodies = [
    `{"data":[{"chain_id":${deep}}]}`,
    `{"data":[{"chain_id":"a","core_developers_latest":${deep}}]}`,
    `{"data":[{"chain_id":"a","":1}]}`,
    `{"data":[{"chain_id":"a","\\ud800":1}]}`,
    `{"data":${deep}}`,
  ];
  const dir = await Deno.makeTempDir();
  try {
    for (const body of bodies) {
      const { connection, sent } = answering(() => new Response(body), { cache: { dir } });
      for (let time = 1; time < 3; time++) {
        await rejects(blockchainComparison({}, connection), (error: ResponseError) => {
          deepStrictEqual([error.name, error.operation, error.attempts, error.body === body], [
            "ResponseError",
            "blockchain_comparison",
            1,
            true,
          ]);
          return Deno.inspect(error).length < 20_000;
        });
        strictEqual(sent.length, time, body.slice(0, 40));
      }
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("provenanceOf returns operation, query, time, address and source", async () => {
  const { connection } = answering({ data: [] });
  const query = { chain_ids: ["alder"], limit: 2 };
  const frame = await blockchainComparison(query, connection);
  const { retrieved_at, ...rest } = provenanceOf(frame);
  deepStrictEqual(rest, {
    kind: "response",
    operation: "blockchain_comparison",
    source: "service",
    sample: false,
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
  });
  strictEqual(retrieved_at instanceof Date && Date.now() - retrieved_at.getTime() < 60_000, true);
});

Deno.test("provenanceOf returns the days that all responses cover; null if one does not state them", async () => {
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

Deno.test("onMissing warn lists missing entities, and ignore does not", async () => {
  const answer = { data: [], errors: [MISSING] };
  const warn = answering(answer, { onMissing: "warn" }).connection;
  const ignore = answering(answer, { onMissing: "ignore" }).connection;
  deepStrictEqual(await warnings(() => metricAggregations({}, warn)), [
    "metric_aggregations: not found: project_ids ghost; errorsOf(frame) lists them, catalog() the known ids",
  ]);
  deepStrictEqual(await warnings(() => metricAggregations({}, ignore)), []);
});

Deno.test("onMissing throw throws a NotFoundError with the errors", async () => {
  const { connection } = answering({ data: [], errors: [MISSING] }, { onMissing: "throw" });
  await rejects(
    metricAggregations({}, connection),
    (error: Error & { errors: DataFrame }) =>
      error.name === "NotFoundError" && error.errors.toRecords()[0]?.value === "ghost",
  );
});

Deno.test("provenanceOf returns the query as given, even if it is changed during the call", async () => {
  const { connection } = answering({ data: [] });
  const query = { chain_ids: ["a"], limit: 3 };
  const asked = blockchainComparison(query, connection);
  query.chain_ids.push("b");
  query.limit = 4;
  deepStrictEqual(provenanceOf(await asked).query, { chain_ids: ["a"], limit: 3 });
});
