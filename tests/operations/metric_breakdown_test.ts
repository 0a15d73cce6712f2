import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  metricBreakdown,
  type MetricBreakdownQuery,
} from "../../lib/operations/metric_breakdown.ts";
import { dtypeNames } from "../../lib/table/excerpt.ts";
import { answering } from "./answering.ts";
import { recordCases } from "./dataset_cases.ts";

const QUERY: MetricBreakdownQuery = { metric_ids: ["fees"], interval: "30d", group_by: "chains" };

recordCases({
  name: "metricBreakdown",
  ask: (connection) => metricBreakdown(QUERY, connection),
  columns: { data_id: "String", chain_id: "String", product_id: "String", fees: "Float64" },
  full: { data_id: "alder", chain_id: "alder", product_id: "swap", metrics: { fees: 12 } },
  becomes: { fees: 12, metrics: undefined },
  text: "chain_id",
});

async function columnsOf(metric_ids: string[], ...metrics: unknown[]) {
  const data = metrics.map((each) => ({ data_id: "a", metrics: each }));
  const frame = await metricBreakdown({ ...QUERY, metric_ids }, answering({ data }).connection);
  strictEqual(dtypeNames(frame).slice(3).every((dtype) => dtype === "Float64"), true);
  return Object.fromEntries(
    frame.columns.slice(3).map((name) => [name, frame.getColumn(name).toArray()]),
  );
}

Deno.test("metricBreakdown sends POST with the query as JSON", async () => {
  const { connection, sent } = answering({ data: [] });
  const query = { ...QUERY, chain_ids: ["a b", "ü"], start: "2025-01-31", end: "2025-01-31" };
  await metricBreakdown(query, connection);
  deepStrictEqual(sent, [{ method: "POST", path: "/v2/metric-breakdown", body: query }]);
});

Deno.test("metricBreakdown makes a column per aggregation where the service sent an object", async () => {
  deepStrictEqual(
    await columnsOf(["fees"], { fees: { trend: 0.5, sum: 12, p90: 3 } }, { fees: { sum: 0 } }),
    { fees_sum: [12, 0], fees_trend: [0.5, null], fees_p90: [3, null] },
  );
});

Deno.test("metricBreakdown puts the metrics in the order asked for, and keeps unasked ones", async () => {
  const columns = await columnsOf(["tvl", "fees"], { extra: 1, fees: 2, tvl: null });
  deepStrictEqual(Object.entries(columns), [["tvl", [null]], ["fees", [2]], ["extra", [1]]]);
});

Deno.test("metricBreakdown keeps numbers and objects of one metric apart", async () => {
  deepStrictEqual(
    await columnsOf(["fees"], { fees: 0 }, { fees: { sum: 1 } }, { fees: null }, {}, null),
    { fees: [0, null, null, null, null], fees_sum: [null, 1, null, null, null] },
  );
});

Deno.test("metricBreakdown gives a metric without a value as a column of nulls", async () => {
  deepStrictEqual(await columnsOf(["fees", "tvl"], { tvl: 1 }, {}), {
    fees: [null, null],
    tvl: [1, null],
  });
});

Deno.test("metricBreakdown gives the asked metrics as columns of an empty answer", async () => {
  deepStrictEqual(await columnsOf(["fees", "tvl"]), { fees: [], tvl: [] });
});

Deno.test("metricBreakdown refuses metrics of a wrong type, down to the aggregation", async () => {
  const cases: [unknown, string, unknown][] = [
    [5, "metrics", 5],
    [[], "metrics", []],
    [{ fees: "many" }, "metrics.fees", "many"],
    [{ fees: [1] }, "metrics.fees", [1]],
    [{ fees: { sum: {} } }, "metrics.fees.sum", {}],
  ];
  for (const [metrics, field, got] of cases) {
    await rejects(columnsOf(["fees"], {}, metrics), { name: "ResponseError", row: 1, field, got });
  }
});

Deno.test("metricBreakdown refuses two metrics that would make the same column", async () => {
  await rejects(columnsOf(["fees", "fees_sum"], { fees: { sum: 1 }, fees_sum: 2 }), {
    name: "ResponseError",
    field: "metrics.fees_sum",
    got: "fees_sum",
  });
  await rejects(columnsOf(["data_id"], { data_id: 1 }), { name: "ResponseError", got: "data_id" });
});

Deno.test("metricBreakdown refuses a bad query before anything is sent", async () => {
  const { connection, sent } = answering({ data: [] });
  const bad: [object, RegExp][] = [
    [{ metric_ids: [] }, /metric_ids: must hold an id.*: \[\]/],
    [{ metric_ids: undefined }, /metric_ids: is required/],
    [{ interval: "31d" }, /interval: must be one of 24h, 7d.* \(nearest: .*\): "31d"/],
    [{ group_by: "chain" }, /group_by: must be one of .* \(nearest: chains\): "chain"/],
    [{ start: "2025-02-29" }, /start: must be a day that exists: "2025-02-29"/],
    [{ start: "2025-2-1" }, /start: must be a date written YYYY-MM-DD: "2025-2-1"/],
    [{ start: new Date(0) }, /start: must be a date written YYYY-MM-DD: 1970/],
    [
      { start: "2025-03-01", end: "2025-02-01" },
      /start: must not be after end \(2025-02-01\): 2025-03-01/,
    ],
    [{ chain_ids: ["a,b"] }, /chain_ids: an id must hold no comma: \[ "a,b" \]/],
    [{ chain_ids: [""] }, /chain_ids: an id must be a text that is not empty: \[ "" \]/],
    [{ chain_ids: [5] }, /chain_ids: an id must be a text/],
    [{ chain_ids: [] }, /chain_ids: must hold an id/],
    [{ chain_ids: "alder" }, /chain_ids: must be a list of ids: "alder"/],
    [{ chains_ids: ["alder"] }, /chains_ids: did you mean chain_ids\?/],
  ];
  for (const [change, message] of bad) {
    const query = { ...QUERY, ...change } as MetricBreakdownQuery;
    await rejects(metricBreakdown(query, connection), { name: "QueryError", message });
  }
  deepStrictEqual(sent, []);
});
