import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import {
  metricBreakdown,
  type MetricBreakdownQuery,
} from "../../lib/operations/metric_breakdown.ts";
import { timeline } from "../../lib/operations/timeline.ts";
import { connect } from "../../lib/http/connect.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { hearing } from "../http/hearing.ts";
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
  const dates = { start: "2025-01-31", end: "2025-01-31" };
  const query = { ...QUERY, interval: "max", chain_ids: ["a b", "ü"], ...dates } as const;
  await metricBreakdown(query, connection);
  deepStrictEqual(sent, [{ method: "POST", path: "/v2/metric-breakdown", body: query }]);
});

Deno.test("metricBreakdown makes a column per metric and aggregation, in the order of the query", async () => {
  const cases: [string[], unknown[], [string, unknown[]][]][] = [
    [
      ["fees"],
      [{ fees: { trend: 0.5, sum: 12, p90: 3 } }, { fees: { sum: 0 } }],
      [["fees_sum", [12, 0]], ["fees_trend", [0.5, null]], ["fees_p90", [3, null]]],
    ],
    [
      ["tvl", "fees"],
      [{ extra: 1, fees: 2, tvl: null }],
      [["tvl", [null]], ["fees", [2]], ["extra", [1]]],
    ],
    // Numbers and objects of one metric are kept apart.
    [
      ["fees"],
      [{ fees: 0 }, { fees: { sum: 1 } }, { fees: null }, {}, null],
      [["fees", [0, null, null, null, null]], ["fees_sum", [null, 1, null, null, null]]],
    ],
    [["fees", "tvl"], [{ tvl: 1 }, {}], [["fees", [null, null]], ["tvl", [1, null]]]],
    [["fees", "tvl"], [], [["fees", []], ["tvl", []]]],
  ];
  for (const [metric_ids, metrics, columns] of cases) {
    deepStrictEqual(Object.entries(await columnsOf(metric_ids, ...metrics)), columns);
  }
});

Deno.test("metricBreakdown refuses metrics of a wrong type, down to the aggregation", async () => {
  const cases: [unknown, string, unknown][] = [
    [5, "metrics", 5],
    [[], "metrics", []],
    [{ fees: { sum: {} } }, "metrics.fees.sum", {}],
  ];
  for (const [metrics, field, got] of cases) {
    await rejects(columnsOf(["fees"], {}, metrics), { name: "ResponseError", row: 1, field, got });
  }
});

Deno.test("metricBreakdown refuses a text, a boolean or a list in place of a number", async () => {
  for (const got of ["many", true, [1]]) {
    const data = [1, got].map((fees) => ({ data_id: "a", metrics: { fees } }));
    await rejects(metricBreakdown(QUERY, answering({ data }).connection), {
      name: "ResponseError",
      row: 1,
      field: "metrics.fees",
    });
  }
});

Deno.test("metricBreakdown gives other members of a metric columns of their own types", async () => {
  const rows = [
    {
      fees: {
        sum: "NaN",
        unit: "usd",
        final: true,
        days: 30,
        by: { a: [1] },
        mixed: 1,
        none: null,
      },
    },
    { fees: { sum: 2, unit: null, final: false, by: [], mixed: "x" } },
    { fees: 3 },
  ];
  const data = rows.map((metrics) => ({ data_id: "a", metrics }));
  const frame = await metricBreakdown(QUERY, answering({ data }).connection);
  const columns = frame.columns.slice(3).map((name, index) => [
    name,
    dtypeNames(frame)[index + 3],
    frame.getColumn(name).toArray(),
  ]);
  deepStrictEqual(columns, [
    ["fees", "Float64", [null, null, 3]],
    ["fees_sum", "Float64", [null, 2, null]],
    ["fees_days", "Float64", [30, null, null]],
    ["fees_unit", "String", ["usd", null, null]],
    ["fees_final", "Bool", [true, false, null]],
    ["fees_by", "String", ['{"a":[1]}', "[]", null]],
    ["fees_mixed", "String", ["1", '"x"', null]],
    ["fees_none", "Float64", [null, null, null]],
  ]);
  deepStrictEqual(provenanceOf(frame).notes, ['metrics.fees.sum: 1 read as null: "NaN"']);
});

Deno.test("metricBreakdown never turns an aggregation into text", async () => {
  for (const member of ["sum", "avg", "latest", "change", "trend", "days"]) {
    for (const got of ["n/a", true, {}, []]) {
      await rejects(columnsOf(["fees"], { fees: { [member]: 1 } }, { fees: { [member]: got } }), {
        name: "ResponseError",
        row: 1,
        field: `metrics.fees.${member}`,
      });
    }
    const columns = await columnsOf(["fees"], { fees: { [member]: 1 } }, {
      fees: { [member]: "-" },
    });
    deepStrictEqual(columns, { [`fees_${member}`]: [1, null] });
  }
});

