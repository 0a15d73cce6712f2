import { deepEqual, throws } from "node:assert/strict";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { annotate } from "../../../lib/table/track/provenance.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { provenanceOf, type ResponseProvenance } from "../../../lib/table/track/provenance.ts";
import { cohortFrame } from "../cohort_frame.ts";
import { response } from "../../table/response.ts";

function column(frame: DataFrame, name: string): unknown[] {
  return frame.toRecords().map((row) => row[name]);
}

function provenanceSince(day: string | null): ResponseProvenance {
  const data_since = day === null ? null : new Date(day);
  return response({ operation: "cohort_analysis", data_since });
}

Deno.test("retentionCurves gives one row per cohort and month, cohort by cohort", () => {
  const curves = retentionCurves(cohortFrame([
    { project: "b", cohort: "2025-02", size: 200, months: [1, 0.5, 0.25] },
    { project: "a", cohort: "2025-01", size: 4, months: [1, 0.75] },
  ]));
  deepEqual(column(curves, "project_id"), [...Array(12).fill("b"), ...Array(12).fill("a")]);
  deepEqual(column(curves, "month").slice(0, 13), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0]);
  const rounded = curves.withColumns(pl.col("lower").round(6), pl.col("upper").round(6));
  deepEqual(rounded.slice(2, 2).toRecords(), [
    {
      project_name: "The b",
      project_id: "b",
      market_sector_id: "exchanges",
      market_sector_name: "The exchanges",
      cohort: "2025-02",
      cohort_date: new Date("2025-02-01"),
      month: 2,
      size: 200,
      retained: 50,
      retention: 0.25,
      lower: 0.195082,
      upper: 0.314341,
      left_truncated: null,
      tracked_months: null,
      confidence: 0.95,
    },
    {
      project_name: "The b",
      project_id: "b",
      market_sector_id: "exchanges",
      market_sector_name: "The exchanges",
      cohort: "2025-02",
      cohort_date: new Date("2025-02-01"),
      month: 3,
      size: 200,
      retained: null,
      retention: null,
      lower: null,
      upper: null,
      left_truncated: null,
      tracked_months: null,
      confidence: 0.95,
    },
  ]);
});

Deno.test("retentionCurves reads the unit from month_0 over the whole frame", () => {
  const frames = [
    [{ size: 4, months: [1, 0.5] }, { size: 8, months: [1, 0.25] }],
    [{ size: 4, months: [100, 50] }, { size: 8, months: [100, 25] }],
    [{ size: 4, months: [4, 2] }, { size: 8, months: [8, 2] }],
    [{ size: 4, months: [null, 0.5] }, { size: 8, months: [1, 0.25] }],
    [{ size: 1, months: [1, 0] }, { size: 8, months: [1, 0.25] }],
    [{ size: 100, months: [100, 50] }, { size: 8, months: [100, 25] }],
    [{ size: 0, months: [100, 1] }, { size: 8, months: [1, 0.25] }],
  ];
  const expected = [[0.5, 0.25], [0.5, 0.25], [0.5, 0.25], [0.5, 0.25], [0, 0.25], [0.5, 0.25], [
    null,
    0.25,
  ]];
  frames.forEach((cohorts, index) => {
    const retention = column(retentionCurves(cohortFrame(cohorts)), "retention");
    deepEqual([retention[1], retention[13]], expected[index]);
  });
});

Deno.test("retentionCurves refuses a month_0 that fits none or several units", () => {
  const cases: [size: number, months: (number | null)[], message: RegExp][] = [
    [1, [1, 0], /month_0 is 1 in every row; it is 1 for "fraction", .*; pass unit$/],
    [100, [100, 40], /month_0 is 100 in every row; .*; pass unit$/],
    [50, [0.97, 0.4], /month_0 is 0.97 in every row; /],
    [50, [null, 0.4], /because month_0 is null in every row; /],
  ];
  for (const [size, months, message] of cases) {
    throws(() => retentionCurves(cohortFrame([{ size, months }])), { name: "RangeError", message });
  }
  throws(
    () => retentionCurves(cohortFrame([{ size: 9, months: [1] }, { size: 9, months: [100] }])),
    { name: "RangeError", message: /month_0 goes from 1 to 100; / },
  );
});

