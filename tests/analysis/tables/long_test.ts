import { deepEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { long } from "../../../lib/analysis/tables/long.ts";
import { COMPARISON_FIELDS } from "../../../lib/schema/comparison_fields.ts";
import { float64, utf8 } from "../../../lib/table/build/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import { annotate, provenanceOf, responseOf } from "../../../lib/table/track/provenance.ts";
import { asSample } from "../../chart/sample_frames.ts";
import { timelineFrame } from "../timeline_frame.ts";

Deno.test("long splits the fields of a comparison, and pivoted back it equals its input", () => {
  const chains = ["d", "a", "c", "b"];
  const value = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));
  const row = fc.array(value, { minLength: 95, maxLength: 95 });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const ids = chains.slice(0, rows.length);
      const frame = pl.DataFrame([
        utf8("chain_id", ids),
        utf8("chain_name", ids.map((id) => id.toUpperCase())),
        ...COMPARISON_FIELDS.map(({ name }, at) => float64(name, rows.map((row) => row[at]!))),
        utf8("note", ids),
      ]);
      const made = long(frame);
      deepEqual(made.columns, [
        ...["chain_id", "chain_name", "measure", "statistic", "window", "value"],
      ]);
      deepEqual(
        made.rows(),
        rows.flatMap((values, at) =>
          COMPARISON_FIELDS.map(({ measure, statistic, window }, index) => [
            ...[ids[at], ids[at]!.toUpperCase(), measure, statistic, window, values[index]],
          ])
        ),
      );
    }),
    { seed: 5, numRuns: 20 },
  );
});

function breakdown(): DataFrame {
  return pl.DataFrame([
    utf8("data_id", ["birch", "alder"]),
    utf8("chain_id", ["birch", "alder"]),
    utf8("product_id", [null, null]),
    float64("fees_sum", [1, null]),
    float64("fees_supply_side_sum", [2, 20]),
    float64("fees_moving_median", [7, 70]),
    float64("users", [3, 30]),
    float64("extra", [4, 40]),
    utf8("fees_unit", ["usd", "usd"]),
    pl.Series("fees_final", [true, true], pl.Bool),
  ]);
}

function asked(metric_ids: string | readonly string[]): DataFrame {
  const provenance = responseOf(asSample(breakdown(), "metric_breakdown"))!;
  return annotate(breakdown(), {
    provenance: { ...provenance, query: { metric_ids } },
    errors: pl.DataFrame([]),
  });
}

Deno.test("long takes the metrics of the query, with unknown aggregations and without texts", () => {
  const frame = asked(["users", " fees", "fees_supply_side"]);
  const made = long(frame);
  deepEqual(made.columns, [
    ...["data_id", "chain_id", "product_id", "metric_id", "aggregation", "value"],
  ]);
  deepEqual(made.rows(), [
    ["birch", "birch", null, "fees", "sum", 1],
    ["birch", "birch", null, "fees_supply_side", "sum", 2],
    ["birch", "birch", null, "fees", "moving_median", 7],
    ["birch", "birch", null, "users", null, 3],
    ["alder", "alder", null, "fees", "sum", null],
    ["alder", "alder", null, "fees_supply_side", "sum", 20],
    ["alder", "alder", null, "fees", "moving_median", 70],
    ["alder", "alder", null, "users", null, 30],
  ]);
  deepEqual(provenanceOf(made), { ...provenanceOf(frame), steps: ["long"] });
  deepEqual(long(asked("users")).getColumn("value").toArray(), [3, 30]);
});

Deno.test("long without a query takes every column of numbers, and keeps the periods of a timeline", () => {
  const own = long(breakdown()).head(5).select("metric_id", "aggregation", "value");
  deepEqual(own.rows(), [
    ["fees", "sum", 1],
    ["fees_supply_side", "sum", 2],
    ["fees_moving_median", null, 7],
    ["users", null, 3],
    ["extra", null, 4],
  ]);
  const open = ["2025-02-01"];
  const rows = [["2025-01-01", "a", 2], ["2025-02-01", "a", 3]] as const;
  const made = long(timelineFrame("month", rows, open));
  deepEqual(made.columns.slice(0, 4), ["date", "until", "complete", "data_id"]);
  deepEqual(made.select("complete", "value").rows(), [[true, 2], [false, 3]]);
});

Deno.test("long refuses frames without metrics, and fields that are not numbers", () => {
  throws(() => long(pl.DataFrame([utf8("chain_id", ["alder"])])), {
    name: "RangeError",
    message: "long: expected a frame of blockchainComparison, metricBreakdown or timeline; " +
      "missing: any field or metric; got chain_id",
  });
  throws(() => long(pl.DataFrame([utf8("ecosystem_fees_30d_sum", ["1"])])), {
    name: "TypeError",
    message: "long: column ecosystem_fees_30d_sum: expected numbers; got dtype String",
  });
});
