import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { forecastRetention } from "../../../lib/analysis/retention/forecast_retention.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import { type Cohort, cohortFrame } from "../cohort_frame.ts";
import { checkValue } from "../check_values.ts";
import { near } from "../measured.ts";

type ForecastRetentionOptions = NonNullable<Parameters<typeof forecastRetention>[1]>;

const REGULAR = [1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241];
const HIGH_END = [1, 0.869, 0.743, 0.653, 0.593, 0.551, 0.517, 0.491];

interface ForecastRow {
  lower: number | null;
  upper: number | null;
  bounds: string | null;
  model: string | null;
  q: number | null;
  se_logit_q: number | null;
  se_log_alpha: number | null;
  se_log_beta: number | null;
  project_id: string;
  month: number;
  net_activity: number | null;
  predicted: number | null;
  alpha: number | null;
  beta: number | null;
  log_likelihood: number | null;
  adjusted: boolean;
  reason: string | null;
}

function pooled(...cohorts: readonly Cohort[]): DataFrame {
  return pooledRetention(retentionCurves(cohortFrame(cohorts), { unit: "fraction" }), {
    by: "project_id",
    cluster: "none",
  });
}

/** A forecast by the model of contracts. */
function ofContracts(frame: DataFrame, options: ForecastRetentionOptions = {}): DataFrame {
  return forecastRetention(frame, { model: "sbg", ...options });
}

function close(got: readonly (number | null)[], expected: readonly (number | null)[]): void {
  equal(got.length, expected.length);
  expected.forEach((value, index) => {
    if (value === null) equal(got[index], null);
    else ok(Math.abs(got[index]! - value) < 1e-12, `${got[index]} is not ${value}`);
  });
}

function rows(frame: DataFrame): ForecastRow[] {
  return frame.toRecords() as unknown as ForecastRow[];
}

