import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { forecastRetention } from "../../../lib/analysis/retention/forecast_retention.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame, cohortsAsUnits } from "../cohort_frame.ts";
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

function curvesOf(...cohorts: readonly Cohort[]): DataFrame {
  return retentionCurves(cohortFrame(cohorts), { unit: "fraction" });
}

/** A forecast by the model of contracts, for each project, with bounds for independent users. */
function ofContracts(frame: DataFrame, options: ForecastRetentionOptions = {}): DataFrame {
  return forecastRetention(frame, {
    model: "sbg",
    by: "project_id",
    cluster: "none",
    ...options,
  });
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
    ofContracts(curvesOf({ size: 1000, months: REGULAR }), { horizon: 12 }),
  );
  deepEqual(forecast.map(({ month }) => month), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const [high] = rows(ofContracts(curvesOf({ size: 1000, months: HIGH_END })));
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

Deno.test("forecastRetention of early months is tested with later months", () => {
  const whole = curvesOf({ size: 1000, months: [...REGULAR, 0.223, 0.207, 0.194, 0.183] });
  const early = whole.filter(pl.col("month").ltEq(pl.lit(7)));
  const forecast = rows(ofContracts(early, { horizon: 11 }));
  ok(forecast.every(({ alpha }) => Math.abs(alpha! - 0.704) < 0.0005));
  near(forecast[11]!.predicted, 0.183, 0.005);
  ok(Math.abs(rows(ofContracts(whole))[0]!.alpha! - 0.704) > 0.001);
});

Deno.test("forecastRetention fits each group and explains those it cannot", () => {
  const forecast = rows(ofContracts(
    curvesOf(
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
    // The likelihood has no maximum.
    ["gone", "the likelihood has no maximum at finite parameters"],
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
  const of = (...months: number[]) => rows(ofContracts(curvesOf({ size: 100, months })));
  const [rising, even] = [of(1, 0.5, 0.2, 0.4, 0.1), of(1, 0.5, 0.3, 0.3, 0.1)];
  ok(rising.every(({ adjusted }) => adjusted));
  ok(even.every(({ adjusted }) => !adjusted));
  ok(Math.abs(rising[1]!.alpha! - even[1]!.alpha!) < 1e-6);
  close(rising.slice(0, 5).map(({ net_activity }) => net_activity), [1, 0.5, 0.2, 0.4, 0.1]);
  const active = rows(forecastRetention(curvesOf({ size: 100, months: [1, 0.5, 0.2, 0.4, 0.1] })));
  ok(active.every(({ adjusted }) => adjusted === false));
});

Deno.test("forecastRetention has cluster bounds of sbg if curves rise with and without a cluster", () => {
  // Together the curve rises in month 3, and without any of the projects, too.
  const projects = ["a", "b", "c", "d"].map((project, at): Cohort => ({
    ...{ project, size: 1000 },
    months: [1, 0.5, 0.3, 0.32 + at / 100, 0.2, 0.18 - at / 100],
  }));
  const [first, ...others] = rows(forecastRetention(curvesOf(...projects), { model: "sbg" }));
  deepEqual([first!.adjusted, first!.bounds], [true, "cluster"]);
  ok(others.every(({ lower, predicted, upper }) => lower! < predicted! && predicted! < upper!));
});

Deno.test("forecastRetention starts from month 0 if that is below 1", () => {
  const whole = rows(ofContracts(curvesOf({ size: 1000, months: REGULAR })));
  const half = rows(ofContracts(curvesOf({ size: 2000, months: REGULAR.map((r) => r / 2) })));
  equal(half[0]!.predicted, 0.5);
  half.forEach(({ predicted }, month) => {
    ok(Math.abs(predicted! - whole[month]!.predicted! / 2) < 1e-7);
  });
});

Deno.test("forecastRetention skips months without a value, including month 0", () => {
  const forecast = rows(ofContracts(
    curvesOf({ size: 1000, months: [null, 0.631, null, 0.382, 0.326] }),
    { horizon: 1 },
  ));
  close(forecast.map(({ net_activity }) => net_activity), [null, 0.631, null, 0.382, 0.326]);
  equal(forecast[0]!.predicted, 1);
  equal(forecast[0]!.reason, null);
  ok(Math.abs(forecast[1]!.predicted! - 0.63) < 0.01);
});

Deno.test("forecastRetention pools all cohorts by default, and each cohort can be a group", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 1000, months: REGULAR },
    { cohort: "2025-02", size: 500, months: REGULAR.slice(0, 4) },
  ]));
  const byCohort = ofContracts(curves, { by: ["project_id", "cohort"], horizon: 11 });
  equal(byCohort.height, 24);
  deepEqual(byCohort.columns.slice(0, 4), ["project_id", "project_name", "cohort", "month"]);
  const all = forecastRetention(curves, { horizon: 11 });
  equal(all.columns[0], "month");
  equal(all.height, 12);
});

