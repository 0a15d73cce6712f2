import { deepEqual, ok, throws } from "node:assert/strict";
import { growthRates } from "../../../lib/analysis/series/timeline_columns.ts";
import { indexed } from "../../../lib/analysis/series/timeline_columns.ts";
import { rollingMean } from "../../../lib/analysis/series/timeline_columns.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { annotate, provenanceOf } from "../../../lib/table/track/provenance.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import type { Every } from "../../../lib/schema/period.ts";
import { described } from "../../table/described.ts";
import { timelineFrame, type TimelineRow } from "../timeline_frame.ts";
import { warned } from "../measured.ts";

type GrowthRatesOptions = NonNullable<Parameters<typeof growthRates>[1]>;

function growth(
  every: Every,
  rows: readonly TimelineRow[],
  options: { periods?: number | "year"; incomplete?: string[] } = {},
): unknown[] {
  const { incomplete, ...rest } = options;
  const frame = timelineFrame(every, rows, incomplete);
  const [grown] = warned(() => growthRates(frame, { per: "period", ...rest }));
  return grown.getColumn("fees_sum_growth").toArray();
}

Deno.test("growthRates compares each value with that of the same id a period before", () => {
  const rows: TimelineRow[] = [
    ["2025-01-01", "alder", 100],
    ["2025-01-01", "birch", 8],
    ["2025-02-01", "birch", 6],
    ["2025-02-01", "alder", 150],
    ["2025-03-01", "alder", 75],
  ];
  deepEqual(growth("month", rows), [null, null, -0.25, 0.5, -0.5]);
  deepEqual(growth("month", rows, { periods: 2 }), [null, null, null, null, -0.25]);
});

Deno.test("growthRates finds the period before by the calendar, not by the row above", () => {
  deepEqual(growth("month", [["2025-01-01", "a", 1], ["2025-03-01", "a", 2]]), [null, null]);
  deepEqual(growth("week", [["2024-12-30", "a", 2], ["2025-01-06", "a", 3]]), [null, 0.5]);
  deepEqual(growth("day", [["2024-03-01", "a", 3], ["2024-02-29", "a", 2]]), [0.5, null]);
  deepEqual(growth("quarter", [["2024-10-01", "a", 4], ["2025-01-01", "a", 5]]), [null, 0.25]);
  deepEqual(growth("year", [["2024-01-01", "a", 4], ["2025-01-01", "a", 5]]), [null, 0.25]);
});

Deno.test("growthRates compares with the year before: the month, the week's number, the day", () => {
  const year = { periods: "year" } as const;
  deepEqual(growth("month", [["2024-02-01", "a", 4], ["2025-02-01", "a", 5]], year), [null, 0.25]);
  deepEqual(growth("week", [["2024-01-01", "a", 4], ["2024-12-30", "a", 5]], year), [null, 0.25]);
  deepEqual(growth("day", [["2023-02-28", "a", 4], ["2024-02-29", "a", 5]], year), [null, null]);
});

Deno.test("growthRates is null if a period is incomplete, a value is null or the earlier one is 0", () => {
  const rows: TimelineRow[] = [
    ["2025-01-01", "a", 1],
    ["2025-02-01", "a", 2],
    ["2025-03-01", "a", 0],
    ["2025-04-01", "a", 3],
    ["2025-05-01", "a", null],
    ["2025-06-01", "a", 4],
    ["2025-07-01", "a", 5],
  ];
  deepEqual(growth("month", rows), [null, 1, -1, null, null, null, 0.25]);
  const incomplete = ["2025-01-01", "2025-07-01"];
  deepEqual(growth("month", rows, { incomplete }), [null, null, -1, null, null, null, null]);
});

Deno.test("growthRates reads last days of months, and a day of the month that is not finished", () => {
  const frame = pl.DataFrame({
    month_end: ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-12"],
    signups: [10, 20, 40, 15],
  });
  const growth = growthRates(frame, { field: "signups" }).getColumn("signups_growth").toArray();
  deepEqual(growth, [null, 1, 1, null]);
});