Deno.test("forecastRetention reproduces the published fit and its predictions", () => {
  const forecast = rows(
    ofContracts(pooled({ size: 1000, months: REGULAR }), { horizon: 12 }),
  );
  deepEqual(forecast.map(({ month }) => month), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const [high] = rows(ofContracts(pooled({ size: 1000, months: HIGH_END })));
  for (
    const [row, ...fit] of [
      ...forecast.map((row) => [row, 0.704, 1.182, -1680.27] as const),
      [high!, 0.668, 3.806, -1611.16],
    ] as const
  ) {
    near(row.alpha, fit[0], 0.0005);
    near(row.beta, fit[1], 0.0005);
    near(row.log_likelihood, fit[2], 0.005);
    deepEqual([row.adjusted, row.reason], [false, null]);
  }
  // Fader and Hardie 2007, in percent, for years 1 to 12.
  const published = [62.7, 47.4, 38.8, 33.2, 29.2, 26.2, 23.9, 22.0, 20.4, 19.1, 18.0, 17.0];
  published.forEach((percent, index) => {
    ok(Math.abs(forecast[index + 1]!.predicted! * 100 - percent) <= 0.05);
  });
  equal(forecast[0]!.predicted, 1);
  close(forecast.map(({ net_activity }) => net_activity), [
    ...REGULAR,
    null,
    null,
    null,
    null,
    null,
  ]);
});

Deno.test("forecastRetention fits no month after fitThrough", () => {
  const whole = [...REGULAR, 0.223, 0.207, 0.194, 0.183];
  const frame = pooled({ size: 1000, months: whole });
  const forecast = rows(ofContracts(frame, { horizon: 3, fitThrough: 7 }));
  equal(forecast.length, 12);
  ok(forecast.every(({ alpha }) => Math.abs(alpha! - 0.704) < 0.0005));
  close(forecast.map(({ net_activity }) => net_activity), whole);
  ok(Math.abs(rows(ofContracts(frame))[0]!.alpha! - 0.704) > 0.001);
});

Deno.test("forecastRetention fits each group and explains those it cannot", () => {
  const forecast = rows(ofContracts(
    pooled(
      { project: "young", size: 100, months: [1, 0.5] },
      { project: "regular", size: 1000, months: REGULAR },
      { project: "unseen", size: 100, months: [] },
      { project: "empty", size: 0, months: [1, 0.5, 0.4] },
      { project: "loyal", size: 100, months: [1, 1, 1] },
      { project: "gone", size: 100, months: [0, 0, 0] },
    ),
    { horizon: 2 },
  ));
  const at = (project: string, month: number) =>
    forecast.find((row) => row.project_id === project && row.month === month)!;
  deepEqual([...new Set(forecast.map(({ project_id }) => project_id))], [
    "young",
    "regular",
    "unseen",
    "empty",
    "loyal",
    "gone",
  ]);
  const numbers = ({ predicted, alpha, beta, log_likelihood }: ForecastRow) => [
    predicted,
    alpha,
    beta,
    log_likelihood,
  ];
  const reasons: [project: string, reason: string][] = [
    ["young", "fewer than 3 observed months: 2"],
    ["unseen", "fewer than 3 observed months: 0"],
    ["empty", "fewer than 3 observed months: 0"],
    ["gone", "retention is 0 from month 0 on"],
    // The likelihood has no maximum.
    ["loyal", "the likelihood has no maximum at finite parameters"],
  ];
  for (const [project, reason] of reasons) {
    deepEqual(numbers(at(project, 1)), [null, null, null, null]);
    equal(at(project, 1).reason, reason);
  }
  equal(at("young", 1).net_activity, 0.5);
  ok(Math.abs(at("regular", 1).alpha! - 0.704) < 0.0005);
});

Deno.test("forecastRetention flags a rising curve and fits the nearest non-increasing one", () => {
  const rising = rows(ofContracts(pooled({ size: 100, months: [1, 0.5, 0.2, 0.4, 0.1] })));
  const even = rows(ofContracts(pooled({ size: 100, months: [1, 0.5, 0.3, 0.3, 0.1] })));
  ok(rising.every(({ adjusted }) => adjusted));
  ok(even.every(({ adjusted }) => !adjusted));
  ok(Math.abs(rising[1]!.alpha! - even[1]!.alpha!) < 1e-6);
  close(rising.slice(0, 5).map(({ net_activity }) => net_activity), [1, 0.5, 0.2, 0.4, 0.1]);
});

Deno.test("forecastRetention starts from month 0 if that is below 1", () => {
  const whole = rows(ofContracts(pooled({ size: 1000, months: REGULAR })));
  const half = rows(ofContracts(pooled({ size: 2000, months: REGULAR.map((r) => r / 2) })));
  equal(half[0]!.predicted, 0.5);
  half.forEach(({ predicted }, month) => {
    ok(Math.abs(predicted! - whole[month]!.predicted! / 2) < 1e-7);
  });
});

Deno.test("forecastRetention skips months without a value, including month 0", () => {
  const forecast = rows(ofContracts(
    pooled({ size: 1000, months: [null, 0.631, null, 0.382, 0.326] }),
    { horizon: 1 },
  ));
  close(forecast.map(({ net_activity }) => net_activity), [null, 0.631, null, 0.382, 0.326]);
  equal(forecast[0]!.predicted, 1);
  equal(forecast[0]!.reason, null);
  ok(Math.abs(forecast[1]!.predicted! - 0.63) < 0.01);
});

Deno.test("forecastRetention uses the groups of the frame: none, or one per cohort", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 1000, months: REGULAR },
    { cohort: "2025-02", size: 500, months: REGULAR.slice(0, 4) },
  ]));
  const byCohort = ofContracts(curves, { horizon: 11 });
  equal(byCohort.height, 24);
  equal(byCohort.getColumn("cohort_date").dtype.variant, "Date");
  const all = ofContracts(pooledRetention(curves), { horizon: 11 });
  equal(all.columns[0], "month");
  equal(all.height, 12);
});

Deno.test("forecastRetention gives bounds, and marks them as bounds for independent users", () => {
  const forecast = rows(ofContracts(pooled({ size: 1000, months: REGULAR })));
  const last = forecast[24]!;
  deepEqual([last.bounds, last.model, last.q], ["binomial", "sbg", 1]);
  near(last.se_log_alpha, checkValue("regular_se_log_alpha"), 1e-7);
  near(last.se_log_beta, 0.1289933, 5e-8);
  // .1073991 with the error .0121266, symmetric in log(-log).
  const half = 1.959963984540054 * 0.0121266 / (0.1073991 * -Math.log(0.1073991));
  near(last.lower, 0.1073991 ** Math.exp(half), 1e-6);
  near(last.upper, 0.1073991 ** Math.exp(-half), 1e-6);
  deepEqual([forecast[0]!.lower, forecast[0]!.upper], [1, 1]);
  for (const { lower, predicted, upper } of forecast) {
    ok(lower! <= predicted! && predicted! <= upper!);
  }
  const wide = rows(
    ofContracts(pooled({ size: 1000, months: REGULAR }), { confidence: 0.99 }),
  );
  ok(wide[24]!.lower! < last.lower! && last.upper! < wide[24]!.upper!);
});