Deno.test("retentionCurves uses the given unit", () => {
  const cohorts = cohortFrame([{ size: 100, months: [100, 40] }]);
  const percent = cohortFrame([{ size: 50, months: [100, 57, 29, 7] }]);
  deepEqual(column(retentionCurves(percent), "retention").slice(0, 4), [1, 0.57, 0.29, 0.07]);
  const retained = (unit: "percent" | "count") =>
    column(retentionCurves(cohorts, { unit }), "retained").slice(0, 3);
  deepEqual(retained("percent"), [100, 40, null]);
  deepEqual(retained("count"), [100, 40, null]);
  const odd = retentionCurves(cohortFrame([{ size: 50, months: [0.98, 0.4] }]), {
    unit: "fraction",
  });
  deepEqual(column(odd, "retention").slice(0, 2), [0.98, 0.4]);
  throws(() => retentionCurves(cohorts, { unit: "share" as "count" }), {
    name: "RangeError",
    message: 'retentionCurves: unit: must be one of fraction, percent, count; got "share"',
  });
});

Deno.test("retentionCurves refuses values that its unit does not allow", () => {
  const cases: [months: number[], size: number, unit: "fraction" | "percent" | "count"][] = [
    [[1, 45], 100, "fraction"],
    [[100, 101], 100, "percent"],
    [[100, 120], 100, "count"],
    [[1, -0.1], 100, "fraction"],
    [[1, 0.5], -3, "fraction"],
  ];
  for (const [months, size, unit] of cases) {
    throws(() => retentionCurves(cohortFrame([{ size, months }]), { unit }), {
      name: "RangeError",
      message:
        /requires retention from 0 to 1 .*; got project_id alder-swap, cohort 2025-01, initial_cohort_size -?\d+, month_\d -?[\d.]+; pass another unit/,
    });
  }
});

Deno.test("retentionCurves distinguishes null and empty cohorts from 0", () => {
  const curves = retentionCurves(cohortFrame([
    { size: 10, months: [1, 0, null] },
    { size: 0, months: [1, 0, null] },
    { size: null, months: [1, 0.5, null] },
  ]));
  const rows = curves.filter(pl.col("month").ltEq(2))
    .select(pl.col("size"), pl.col("retained"), pl.col("retention"), pl.col("lower").round(6))
    .rows();
  deepEqual(
    rows,
    [
      [10, 10, 1, 0.722467],
      [10, 0, 0, 0],
      [10, null, null, null],
      [0, null, null, null],
      [0, null, null, null],
      [0, null, null, null],
      [null, null, 1, null],
      [null, null, 0.5, null],
      [null, null, null, null],
    ].map(([size, retained, retention, lower]) => [size, retained, retention, lower]),
  );
});

Deno.test("retentionCurves parses cohorts that name a month as dates", () => {
  const cases: [cohort: string | null, date: string | null][] = [
    ["2025-01", "2025-01-01"],
    ["2025-01-01", "2025-01-01"],
    ["2025-03-01T00:00:00.000Z", "2025-03-01"],
    ["2025-12-01T00:00:00+02:00", "2025-12-01"],
    ["2025-01-01 00:00:00", "2025-01-01"],
    ["2025-02-30", null],
    ["2025-13", null],
    ["2025-011", null],
    ["2025", null],
    ["January", null],
    ["", null],
    [null, null],
  ];
  const curves = retentionCurves(
    cohortFrame(cases.map(([cohort]) => ({ cohort, size: 5, months: [1] }))),
  ).filter(pl.col("month").eq(0));
  deepEqual(column(curves, "cohort"), cases.map(([cohort]) => cohort));
  deepEqual(
    column(curves, "cohort_date").map((date) =>
      (date as Date | null)?.toISOString().slice(0, 10) ?? null
    ),
    cases.map(([, date]) => date),
  );
});

