import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type Cohort, cohortFrame } from "../cohort_frame.ts";

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
  const all: Row[] = cohortTrend(curves, options).toRecords();
  const overall = all.filter(({ row }) => row === "overall");
  deepEqual(all.slice(0, overall.length), overall);
  return all.slice(overall.length).map((row) => {
    const own = overall.find(({ project_id }) => project_id === row.project_id);
    for (const name of ["slope", "p_value", "break_f", "reason", "rests_on"]) {
      equal(row[name], null);
    }
    return {
      ...own,
      ...Object.fromEntries(Object.entries(row).filter(([, each]) => each !== null)),
    };
  });
}

Deno.test("cohortTrend returns the slope per year of a straight line", () => {
  const found = rows(cohorts(24, (month) => 0.3 + 0.005 * month));
  equal(found.length, 24);
  const { slope, p_value, retention, lower, upper, cohorts: count, reason } = found[0];
  ok(Math.abs(slope - 0.06) < 2e-3, `${slope}`);
  ok(p_value === 0.001 && lower < retention && retention < upper);
  deepEqual([count, found[0].size, reason, found[0].month], [2, 2000, null, 1]);
  equal(found[0].rests_on, "24 months, 2 units");
  ok(found.every((row) => Math.abs(row.trend - row.retention) < 2e-3));
});

Deno.test("cohortTrend takes no change of the mix for a trend", () => {
  // Two projects that hardly change. The second grows from 100 to 1 480 new users a month.
  const given = Array.from({ length: 24 }, (_, i) => {
    const cohort = new Date(Date.UTC(2024, i, 1)).toISOString().slice(0, 7);
    return [
      { project: "a", cohort, size: 1000, months: [1, 0.2 + ((5 * i) % 7 - 3) / 1000] },
      { project: "b", cohort, size: 100 + 60 * i, months: [1, 0.6 + ((3 * i) % 5 - 2) / 1000] },
    ];
  }).flat();
  const found = rows(given);
  // R: i <- 0:23; t <- as.numeric(seq(as.Date("2024-01-01"), by = "month", length.out = 24)) / 365.25
  //    Y <- cbind(.2 + ((5 * i) %% 7 - 3) / 1000, .6 + ((3 * i) %% 5 - 2) / 1000)
  //    w <- cbind(1000, 100 + 60 * i); w <- w / rowSums(w); pooled <- rowSums(w * Y)
  //    project <- gl(2, 24); c(coef(lm(c(Y) ~ project + rep(t, 2)))[3], coef(lm(pooled ~ t))[2])
  const { slope, slope_pooled, p_value } = found[0];
  [[slope, 0.000201064759835], [slope_pooled, 0.099947629740455]]
    .forEach(([is, expected]) => ok(Math.abs(is - expected) < 1e-12, `${is}`));
  ok(p_value > 0.5);
  const mean = (name: string) => found.reduce((sum, row) => sum + row[name] / 24, 0);
  ok(Math.abs(mean("within") - mean("retention")) < 1e-12);
  // A project that enters is mix, too.
  const entered = rows(
    given.filter(({ project, cohort }) => project === "a" || cohort >= "2025-01"),
  );
  ok(Math.abs(entered[0].slope) < 0.003 && entered[0].slope_pooled > 0.1);
});

Deno.test("cohortTrend finds no trend between units that have one period each, nor a break between parts", () => {
  const trendOf = (lifetimes: readonly (readonly [from: number, to: number])[]) => {
    const given = lifetimes.flatMap(([from, to], unit) =>
      Array.from({ length: to - from }, (_, at): Cohort => ({
        project: `p${unit}`,
        cohort: new Date(Date.UTC(2024, from + at, 1)).toISOString().slice(0, 7),
        size: 1000,
        months: [1, 0.3 + ((from + at) * 37 % 11) / 100 + (from < 12 ? 0 : 0.3)],
      }))
    );
    const curves = retentionCurves(cohortFrame(given), { since: null });
    return cohortTrend(curves).toRecords() as Row[];
  };
  const [alone] = trendOf(Array.from({ length: 24 }, (_, at) => [at, at + 1] as const));
  deepEqual([alone.slope, alone.p_value, alone.break_p_value], [null, null, null]);
  equal(alone.reason, "no unit has values in two complete periods: no trend within units");
  const [parts, dated] = trendOf([[0, 12], [0, 12], [12, 24], [12, 24]]);
  ok(Math.abs(parts.slope) < 0.1 && parts.p_value > 0.001);
  deepEqual([parts.break_p_value, dated.within], [null, null]);
  ok(/^no units link all periods/.test(parts.reason));
  const [linked, first] = trendOf([[0, 12], [0, 13], [12, 24], [12, 24]]);
  ok(linked.break_p_value !== null && first.within !== null);
});

Deno.test("cohortTrend adjusts p values for the number of groups, not of rows", () => {
  const given = cohorts(24, (month) => 0.3 + 0.01 * (month % 5) + 0.004 * month)
    .filter(({ project, cohort }) => project === "alder-swap" || cohort! < "2025-01")
    .map((cohort) => cohort.project === "alder-swap" ? cohort : { ...cohort, months: [1, 0.3] });
  const found = rows(given, { by: "project_id" });
  const [long, short] = ["alder-swap", "birch-swap"].map((id) =>
    found.filter(({ project_id }) => project_id === id)
  );
  deepEqual([long!.length, short!.length, short![0].p_value], [24, 12, 1]);
  deepEqual(long![0].p_adjusted, 2 * long![0].p_value);
});

Deno.test("cohortTrend names the last period before a break", () => {
  const found = rows(cohorts(24, (month) => (month < 10 ? 0.3 : 0.4) + 0.01 * (month % 3)));
  deepEqual(found[0].break_date, new Date("2024-10-01"));
  ok(found[0].break_p_value < 0.01 && found[0].break_f > 50);
  const breakIn = (count: number) => {
    const [row] = rows(cohorts(count, (month) => month < 10 ? 0.3 : 0.4));
    return [row.break_date, row.break_f === null, row.break_p_value === null, row.reason];
  };
  deepEqual(breakIn(19), [null, true, true, "a break test needs 20 complete periods, got 19"]);
  deepEqual(breakIn(20), [new Date("2024-10-01"), false, false, null]);
});

Deno.test("cohortTrend pools cohorts by quarter, and leaves out unfinished quarters", () => {
  const all = cohorts(26, () => 0.3);
  const quarters = rows(all, { every: "quarter" });
  deepEqual(quarters.map(({ cohorts }) => cohorts), [...new Array(8).fill(6), 4]);
  deepEqual(quarters[1].date, new Date("2024-04-01"));
  deepEqual(quarters.map(({ complete }) => complete), [...new Array(8).fill(true), false]);
  deepEqual([quarters[8].trend, quarters[8].within, quarters[0].slope.toFixed(9)], [
    ...[null, null, "0.000000000"],
  ]);
  deepEqual([quarters[0].break_p_value, quarters[0].reason], [
    ...[null, "a break test needs 20 complete periods, got 8"],
  ]);
  // Tracking began in January 2024, and the first three cohorts are left out: no complete first quarter.
  const tracked = rows(all, { every: "quarter" }, "2023-12");
  deepEqual(tracked.slice(0, 2).map(({ complete }) => complete), [false, true]);
  const years = rows(all, { every: "year" });
  deepEqual(years.map(({ slope, break_date, trend }) => [slope, break_date, trend]), [
    ...new Array(3).fill([null, null, null]),
  ]);
  equal(years[0].reason, "a trend needs 8 complete periods, got 2");
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