Deno.test("forecastRetention uses the exact likelihood of cohorts of different ages", () => {
  const [old, young] = [REGULAR, [1, 0.5, 0.4]];
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 1000, months: old },
    { cohort: "2025-06", size: 3000, months: young },
  ]));
  const [{ alpha, beta, log_likelihood }] = rows(
    ofContracts(pooledRetention(curves)),
  ) as [ForecastRow];
  // The multinomial likelihood of each cohort: those lost by when they left, the others by staying.
  const model = [1];
  for (let month = 1; month < old.length; month++) {
    model.push(model[month - 1]! * (beta! + month - 1) / (alpha! + beta! + month - 1));
  }
  const likelihood = (months: number[], users: number) =>
    months.slice(1).reduce(
      (sum, now, index) =>
        sum + users * (months[index]! - now) * Math.log(model[index]! - model[index + 1]!),
      users * months.at(-1)! * Math.log(model[months.length - 1]!),
    );
  near(log_likelihood, likelihood(old, 1000) + likelihood(young, 3000), 1e-6);
});

Deno.test("forecastRetention is not biased by old cohorts with higher retention", () => {
  // Old cohorts keep 0.9 a month, young ones, ten times as many, 0.6.
  const good = Array.from({ length: 12 }, (_, month) => 0.9 ** month);
  const cohorts = [0, 1, 2, 3].flatMap((age) => [
    { cohort: `2024-0${age + 1}`, size: 1000, months: good },
    { cohort: `2025-0${age + 1}`, size: 10_000, months: [1, 0.6, 0.36] },
  ]);
  const pool = pooledRetention(retentionCurves(cohortFrame(cohorts), { unit: "fraction" }));
  const [, , , third] = pool.toRecords() as { retention: number; net_activity: number }[];
  near(third!.retention, 0.729, 1e-9);
  ok(third!.net_activity < 0.4);
  const [first] = rows(ofContracts(pool));
  equal(first!.adjusted, false);
  // As if one cohort stood behind all months, the curve rises from month 2 on.
  const blind = rows(ofContracts(pool.select("month", "size", "retention")));
  equal(blind[0]!.adjusted, true);
  ok(rows(ofContracts(pool))[24]!.predicted! < 0.8 * blind[24]!.predicted!);
});

Deno.test("forecastRetention with by pools the curves, and has cluster bounds", () => {
  const cohorts = [0.5, 0.7, 1.1, 1.5, 2].map((beta, index): Cohort => {
    const months = [1];
    for (let month = 1; month < 9; month++) {
      months.push(months[month - 1]! * (beta + month - 1) / (0.7 + beta + month - 1));
    }
    return { project: index < 3 ? "a" : "b", cohort: `2025-0${index + 1}`, size: 1000, months };
  });
  const curves = retentionCurves(cohortFrame(cohorts));
  const clustered = rows(ofContracts(curves, { by: "all", cluster: "cohort" }));
  const alone = rows(ofContracts(pooledRetention(curves, { cluster: "none" })));
  deepEqual([clustered[12]!.bounds, alone[12]!.bounds], ["cluster", "binomial"]);
  clustered.forEach((row, month) => near(row.predicted, alone[month]!.predicted!, 1e-9));
  deepEqual(
    clustered.map(({ net_activity }) => net_activity),
    alone.map(({ net_activity }) => net_activity),
  );
  ok(clustered[12]!.lower! < alone[12]!.lower! && alone[12]!.upper! < clustered[12]!.upper!);
  deepEqual([clustered[0]!.lower, clustered[0]!.upper], [1, 1]);
  equal(rows(ofContracts(curves, { by: "all", cluster: "none" }))[12]!.bounds, "binomial");
  equal(rows(ofContracts(curves, { by: "all" }))[12]!.bounds, "cluster");
  const byProject = rows(ofContracts(curves, { by: "project_id" }));
  deepEqual([...new Set(byProject.map(({ project_id }) => project_id))], ["a", "b"]);
  // Three cohorts make three blocks, two make none.
  deepEqual([...new Set(byProject.map(({ bounds }) => bounds))], ["block", null]);
  const sbg = rows(ofContracts(curves, { by: "all", model: "sbg" }))[12]!;
  ok(sbg.bounds === "cluster" && sbg.lower! < sbg.predicted!);
});