Deno.test("growthRates is -1 where a value is 0, and null after it", () => {
  const rows: TimelineRow[] = [100, 0, 50].map((value, index) => [
    `2025-0${index + 1}-01`,
    "a",
    value,
  ]);
  deepEqual(growth("month", rows), [null, -1, null]);
});

Deno.test("growthRates compares sums of months per day, and suggests 7 for days", () => {
  const frame = timelineFrame("month", [["2025-02-01", "a", 280], ["2025-03-01", "a", 302.4]]);
  const of = (options: GrowthRatesOptions) =>
    (growthRates(frame, options).getColumn("fees_sum_growth").toArray()[1] as number).toFixed(4);
  deepEqual([of({}), of({ per: "period" })], ["-0.0245", "0.0800"]);
  const days = timelineFrame("day", [["2025-02-01", "a", 2], ["2025-02-02", "a", 3]]);
  const suggestion =
    "growthRates: days of a week differ: periods: 7 compares each day with the same weekday";
  deepEqual(warned(() => growthRates(days))[1], [suggestion]);
  deepEqual(warned(() => growthRates(days, { periods: 7 }))[1], []);
});

Deno.test("growthRates per day divides sums by the days of their period", () => {
  const rows: TimelineRow[] = [["2025-01-01", "a", 31], ["2025-02-01", "a", 28], [
    "2025-03-01",
    "a",
    62,
  ]];
  const frame = described(timelineFrame("month", rows).withColumns(float64("fees_avg", [1, 2, 3])));
  const grown = growthRates(frame);
  deepEqual(grown.columns, [...frame.columns, "fees_sum_growth", "fees_avg_growth"]);
  deepEqual(grown.getColumn("fees_sum_growth").toArray(), [null, 0, 1]);
  deepEqual(grown.getColumn("fees_avg_growth").toArray(), [null, 1, 0.5]);
  throws(() => growthRates(frame, { per: "week" as "period" }), {
    name: "RangeError",
    message: /^growthRates: per: /,
  });
});

Deno.test("growthRates and indexed have no percentage of a base that is not above 0, and say so once", () => {
  const rows: TimelineRow[] = [
    ["2025-01-01", "a", -4],
    ["2025-02-01", "a", 5],
    ["2025-03-01", "a", 10],
    ["2025-01-01", "b", 3],
    ["2025-02-01", "b", 0],
    ["2025-03-01", "b", 6],
  ];
  const frame = timelineFrame("month", rows);
  const [growth, told] = warned(() => growthRates(frame, { per: "period" }));
  deepEqual(growth.getColumn("fees_sum_growth").toArray(), [null, null, 1, null, -1, null]);
  deepEqual(told, [
    "growthRates: a percentage needs a base above 0: 2 values are null; the first base is -4, " +
    "fees_sum of a on 2025-01-01",
  ]);
  const [index, more] = warned(() => indexed(frame, { per: "period" }));
  deepEqual(index.getColumn("fees_sum_index").toArray(), [null, null, null, 100, 0, 200]);
  deepEqual(more, [
    "indexed: a percentage needs a base above 0: 3 values are null; the first base is -4, " +
    "fees_sum of a on 2025-01-01",
  ]);
  // The base is shown as it stands in the frame, not per day.
  const [, daily] = warned(() => growthRates(frame));
  ok(daily.some((line) => line.includes("the first base is -4, fees_sum of a")), daily.join());
});