Deno.test("forecastRetention gives bounds, and marks them as bounds for independent users", () => {
  const forecast = rows(ofContracts(curvesOf({ size: 1000, months: REGULAR })));
  const last = forecast[24]!;
  deepEqual([last.bounds, last.model, last.q], ["binomial", "sbg", 1]);
  // .1073991 with the error .0121266, symmetric in log(-log).
  const half = 1.959963984540054 * 0.0121266 / (0.1073991 * -Math.log(0.1073991));
  near(last.lower, 0.1073991 ** Math.exp(half), 1e-6);
  near(last.upper, 0.1073991 ** Math.exp(-half), 1e-6);
  deepEqual([forecast[0]!.lower, forecast[0]!.upper], [1, 1]);
  for (const { lower, predicted, upper } of forecast) {
    ok(lower! <= predicted! && predicted! <= upper!);
  }
  const wide = rows(
    ofContracts(curvesOf({ size: 1000, months: REGULAR }), { confidence: 0.99 }),
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
    ofContracts(curves),
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
  const curves = curvesOf(...cohorts);
  const pool = pooledRetention(curves);
  const [, , , third] = pool.toRecords() as { retention: number; net_activity: number }[];
  near(third!.retention, 0.729, 1e-9);
  ok(third!.net_activity < 0.4);
  // As if one cohort stood behind all months, the curve rises from month 2 on.
  const blind = pool.select("month", "size", "retained");
  equal(rows(ofContracts(blind, { by: "all" }))[0]!.adjusted, true);
  const [first, second] = [curves, blind].map((frame) => rows(forecastRetention(frame)));
  ok(first![24]!.predicted! < 0.8 * second![24]!.predicted!);
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
  const units = cohortsAsUnits(curves);
  const clustered = rows(ofContracts(units, { by: "all", cluster: "unit" }));
  const alone = rows(ofContracts(curves, { by: "all" }));
  deepEqual([clustered[12]!.bounds, alone[12]!.bounds], ["cluster", "binomial"]);
  clustered.forEach((row, month) => near(row.predicted, alone[month]!.predicted!, 1e-9));
  deepEqual(
    clustered.map(({ net_activity }) => net_activity),
    alone.map(({ net_activity }) => net_activity),
  );
  ok(clustered[12]!.lower! < alone[12]!.lower! && alone[12]!.upper! < clustered[12]!.upper!);
  deepEqual([clustered[0]!.lower, clustered[0]!.upper], [1, 1]);
  const of = (by: string) => rows(forecastRetention(curves, { model: "sbg", by }));
  equal(of("all")[12]!.bounds, "cluster");
  const byProject = of("project_id");
  deepEqual([...new Set(byProject.map(({ project_id }) => project_id))], ["a", "b"]);
  // Three cohorts make three blocks, two make none.
  deepEqual([...new Set(byProject.map(({ bounds }) => bounds))], ["block", null]);
});

Deno.test("forecastRetention has no cluster bounds if a fit without one cluster fails", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 100, months: [1, 0.5, 0.4, 0.35] },
    { cohort: "2025-02", size: 100, months: [1, 0.6] },
  ]));
  const units = cohortsAsUnits(curves);
  const [, row] = rows(ofContracts(units, { by: "all", cluster: "unit" }));
  deepEqual([row!.lower, row!.bounds, row!.predicted === null], [null, null, false]);
  equal(row!.reason, "no bounds: without one of the clusters, fewer than 3 observed months: 2");
  const one = curves.filter(pl.col("cohort").eq(pl.lit("2025-01")));
  const [, alone] = rows(ofContracts(one, { by: "all", cluster: "cohort_block" }));
  deepEqual([alone!.bounds, alone!.lower], [null, null]);
  equal(alone!.reason, "no bounds: fewer than two clusters");
  const clustered = rows(ofContracts(cohortsAsUnits(one), { by: "all", cluster: "unit" }))[1]!;
  deepEqual([clustered.bounds, clustered.reason], [null, "no bounds: fewer than two clusters"]);
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
  near(alpha(ofContracts(curves)), 0.704, 0.0005);
  ok(Math.abs(alpha(forecastRetention(curves, { washout: 0 })) - 0.7) > 0.1);
});