Deno.test("forecastRetention has no cluster bounds if a fit without one cluster fails", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 100, months: [1, 0.5, 0.4, 0.35] },
    { cohort: "2025-02", size: 100, months: [1, 0.6] },
  ]));
  const [, row] = rows(ofContracts(curves, { by: "all", cluster: "cohort" }));
  deepEqual([row!.lower, row!.bounds, row!.predicted === null], [null, null, false]);
  equal(row!.reason, "no bounds: without one of the clusters too few months are left");
  const one = curves.filter(pl.col("cohort").eq(pl.lit("2025-01")));
  const [, alone] = rows(ofContracts(one, { by: "all" }));
  deepEqual([alone!.bounds, alone!.lower], [null, null]);
  equal(alone!.reason, "no bounds: fewer than three cohorts with dates");
  const clustered = rows(ofContracts(one, { by: "all", cluster: "cohort" }))[1]!;
  deepEqual([clustered.bounds, clustered.reason], [null, "no bounds: one cluster"]);
});

Deno.test("forecastRetention drops the first cohorts of tracking", () => {
  const curves = retentionCurves(
    cohortFrame([
      { cohort: "2025-01", size: 9000, months: [1, 0.9, 0.9, 0.9] },
      { cohort: "2025-04", size: 1000, months: REGULAR },
    ]),
    { since: "2025-01" },
  );
  const alpha = (frame: DataFrame) => Number(rows(frame)[0]!.alpha);
  near(alpha(ofContracts(curves, { by: "all" })), 0.704, 0.0005);
  near(alpha(ofContracts(curves)), 0.704, 0.0005);
  near(alpha(ofContracts(pooledRetention(curves))), 0.704, 0.0005);
  ok(Math.abs(alpha(ofContracts(curves, { by: "all", washout: 0 })) - 0.7) > 0.1);
  equal(ofContracts(curves, { washout: 0 }).getColumn("cohort").nUnique(), 2);
});

/** The mean curve of BG/BB with the parameters of 11 104 donors (Fader, Hardie and Shang 2010). */
const DONORS = [1, 0.4985, 0.4248, 0.3735, 0.3354, 0.3058, 0.282, 0.2624, 0.2459];

function plain(retention: readonly number[], size: number): DataFrame {
  return pl.DataFrame({
    month: retention.map((_, month) => month),
    size: retention.map(() => size),
    retention,
  });
}

Deno.test("forecastRetention models activity that pauses, which sbg reads as a flat tail", () => {
  const forecast = rows(forecastRetention(plain(DONORS, 10_000)));
  near(forecast[12]!.predicted, 0.1993, 5e-4);
  near(forecast[24]!.predicted, 0.1345, 5e-4);
  const { model, alpha, beta, q, adjusted, reason } = forecast[1]!;
  deepEqual([model, adjusted, reason], ["active", false, null]);
  // The paper: gamma .66, delta 2.78, and alpha / (alpha + beta) = 1.20 / 1.95.
  near(alpha, 0.657, 0.005);
  near(beta, 2.783, 0.03);
  near(q, 0.616, 0.005);
  // Of 150 simulated samples of 10 000 users, the estimates have the standard deviations .103, .195 and .064.
  near(forecast[1]!.se_log_alpha, 0.10916, 1e-5);
  near(forecast[1]!.se_log_beta, 0.20947, 1e-5);
  near(forecast[1]!.se_logit_q, 0.06710, 1e-5);
  const contracts = rows(ofContracts(plain(DONORS, 10_000)))[24]!;
  near(contracts.predicted, 0.173, 5e-4);
  near(contracts.lower, 0.165, 5e-4);
  near(contracts.upper, 0.181, 5e-4);
});

