import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { cohortTrend } from "../../lib/analysis/cohort_trend.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";

type CohortTrendOptions = NonNullable<Parameters<typeof cohortTrend>[1]>;

// deno-lint-ignore no-explicit-any -- rows of a frame of unknown columns
type Row = any;

/** Monthly cohorts of two projects from January 2024, by the retention of month 1. */
function cohorts(months: number, retention: (month: number) => number): Cohort[] {
  return Array.from({ length: months }, (_, month) => {
    const cohort = new Date(Date.UTC(2024, month, 1)).toISOString().slice(0, 7);
    return ["alder-swap", "birch-swap"].map((project) => ({
      project,
      cohort,
      size: 1000,
      months: [1, retention(month) + (project === "alder-swap" ? 0.02 : -0.02)],
    }));
  }).flat();
}

function rows(
  given: Cohort[],
  options: CohortTrendOptions = {},
  since: string | null = null,
): Row[] {
  const curves = retentionCurves(cohortFrame(given), { since });
  return cohortTrend(curves, options).toRecords();
}

Deno.test("cohortTrend returns the slope per year of a straight line", () => {
  const found = rows(cohorts(24, (month) => 0.3 + 0.005 * month));
  equal(found.length, 24);
  const { slope, p_value, retention, lower, upper, cohorts: count, reason } = found[0];
  ok(Math.abs(slope - 0.06) < 2e-3, `${slope}`);
  ok(p_value === 0.001 && lower < retention && retention < upper);
  deepEqual([count, found[0].size, reason, found[0].month], [2, 2000, null, 1]);
  ok(found.every((row) => Math.abs(row.trend - row.retention) < 2e-3));
});

Deno.test("cohortTrend names the last period before a break", () => {
  const found = rows(cohorts(24, (month) => (month < 10 ? 0.3 : 0.4) + 0.01 * (month % 3)));
  deepEqual(found[0].break_date, new Date("2024-10-01"));
  ok(found[0].break_p_value < 0.01 && found[0].break_f > 50);
});

Deno.test("cohortTrend pools cohorts by quarter, and gives a reason for too few quarters", () => {
  const quarters = rows(cohorts(24, () => 0.3), { every: "quarter" });
  deepEqual(quarters.map(({ cohorts }) => cohorts), new Array(8).fill(6));
  deepEqual(quarters[1].date, new Date("2024-04-01"));
  deepEqual([quarters[0].reason, quarters[0].slope.toFixed(9)], [null, "0.000000000"]);
  const years = rows(cohorts(24, () => 0.3), { every: "year" });
  deepEqual(years.map(({ slope, break_date, trend }) => [slope, break_date, trend]), [
    [null, null, null],
    [null, null, null],
  ]);
  equal(years[0].reason, "a trend needs 8 periods with a retention, got 2");
});

Deno.test("cohortTrend by project fits each project, and leaves out incomplete periods", () => {
  const given = cohorts(12, (month) => 0.3 + 0.01 * month).map((cohort) =>
    cohort.cohort === "2024-12" ? { ...cohort, months: [1] } : cohort
  );
  const found = rows(given, { by: "project_id" });
  equal(found.length, 22);
  deepEqual([...new Set(found.map(({ project_id }) => project_id))], ["alder-swap", "birch-swap"]);
  ok(found.every(({ slope }) => Math.abs(slope - 0.12) < 5e-3));
});

Deno.test("cohortTrend drops the first cohorts after tracking began", () => {
  const given = cohorts(14, (month) => month < 3 ? 0.9 : 0.3);
  const found = rows(given, {}, "2024-01");
  deepEqual([found.length, found[0].date], [11, new Date("2024-04-01")]);
  ok(Math.abs(found[0].slope) < 1e-12);
  equal(rows(given, { washout: 0 }, "2024-01").length, 14);
  ok(rows(given, { washout: 0 }, "2024-01")[0].slope < 0);
});

Deno.test("cohortTrend refuses wrong options and frames", () => {
  throws(() => rows(cohorts(2, () => 0.3), { month: 0 }), /^RangeError: cohortTrend: month: /);
  throws(() => rows(cohorts(2, () => 0.3), { every: "week" as "month" }), /must be one of month, /);
  throws(() => cohortTrend(cohortFrame([])), /expected a frame of retentionCurves/);
});