Deno.test("growthRates keeps the frame, its order and its provenance, and computes the given fields", () => {
  const frame = timelineFrame("month", [["2025-02-01", "a", 2], ["2025-01-01", "a", 1]])
    .withColumns(float64("users", [10, 5]));
  const provenance = {
    operation: "metric_breakdown",
    steps: [] as readonly string[],
  } as ReturnType<
    typeof provenanceOf
  >;
  annotate(frame, { provenance, errors: frame });
  const grown = growthRates(frame, { field: "users" });
  deepEqual(grown.columns, [...frame.columns, "users_growth"]);
  deepEqual(grown.select(...frame.columns).rows(), frame.rows());
  deepEqual(provenanceOf(grown), { ...provenance, steps: ["growthRates"] });
  deepEqual(growthRates(frame).columns.slice(-2), ["fees_sum_growth", "users_growth"]);
  deepEqual(growthRates(frame.head(0)).height, 0);
});

Deno.test("growthRates identifies rows by their entity, and a column with nulls is no part of it", () => {
  const frame = timelineFrame("month", [["2025-01-01", "a", 2], ["2025-02-01", "a", 3]]);
  deepEqual(
    growthRates(frame, { per: "period" }).getColumn("fees_sum_growth").toArray(),
    [null, 0.5],
  );
  const twice = timelineFrame("month", [["2025-01-01", "a", 2], ["2025-01-01", "a", 3]]);
  throws(() => growthRates(twice), {
    name: "RangeError",
    message:
      "growthRates: entity: two rows have the same data_id, date; got row 0: data_id a, date " +
      "2025-01-01; row 1: data_id a, date 2025-01-01; name the columns of the entity, or keep the first: " +
      'frame.unique({ subset: ["data_id", "date"], keep: "first", maintainOrder: true })',
  });
});

Deno.test("growthRates refuses frames that are not timelines", () => {
  const frame = timelineFrame("month", [["2025-01-01", "a", 2], ["2025-02-01", "a", 3]]);
  const error = (act: () => unknown, name: string, message: RegExp) =>
    throws(act, { name, message });
  error(() => growthRates(frame, { field: "fees" }), "RangeError", /missing: fees/);
  error(() => growthRates(frame, { field: "data_id" }), "TypeError", /data_id: expected numbers/);
  error(() => growthRates(frame, { field: [] }), "RangeError", /field: must name a column/);
  error(
    () => growthRates(growthRates(frame), { field: "fees_sum" }),
    "RangeError",
    /already has fees_sum_growth/,
  );
  error(
    () => growthRates(frame, { periods: 0 }),
    "RangeError",
    /^growthRates: periods: must be a whole number of at least 1, or "year"; got 0$/,
  );
  error(
    () => growthRates(frame.withColumn(pl.lit("Total").alias("date"))),
    "RangeError",
    /^growthRates: date: expected days, months, quarters or years, .*; got "Total"$/,
  );
  const mixed = timelineFrame("month", [["2025-01-01", "a", 2]]);
  error(
    () => growthRates(pl.concat([mixed, timelineFrame("day", [["2025-03-01", "a", 2]])])),
    "RangeError",
    /date, until: expected days, .* of one length; got month, day$/,
  );
  const shifted = frame.withColumn(pl.col("date").alias("until"));
  error(
    () => growthRates(pl.concat([frame.head(1), shifted])),
    "RangeError",
    /two rows have the same data_id, date|one length/,
  );
});

Deno.test("growthRates, indexed and rollingMean take one series without a column of texts", () => {
  const date = pl.Series(
    "date",
    ["2025-01-01", "2025-02-01", "2025-03-01"].map((day) => new Date(day)),
  );
  const frame = pl.DataFrame([date.cast(pl.Date), float64("fees", [100, 150, 75])]);
  deepEqual(growthRates(frame, { field: "fees" }).getColumn("fees_growth").toArray(), [
    null,
    .5,
    -.5,
  ]);
  deepEqual(indexed(frame, { field: "fees" }).getColumn("fees_index").toArray(), [100, 150, 75]);
  const means = rollingMean(frame, { field: "fees", periods: 2 });
  deepEqual(means.getColumn("fees_mean").toArray(), [null, 125, 112.5]);
});