Deno.test("forecastRetention active with q = 1 equals the contract model, without standard errors", () => {
  const model = [1];
  for (let month = 1; month < 9; month++) {
    model.push(model[month - 1]! * (1.2 + month - 1) / (0.7 + 1.2 + month - 1));
  }
  // More in month 1 than any q below 1 gives.
  const raised = model.map((left, month) => month === 1 ? left + 0.01 : left);
  const [, row] = rows(forecastRetention(plain(raised, 1000)));
  deepEqual([row!.q, row!.se_log_alpha, row!.se_log_beta, row!.se_logit_q], [1, null, null, null]);
  equal(row!.reason, null);
  near(row!.alpha, 0.7, 0.1);
});

Deno.test("forecastRetention active gives a reason for fewer than four months", () => {
  const of = (retention: number[]) => rows(forecastRetention(plain(retention, 100)))[1]!;
  equal(of([1, 0.5, 0.4]).reason, "fewer than 4 observed months: 3");
  equal(of([1, 0.5, 0.4]).predicted, null);
  ok(of([1, 0.5, 0.4, 0.35]).predicted! > 0.45);
  for (const flat of [[1, 0.5, 0.5, 0.5], [1, 0, 0, 0], [1, 1, 1, 1]]) {
    const { predicted, alpha, reason } = of(flat);
    deepEqual([predicted, alpha, reason], [
      ...[null, null, "the likelihood has no maximum at finite parameters"],
    ]);
  }
});

Deno.test("forecastRetention unweighted predicts the curve of the typical project", () => {
  const cohorts = [100, 100, 100, 20_000].map((size, index): Cohort => ({
    ...{ project: `p${index}`, cohort: "2025-01", size },
    months: DONORS.map((left, month) =>
      month === 0 ? 1 : left * (index === 3 ? 0.5 : 1 + index / 20)
    ),
  }));
  const curves = retentionCurves(cohortFrame(cohorts));
  const options = { by: "all", estimate: "unweighted" } as const;
  const typical = rows(forecastRetention(curves, options));
  const pooled = pooledRetention(curves, { estimate: "unweighted" });
  const retention = pooled.getColumn("retention").toArray() as number[];
  close(typical.slice(0, 7).map(({ net_activity }) => net_activity), retention.slice(0, 7));
  const weighted = rows(forecastRetention(curves, { by: "all" }));
  ok(typical[6]!.predicted! > 1.3 * weighted[6]!.predicted!);
  deepEqual([typical[6]!.bounds, typical[6]!.lower! < typical[6]!.predicted!], ["cluster", true]);
  // The pooled frame has the same curve, without the projects.
  near(rows(forecastRetention(pooled))[6]!.predicted, typical[6]!.predicted!, 1e-9);
  throws(() => forecastRetention(curves, { estimate: "unweighted" }), /estimate: requires by/);
});

Deno.test("forecastRetention is fitted to the chained curve, and returns it", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 100, months: [1, 0.9, 0.85, 0.8, 0.78] },
    { cohort: "2025-02", size: 1000, months: [1, 0.52] },
  ]));
  for (const model of ["active", "sbg"] as const) {
    const forecast = rows(forecastRetention(curves, { by: "all", model }));
    close(forecast.slice(0, 6).map(({ net_activity }) => net_activity), [
      ...[1, 610 / 1100, 610 / 1100 * 85 / 90, 610 / 1100 * 80 / 90, 610 / 1100 * 78 / 90, null],
    ]);
  }
});

