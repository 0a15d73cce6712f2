import { deepEqual, throws } from "node:assert/strict";
import { metricsLong } from "../../lib/analysis/metrics_long.ts";
import { annotate } from "../../lib/table/provenance.ts";
import { float64 } from "../../lib/table/columns.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { provenanceOf } from "../../lib/table/provenance.ts";
import { utf8 } from "../../lib/table/columns.ts";
import { timelineFrame } from "./timeline_frame.ts";

function breakdown(): DataFrame {
  return pl.DataFrame([
    utf8("data_id", ["birch", "alder"]),
    utf8("chain_id", ["birch", "alder"]),
    utf8("product_id", [null, null]),
    float64("fees_sum", [1, null]),
    float64("fees_supply_side_sum", [2, 20]),
    float64("users", [3, 30]),
    float64("extra", [4, 40]),
    utf8("note", ["", ""]),
  ]);
}

const PROVENANCE = {
  operation: "metric_breakdown" as const,
  source: "sample" as const,
  sample: true,
  url: "http://127.0.0.1/v2/metric-breakdown",
  query: { metric_ids: ["users", "fees", "fees_supply_side"], interval: "30d" },
  retrieved_at: new Date(0),
  requests: 1,
  renamed: [],
  sha256: "",
  data_through: null,
  data_since: null,
  notes: [],
  steps: [],
  inputs: [],
};

const LONG = [
  ["birch", "birch", null, "fees", "sum", 1],
  ["birch", "birch", null, "fees_supply_side", "sum", 2],
  ["birch", "birch", null, "users", null, 3],
  ["alder", "alder", null, "fees", "sum", null],
  ["alder", "alder", null, "fees_supply_side", "sum", 20],
  ["alder", "alder", null, "users", null, 30],
];

Deno.test("metricsLong reads the metrics from the frame's provenance", () => {
  const frame = breakdown();
  annotate(frame, {
    provenance: PROVENANCE,
    errors: pl.DataFrame([]),
  });
  const long = metricsLong(frame);
  deepEqual(long.rows(), LONG);
  deepEqual(long.columns, [
    ...["data_id", "chain_id", "product_id", "metric_id", "aggregation", "value"],
  ]);
  deepEqual(provenanceOf(long), { ...provenanceOf(frame), steps: ["metricsLong"] });
});

Deno.test("metricsLong reads the metrics from metric_ids", () => {
  const all = metricsLong(breakdown(), { metric_ids: ["fees", "fees_supply_side", "users"] });
  deepEqual(all.rows(), LONG);
  const users = metricsLong(breakdown(), { metric_ids: ["users"] });
  deepEqual(users.rows(), [LONG[2], LONG[5]]);
});

Deno.test("metricsLong keeps unknown aggregations, and a metric that is a number and an object", () => {
  const frame = pl.DataFrame([
    utf8("data_id", ["alder"]),
    utf8("chain_id", ["alder"]),
    utf8("product_id", [null]),
    float64("fees", [null]),
    float64("fees_moving_median", [7]),
  ]);
  deepEqual(metricsLong(frame, { metric_ids: ["fees"] }).rows(), [
    ["alder", "alder", null, "fees", null, null],
    ["alder", "alder", null, "fees", "moving_median", 7],
  ]);
});

Deno.test("metricsLong refuses frames without known metrics", () => {
  throws(() => metricsLong(breakdown()), {
    name: "RangeError",
    message:
      "metricsLong: metric_ids: is required for a frame without the provenance of metricBreakdown",
  });
  throws(() => metricsLong(breakdown(), { metric_ids: ["revenue"] }), {
    name: "RangeError",
    message: /^metricsLong: expected a frame of metricBreakdown; missing: revenue; got/,
  });
  throws(() => metricsLong(breakdown(), { metric_ids: ["note"] }), {
    name: "TypeError",
    message: "metricsLong: column note: expected numbers; got dtype String",
  });
});

Deno.test("metricsLong leaves out text members of a metric, and accepts a single metric", () => {
  const frame = pl.DataFrame([
    utf8("data_id", ["alder"]),
    utf8("chain_id", ["alder"]),
    utf8("product_id", [null]),
    float64("fees_sum", [1]),
    utf8("fees_unit", ["usd"]),
    pl.Series("fees_final", [true], pl.Bool),
    float64("fees_days", [30]),
  ]);
  const query = { metric_ids: " fees " };
  const provenance = { ...PROVENANCE, query };
  const long = metricsLong(annotate(frame, { provenance, errors: pl.DataFrame([]) }));
  deepEqual(long.select("aggregation", "value").rows(), [["sum", 1], ["days", 30]]);
});

Deno.test("metricsLong keeps the periods of a timeline", () => {
  const frame = timelineFrame("month", [["2025-01-01", "a", 2], ["2025-02-01", "a", 3]], [
    "2025-02-01",
  ])
    .withColumns(utf8("product_id", [null, null]));
  const long = metricsLong(frame, { metric_ids: ["fees"] });
  deepEqual(long.columns.slice(0, 4), ["date", "until", "complete", "data_id"]);
  deepEqual(long.select("complete", "aggregation", "value").rows(), [
    [true, "sum", 2],
    [false, "sum", 3],
  ]);
});
