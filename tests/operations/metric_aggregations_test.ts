import { deepStrictEqual, rejects } from "node:assert/strict";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { hearing } from "../http/hearing.ts";
import { answering } from "./answering.ts";
import { recordCases } from "./dataset_cases.ts";

const FULL = {
  project_name: "Quillswap",
  project_id: "quillswap",
  metric_id: "fees",
  metric_aggregation_name: "fees_30d_sum",
  value: "12.50",
};

recordCases({
  name: "metricAggregations",
  ask: (connection) => metricAggregations({}, connection),
  columns: {
    ...Object.fromEntries(Object.keys(FULL).map((name) => [name, "String"])),
    value_number: "Float64",
  },
  full: FULL,
  becomes: { value_number: 12.5 },
  text: "value",
});

Deno.test("metricAggregations reads value as a number if it is finite", async () => {
  const values = ["0", "-1.5e3", "NaN", "-", "", "Infinity", "1e999", "12 USD", null];
  const data = values.map((value) => ({ value }));
  const frame = await metricAggregations({}, answering({ data }).connection);
  deepStrictEqual(frame.getColumn("value").toArray(), values);
  deepStrictEqual(
    frame.getColumn("value_number").toArray(),
    [0, -1500, null, null, null, null, null, null, null],
  );
});

Deno.test("metricAggregations refuses a field that would hide its value_number", async () => {
  const { connection } = answering({ data: [{ value: "1", value_number: 2 }] });
  await rejects(metricAggregations({}, connection), {
    name: "ResponseError",
    field: "value_number",
  });
});

Deno.test("metricAggregations requests all projects by default", async () => {
  const { connection, sent } = answering({ data: [] });
  await metricAggregations(undefined, connection);
  await metricAggregations({ project_ids: ["a", "b"], metric_ids: ["fees"] }, connection);
  await metricAggregations({ metric_ids: ["fees"] }, connection);
  deepStrictEqual(sent.map(({ method, path }) => `${method} ${path}`), [
    "GET /v2/metric-aggregations?project_ids=all",
    "GET /v2/metric-aggregations?project_ids=a,b&metric_ids=fees",
    "GET /v2/metric-aggregations?metric_ids=fees&project_ids=all",
  ]);
});

Deno.test("metricAggregations does not warn of values that are not numbers, and reads a number as its text", async () => {
  const data = ["NaN", "-", "", "Infinity", "soon", 12.5, "1e3"].map((value) => ({ value }));
  const { connection } = answering({ data });
  const told = await hearing(async () => {
    const frame = await metricAggregations({}, connection);
    deepStrictEqual(frame.getColumn("value").toArray().at(-2), "12.5");
    deepStrictEqual(frame.getColumn("value_number").toArray(), [
      ...[null, null, null, null, null, 12.5, 1_000],
    ]);
    deepStrictEqual(provenanceOf(frame).notes, []);
  });
  deepStrictEqual(told, []);
});