Deno.test("forecastRetention has cluster bounds only for curves that are not pooled", () => {
  const cohorts = ["a", "b", "c", "d"].flatMap((project, index) =>
    ["2025-01", "2025-02", "2025-03"].map((cohort, age): Cohort => ({
      ...{ project, cohort, size: 1000 },
      months: DONORS.map((left, month) =>
        month === 0 ? 1 : left * (1 + (index - 1.5) / 10 + (age - 1) / 50)
      ),
    }))
  );
  const curves = retentionCurves(cohortFrame(cohorts));
  const [, direct] = rows(forecastRetention(curves, { by: "all" }));
  equal(direct!.bounds, "cluster");
  ok(direct!.lower! < direct!.predicted! && direct!.predicted! < direct!.upper!);
  const frame = pooledRetention(curves);
  const [, indirect] = rows(forecastRetention(frame));
  deepEqual([indirect!.lower, indirect!.upper, indirect!.bounds], [null, null, null]);
  equal(
    indirect!.reason,
    "no bounds: the frame is pooled over its project_id; pass the curves and by",
  );
  near(indirect!.predicted, direct!.predicted!, 1e-9);
  const alone = pooledRetention(curves, { cluster: "none" });
  equal(rows(ofContracts(alone))[1]!.bounds, "binomial");
  const single = curves.filter(pl.col("project_id").eq(pl.lit("a")));
  equal(rows(forecastRetention(single, { by: "all" }))[1]!.bounds, "block");
});

Deno.test("forecastRetention of impossible or very large counts is finite or gives a reason", () => {
  const cohorts: Cohort[] = [
    { project: "one", size: 1, months: [1, 1, 0, 0] },
    { project: "many", size: 1e15, months: REGULAR },
    { project: "gap", size: 10, months: [1, null, null, 0.5, null, 0.4] },
    { project: "back", size: 10, months: [1, 0, 0.2, 0.1] },
    { project: "late", size: 10, months: [null, null, 0.5, 0.4, 0.3] },
    { project: "half", size: 10, months: [0.5, 0.7, 0.4, 0.3] },
  ];
  for (const model of ["active", "sbg"] as const) {
    for (const row of rows(ofContracts(pooled(...cohorts), { model, horizon: 1200 }))) {
      const { predicted, lower, upper, log_likelihood, reason } = row;
      equal(predicted === null, reason !== null && !/^(no bounds|only)/.test(reason));
      if (predicted === null) continue;
      ok(predicted! >= 0 && predicted! <= 1, `${row.project_id} ${model}: ${predicted}`);
      ok(Number.isFinite(log_likelihood));
      if (lower === null) equal(upper, null);
      else ok(0 <= lower && lower <= predicted! && predicted! <= upper! && upper! <= 1);
    }
  }
});

Deno.test("forecastRetention refuses impossible options and curves", () => {
  const frame = pooled({ size: 1000, months: REGULAR });
  for (const horizon of [0, 1.5, -1, 1201, Infinity, NaN]) {
    throws(() => forecastRetention(frame, { horizon }), {
      name: "RangeError",
      message: `forecastRetention: horizon: must be a whole number from 1 to 1200; got ${horizon}`,
    });
  }
  throws(() => forecastRetention(frame, { fitThrough: -1 }), {
    name: "RangeError",
    message: "forecastRetention: fitThrough: must be a number of at least 0; got -1",
  });
  throws(() => forecastRetention(frame, { cluster: "cohort" }), {
    name: "RangeError",
    message: 'forecastRetention: cluster: requires by, which pools the curves; got "cohort"',
  });
  throws(() => forecastRetention(frame, { by: "all" }), {
    name: "RangeError",
    message:
      /^forecastRetention: expected a frame of retentionCurves, got one of pooledRetention; pass the curves/,
  });
  throws(() => forecastRetention(frame, { model: "bdw" as "sbg" }), {
    name: "RangeError",
    message: /^forecastRetention: model: must be one of active, sbg; got "bdw"/,
  });
  throws(() => forecastRetention(pl.concat([frame, frame])), {
    name: "RangeError",
    message: /^forecastRetention: two rows have project_id .*, month 0; pool the curves first$/,
  });
  throws(() => forecastRetention(frame.withColumn(pl.lit(1.2).alias("retention"))), {
    name: "RangeError",
    message: /^forecastRetention: retention lies between 0 and 1: /,
  });
  for (const month of [-1, 0.5, 1e9, null]) {
    const odd = frame.withColumn(pl.lit(month).cast(pl.Float64).alias("month")).head(1);
    throws(() => forecastRetention(odd), {
      name: "RangeError",
      message:
        /^forecastRetention: month is a whole number from 0 to 1200: .*, month (null|[-.\d]+), /,
    });
  }
  throws(() => forecastRetention(frame.drop("size", "month")), {
    name: "RangeError",
    message: /^forecastRetention: expected a frame of pooledRetention; missing: month, size/,
  });
});