/** The mean curve of BG/BB with the parameters of 11 104 donors (Fader, Hardie and Shang 2010). */
const DONORS = [1, 0.4985, 0.4248, 0.3735, 0.3354, 0.3058, 0.282, 0.2624, 0.2459];

function plain(retention: readonly number[], size: number): DataFrame {
  return pl.DataFrame({
    month: retention.map((_, month) => month),
    size: retention.map(() => size),
    retained: retention.map((share) => share * size),
  });
}

Deno.test("forecastRetention models activity that pauses, which sbg reads as a flat tail", () => {
  const forecast = rows(forecastRetention(plain(DONORS, 10_000)));
  near(forecast[12]!.predicted, 0.1993, 5e-4);
  near(forecast[24]!.predicted, 0.1345, 5e-4);
  const { model, alpha, beta, q, reason } = forecast[1]!;
  deepEqual([model, reason], ["active", null]);
  // The paper: gamma .66, delta 2.78, and alpha / (alpha + beta) = 1.20 / 1.95.
  near(alpha, 0.657, 0.005);
  near(beta, 2.783, 0.03);
  near(q, 0.616, 0.005);
  const contracts = rows(ofContracts(plain(DONORS, 10_000), { by: "all" }))[24]!;
  near(contracts.predicted, 0.173, 5e-4);
  near(contracts.lower, 0.165, 5e-4);
  near(contracts.upper, 0.181, 5e-4);
});

Deno.test("forecastRetention active with q = 1 equals the contract model, without bounds", () => {
  const model = [1];
  for (let month = 1; month < 9; month++) {
    model.push(model[month - 1]! * (1.2 + month - 1) / (0.7 + 1.2 + month - 1));
  }
  // More in month 1 than any q below 1 gives.
  const raised = model.map((left, month) => month === 1 ? left + 0.01 : left);
  const [, row] = rows(forecastRetention(plain(raised, 1000)));
  deepEqual([row!.q, row!.lower, row!.reason], [1, null, "no bounds: the error is unknown"]);
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

Deno.test("forecastRetention has bounds by units, by blocks of one unit, or of independent users", () => {
  const cohorts = ["a", "b", "c", "d"].flatMap((project, index) =>
    ["2025-01", "2025-02", "2025-03"].map((cohort, age): Cohort => ({
      ...{ project, cohort, size: 1000 },
      months: DONORS.map((left, month) =>
        month === 0 ? 1 : left * (1 + (index - 1.5) / 10 + (age - 1) / 50)
      ),
    }))
  );
  const curves = retentionCurves(cohortFrame(cohorts));
  const single = curves.filter(pl.col("project_id").eq(pl.lit("a")));
  const widths = [
    ["cluster", forecastRetention(curves)],
    ["binomial", forecastRetention(curves, { cluster: "none" })],
    ["block", forecastRetention(single)],
  ].map(([bounds, forecast]) => {
    const row = rows(forecast as DataFrame)[1]!;
    equal(row.bounds, bounds);
    ok(row.lower! < row.predicted! && row.predicted! < row.upper!);
    return row.upper! - row.lower!;
  });
  ok(widths[0]! > 2 * widths[1]!);
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
    for (const row of rows(ofContracts(curvesOf(...cohorts), { model, horizon: 1200 }))) {
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
  const frame = curvesOf({ size: 1000, months: REGULAR });
  for (const horizon of [0, 1.5, -1, 1201, Infinity, NaN]) {
    throws(() => forecastRetention(frame, { horizon }), {
      name: "RangeError",
      message: `forecastRetention: horizon: must be a whole number from 1 to 1200; got ${horizon}`,
    });
  }
  throws(() => forecastRetention(pooledRetention(frame) as DataFrame), {
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
    message: /^forecastRetention: entity: two rows have the same project_id, cohort, month; /,
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
    message: /^forecastRetention: expected a frame of retentionCurves; missing: month, size/,
  });
});