Deno.test("metricBreakdown accepts a single text as a list", async () => {
  const { connection, sent } = answering({ data: [] });
  const frame = await metricBreakdown(
    { ...QUERY, metric_ids: "fees", chain_ids: ["alder", "alder", "basalt"] },
    connection,
  );
  deepStrictEqual(sent[0]?.body, {
    ...QUERY,
    metric_ids: ["fees"],
    chain_ids: ["alder", "basalt"],
  });
  deepStrictEqual(frame.columns.slice(3), ["fees"]);
});

Deno.test("metricBreakdown refuses two metrics that would make the same column", async () => {
  await rejects(columnsOf(["fees", "fees_sum"], { fees: { sum: 1 }, fees_sum: 2 }), {
    name: "ResponseError",
    field: "metrics.fees_sum",
    got: "fees_sum",
  });
  await rejects(columnsOf(["data_id"], { data_id: 1 }), { name: "ResponseError", got: "data_id" });
});

Deno.test("metricBreakdown sends interval max with dates, and other intervals with a warning", async () => {
  const { connection, sent } = answering({ data: [] });
  const { interval: _, ...query } = QUERY;
  const [start, end] = ["2026-01-01", "2026-01-31"];
  const warned = await hearing(async () => {
    await metricBreakdown({ ...query, start, end }, connection);
    await metricBreakdown({ ...query, start }, connection);
    await metricBreakdown({ ...query, interval: "30d", start }, connection);
  });
  deepStrictEqual(sent.map(({ body }) => body), [
    { ...query, start, end, interval: "max" },
    { ...query, start, interval: "max" },
    { ...query, start, interval: "30d" },
  ]);
  deepStrictEqual(warned, [
    "chainframe: metric_breakdown: interval and start: either may overrule the other",
  ]);
  await rejects(metricBreakdown(query, connection), {
    name: "QueryError",
    message: /^metric_breakdown: interval: is required$/,
  });
});

Deno.test("a live service gets words that the API does not list, with a warning, and ids with a comma", async () => {
  const { connection, sent } = answering({ data: [] });
  const own = { ...QUERY, interval: "7day", group_by: "bridges", chain_ids: ["a,b"] };
  const every = {
    metric_ids: "fees",
    group_by: "bridges",
    every: "year",
    from: "2025",
    to: "2025",
  };
  const warned = await hearing(async () => {
    await metricBreakdown(own as never, connection);
    await timeline(every as never, connection);
  });
  deepStrictEqual(sent[0]?.body, own);
  deepStrictEqual(warned, [
    'chainframe: metric_breakdown: interval: "7day" is sent, but the API does not list it; did you mean 7d?',
    'chainframe: metric_breakdown: group_by: "bridges" is sent, but the API does not list it',
    'chainframe: timeline: group_by: "bridges" is sent, but the API does not list it',
  ]);
  await rejects(metricBreakdown({ ...QUERY, group_by: "bridges" } as never, connect({})), {
    name: "QueryError",
    message: /group_by: must be one of projects, chains, /,
  });
});

Deno.test("metricBreakdown refuses a bad query before anything is sent", async () => {
  const { connection, sent } = answering({ data: [] });
  const bad: [object, RegExp][] = [
    [{ metric_ids: [] }, /metric_ids: must have at least one id.*; got \[\]/],
    [{ metric_ids: undefined }, /metric_ids: is required/],
    [{ interval: 30 }, /interval: must be a word; got 30/],
    [{ start: "2025-02-29" }, /start: must be a day that exists; got "2025-02-29"/],
    [{ start: "2025-2-1" }, /start: must be a date written YYYY-MM-DD; got "2025-2-1"/],
    [{ start: new Date(0) }, /start: must be a date written YYYY-MM-DD; got 1970/],
    [
      { start: "2025-03-01", end: "2025-02-01" },
      /start: must not be after end \(2025-02-01\); got "2025-03-01"$/,
    ],
    [{ chain_ids: [""] }, /chain_ids: an id must be a text that is not empty; got \[ "" \]/],
    [{ chain_ids: [5] }, /chain_ids: an id must be a text/],
    [{ chain_ids: [] }, /chain_ids: must have at least one id/],
    [{ chain_ids: { a: 1 } }, /chain_ids: must be a list of ids, or one id; got { a: 1 }/],
    [{ metric_ids: " " }, /metric_ids: an id must not begin or end with blanks; got " "/],
    [{ chain_ids: ["alder\n"] }, /chain_ids: an id must not begin or end with blanks/],
    [{ metric_ids: "" }, /metric_ids: must have at least one id; got ""/],
    [{ chains_ids: ["alder"] }, /chains_ids: did you mean chain_ids\?/],
  ];
  for (const [change, message] of bad) {
    const query = { ...QUERY, ...change } as MetricBreakdownQuery;
    await rejects(metricBreakdown(query, connection), { name: "QueryError", message });
  }
  deepStrictEqual(sent, []);
});