Deno.test("retentionCurves counts whole users in every unit", () => {
  const retained = (size: number, month: number, unit: "fraction" | "percent" | "count") =>
    column(
      retentionCurves(cohortFrame([{ size, months: [null, month] }]), { unit }),
      "retained",
    )[1];
  // 0.07 * 100 is 7.000000000000001, and 0.29 * 100 is 28.999999999999996.
  deepEqual([retained(100, 0.07, "fraction"), retained(100, 0.29, "fraction")], [7, 29]);
  deepEqual([retained(100, 29, "percent"), retained(100, 6.9999999, "count")], [29, 7]);
  deepEqual([retained(3, 0.3333333, "fraction"), retained(3, 0.5, "fraction")], [1, 1.5]);
  deepEqual([retained(100, 0.07001, "fraction"), retained(7, 1 + 1e-10, "fraction")], [7.001, 7]);
  deepEqual(retained(3e12, 1 / 3, "fraction"), 1e12);
});

Deno.test("retentionCurves marks the cohort of the month in which tracking began, and earlier ones", () => {
  const cohorts = cohortFrame([
    ...["2024-12", "2025-01", "2025-02-01", "before", null].map((cohort) => (
      { cohort, size: 5, months: [1] }
    )),
  ]);
  const marks = (frame: DataFrame, since?: string | Date | null) => {
    const curves = retentionCurves(frame, since === undefined ? {} : { since });
    const all = column(curves, "left_truncated");
    deepEqual(all.filter((_, row) => row % 12 === 11), all.filter((_, row) => row % 12 === 0));
    const months = column(curves, "tracked_months").filter((_, row) => row % 12 === 0);
    deepEqual(
      months.map((month) => month === null ? null : Number(month) <= 0),
      all.filter((_, row) => row % 12 === 0),
    );
    return all.filter((_, row) => row % 12 === 0);
  };
  deepEqual(
    column(retentionCurves(cohorts, { since: "2024-11" }), "tracked_months")
      .filter((_, row) => row % 12 === 0),
    [1, 2, 3, null, null],
  );
  const expected = [true, true, false, null, null];
  const began: (string | Date)[] = ["2025-01", "2025-01-31", "2025-01-15T10:00:00Z"];
  // A moment with a time zone is the same as text and as Date: here January in UTC.
  const zoned = "2025-02-01T01:00:00+02:00";
  for (const since of [...began, new Date("2025-01-31T23:59:59Z"), zoned, new Date(zoned)]) {
    deepEqual(marks(cohorts, since), expected, String(since));
  }
  deepEqual(marks(cohorts), [null, null, null, null, null]);
  annotate(cohorts, { provenance: provenanceSince("2025-01-15"), errors: pl.DataFrame([]) });
  deepEqual(marks(cohorts), expected);
  deepEqual(marks(cohorts, "2024-12"), [true, false, false, null, null]);
  deepEqual(marks(cohorts, null), [null, null, null, null, null]);
  annotate(cohorts, { provenance: provenanceSince(null), errors: pl.DataFrame([]) });
  deepEqual(marks(cohorts), [null, null, null, null, null]);
});

Deno.test("retentionCurves refuses a since that is not a month", () => {
  const cohorts = cohortFrame([{ size: 5, months: [1] }]);
  for (const since of ["soon", "2025", "2025-13", "2025-02-30", 2025, new Date(NaN)]) {
    throws(() => retentionCurves(cohorts, { since: since as string }), {
      name: "RangeError",
      message: /^retentionCurves: since: must be a month, such as 2025-01; got /,
    });
  }
});

Deno.test("retentionCurves names missing and non-numeric columns", () => {
  const cohorts = cohortFrame([{ size: 5, months: [1] }]);
  throws(() => retentionCurves(cohorts.drop("initial_cohort_size", "cohort")), {
    name: "RangeError",
    message:
      /^retentionCurves: expected a frame of cohortAnalysis, or own cohorts; missing: cohort, initial_cohort_size; got/,
  });
  throws(() => retentionCurves(cohorts.withColumn(pl.lit("many").alias("month_3"))), {
    name: "TypeError",
    message: "retentionCurves: column month_3: expected numbers; got dtype String",
  });
});

Deno.test("retentionCurves keeps provenance", () => {
  const cohorts = cohortFrame([{ size: 5, months: [1] }]);
  const provenance = provenanceSince(null);
  annotate(cohorts, { provenance, errors: pl.DataFrame([]) });
  deepEqual(provenanceOf(retentionCurves(cohorts)), { ...provenance, steps: ["retentionCurves"] });
});
