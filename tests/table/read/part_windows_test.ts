import { deepEqual, equal } from "node:assert/strict";
import { float64, utf8 } from "../../../lib/table/columns/cell_values.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { partWindows, partWindowText } from "../../../lib/table/read/part_windows.ts";

/** Chains with a sum over 30 days, the sum over all days, and a trend. */
function chains(columns: Readonly<Record<string, (number | null)[]>>) {
  const [rows] = Object.values(columns);
  return pl.DataFrame([
    utf8("chain_name", ["Alder", "Basalt", "Cinder", "Drift", "Ember"].slice(0, rows!.length)),
    ...Object.entries(columns).map(([name, values]) => float64(name, values)),
  ]);
}

Deno.test("partWindows finds trends over everything that was counted before the window", () => {
  const frame = chains({
    // 40 before the window: all of it, a part of it, all of it but for rounding, and unknown.
    ecosystem_fees_30d_sum: [60, 60, 60, 60, null],
    ecosystem_fees_30d_trend: [0.5, 0.5, 0.5 + 1e-8, null, 0.5],
    ecosystem_fees_max_sum: [100, 500, 100, 100, 100],
  });
  deepEqual(partWindows(frame), [
    { row: 0, field: "ecosystem_fees_30d_trend", value: 0.5, window: "30d" },
    { row: 2, field: "ecosystem_fees_30d_trend", value: 0.5 + 1e-8, window: "30d" },
  ]);
  equal(
    partWindowText(frame, partWindows(frame)),
    "Alder (30d), Cinder (30d): nothing was counted before the previous window: it may be only partly filled",
  );
  deepEqual(partWindows(frame, ["ecosystem_fees_30d_sum"]), []);
});

Deno.test("partWindows reads counts without _sum, own columns, and no frame without the sum over all days", () => {
  const counts = {
    transaction_count_365d: [8],
    transaction_count_365d_trend: [3],
    transaction_count_max: [10],
  };
  equal(partWindows(chains(counts)).length, 1);
  equal(partWindows(chains({ "365d": [8], "365d_trend": [3], max: [10] })).length, 1);
  const { transaction_count_max: _, ...rest } = counts;
  deepEqual(partWindows(chains(rest)), []);
  equal(partWindowText(chains(rest), []), null);
});

Deno.test("partWindows finds nothing where nothing was counted, or nothing before the window", () => {
  const frame = chains({
    fees_7d_sum: [0, 5, -5],
    fees_7d_trend: [0, -1, 0],
    fees_max_sum: [0, 5, -5],
  });
  deepEqual(partWindows(frame), []);
});

Deno.test("partWindows finds trends in the rows of metric aggregations", () => {
  const rows: [string, string, string, number | null][] = [
    ["alder", "fees", "30d_sum", 60],
    ["alder", "fees", "max_sum", 100],
    ["alder", "fees", "30d_trend", 0.5],
    ["alder", "revenue", "30d_trend", 0.5],
    ["basalt", "fees", "30d_trend", 0.5],
    ["basalt", "fees", "30d_sum", 60],
    ["basalt", "fees", "max_sum", 500],
  ];
  const text = (name: string, at: number) => utf8(name, rows.map((row) => row[at] as string));
  const frame = pl.DataFrame([
    text("project_id", 0),
    text("metric_id", 1),
    text("metric_aggregation_name", 2),
    float64("value_number", rows.map((row) => row[3])),
  ]);
  deepEqual(partWindows(frame), [{ row: 2, field: "value_number", value: 0.5, window: "30d" }]);
});
