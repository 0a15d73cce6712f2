import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { forecastRetention } from "../../lib/analysis/forecast_retention.ts";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";

const REGULAR = [1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241];

interface ForecastRow {
  lower: number | null;
  upper: number | null;
  bounds: string | null;
  model: string | null;
  c: number | null;
  aic: number | null;
  se_log_alpha: number | null;
  se_log_beta: number | null;
  project_id: string;
  month: number;
  observed: number | null;
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
  });
}

function rows(frame: DataFrame): ForecastRow[] {
  return frame.toRecords() as unknown as ForecastRow[];
}

Deno.test("forecastRetention reproduces the published fit and its predictions", () => {
  const forecast = rows(
    forecastRetention(pooled({ size: 1000, months: REGULAR }), { horizon: 12 }),
  );
  deepEqual(forecast.map(({ month }) => month), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  for (const { alpha, beta, log_likelihood, adjusted, reason } of forecast) {
    ok(Math.abs(alpha! - 0.704) < 0.0005 && Math.abs(beta! - 1.182) < 0.0005);
    ok(Math.abs(log_likelihood! + 1680.27) < 0.005);
    deepEqual([adjusted, reason], [false, null]);
  }
  // Fader and Hardie 2007, in percent, for years 1 to 12.
  const published = [62.7, 47.4, 38.8, 33.2, 29.2, 26.2, 23.9, 22.0, 20.4, 19.1, 18.0, 17.0];
  published.forEach((percent, index) => {
    ok(Math.abs(forecast[index + 1]!.predicted! * 100 - percent) <= 0.05);
  });
  equal(forecast[0]!.predicted, 1);
  deepEqual(forecast.map(({ observed }) => observed), [...REGULAR, null, null, null, null, null]);
});

Deno.test("forecastRetention holds out what comes after fitThrough", () => {
  const whole = [...REGULAR, 0.223, 0.207, 0.194, 0.183];
  const frame = pooled({ size: 1000, months: whole });
  const forecast = rows(forecastRetention(frame, { horizon: 3, fitThrough: 7 }));
  equal(forecast.length, 12);
  ok(forecast.every(({ alpha }) => Math.abs(alpha! - 0.704) < 0.0005));
  deepEqual(forecast.map(({ observed }) => observed), whole);
  ok(Math.abs(rows(forecastRetention(frame))[0]!.alpha! - 0.704) > 0.001);
});

Deno.test("forecastRetention fits each group and explains those it cannot", () => {
  const forecast = rows(forecastRetention(
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
  ];
  for (const [project, reason] of reasons) {
    deepEqual(numbers(at(project, 1)), [null, null, null, null]);
    equal(at(project, 1).reason, reason);
  }
  equal(at("young", 1).observed, 0.5);
  deepEqual(numbers(at("loyal", 2)), [1, null, null, 0]);
  equal(at("loyal", 2).reason, "nobody left: alpha goes to 0, predicted without churn");
  ok(Math.abs(at("regular", 1).alpha! - 0.704) < 0.0005);
});

Deno.test("forecastRetention flags a curve that rises and fits the nearest that does not", () => {
  const rising = rows(forecastRetention(pooled({ size: 100, months: [1, 0.5, 0.2, 0.4, 0.1] })));
  const even = rows(forecastRetention(pooled({ size: 100, months: [1, 0.5, 0.3, 0.3, 0.1] })));
  ok(rising.every(({ adjusted }) => adjusted));
  ok(even.every(({ adjusted }) => !adjusted));
  ok(Math.abs(rising[1]!.alpha! - even[1]!.alpha!) < 1e-6);
  deepEqual(rising.slice(0, 5).map(({ observed }) => observed), [1, 0.5, 0.2, 0.4, 0.1]);
});

Deno.test("forecastRetention starts from month 0 where that is below 1", () => {
  const whole = rows(forecastRetention(pooled({ size: 1000, months: REGULAR })));
  const half = rows(forecastRetention(pooled({ size: 2000, months: REGULAR.map((r) => r / 2) })));
  equal(half[0]!.predicted, 0.5);
  half.forEach(({ predicted }, month) => {
    ok(Math.abs(predicted! - whole[month]!.predicted! / 2) < 1e-7);
  });
});

Deno.test("forecastRetention steps over months without a value, month 0 too", () => {
  const forecast = rows(forecastRetention(
    pooled({ size: 1000, months: [null, 0.631, null, 0.382, 0.326] }),
    { horizon: 1 },
  ));
  deepEqual(forecast.map(({ observed }) => observed), [null, 0.631, null, 0.382, 0.326]);
  equal(forecast[0]!.predicted, 1);
  equal(forecast[0]!.reason, null);
  ok(Math.abs(forecast[1]!.predicted! - 0.63) < 0.01);
});

Deno.test("forecastRetention goes by the frame's own groups: none, or one per cohort", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 1000, months: REGULAR },
    { cohort: "2025-02", size: 500, months: REGULAR.slice(0, 4) },
  ]));
  const byCohort = forecastRetention(curves, { horizon: 11 });
  equal(byCohort.height, 24);
  deepEqual(byCohort.columns.slice(4), [
    "cohort",
    "cohort_date",
    ...["month", "observed", "predicted", "lower", "upper", "bounds", "model"],
    ...["alpha", "beta", "c", "se_log_alpha", "se_log_beta", "log_likelihood", "aic"],
    ...["adjusted", "reason", "confidence"],
  ]);
  equal(byCohort.getColumn("cohort_date").dtype.variant, "Date");
  const all = forecastRetention(pooledRetention(curves), { horizon: 11 });
  equal(all.columns[0], "month");
  deepEqual(
    all.columns.map((name) => all.getColumn(name).dtype.variant),
    [
      ...["Int64", ...Array(4).fill("Float64"), "String", "String"],
      ...[...Array(7).fill("Float64"), "Bool", "String", "Float64"],
    ],
  );
  equal(all.height, 12);
});

function near(got: unknown, expected: number, within: number): void {
  ok(Math.abs(Number(got) - expected) <= within, `${got} is not ${expected}`);
}

Deno.test("forecastRetention gives bounds, and says that they are for independent users", () => {
  const forecast = rows(forecastRetention(pooled({ size: 1000, months: REGULAR })));
  const last = forecast[24]!;
  deepEqual([last.bounds, last.model, last.c], ["binomial", "sbg", 1]);
  near(last.se_log_alpha, 0.0931701, 5e-8);
  near(last.se_log_beta, 0.1289933, 5e-8);
  near(last.aic, 3364.53, 0.005);
  // .1073991 with the error .0121266, symmetric in log(-log).
  const half = 1.959963984540054 * 0.0121266 / (0.1073991 * -Math.log(0.1073991));
  near(last.lower, 0.1073991 ** Math.exp(half), 1e-6);
  near(last.upper, 0.1073991 ** Math.exp(-half), 1e-6);
  deepEqual([forecast[0]!.lower, forecast[0]!.upper], [1, 1]);
  for (const { lower, predicted, upper } of forecast) {
    ok(lower! <= predicted! && predicted! <= upper!);
  }
  const wide = rows(
    forecastRetention(pooled({ size: 1000, months: REGULAR }), { confidence: 0.99 }),
  );
  ok(wide[24]!.lower! < last.lower! && last.upper! < wide[24]!.upper!);
});

Deno.test("forecastRetention takes other models, and the best of them by AIC", () => {
  const curve = pooled({ size: 1000, months: REGULAR });
  const of = (model: "sbg" | "bdw" | "geometric" | "best", frame = curve) =>
    rows(forecastRetention(frame, { model }))[12]!;
  const bdw = of("bdw");
  near(bdw.log_likelihood, -1679.6, 0.005);
  near(bdw.c, 1.283, 5e-4);
  near(bdw.aic, 3365.21, 0.005);
  deepEqual([bdw.model, of("best").model, of("geometric").model], ["bdw", "sbg", "geometric"]);
  const even = of("geometric");
  deepEqual([even.alpha, even.beta, even.c, even.se_log_alpha, even.reason], [
    ...[null, null, null, null, null],
  ]);
  ok(even.lower! < even.predicted! && even.predicted! < even.upper!);
  const constant = pooled({ size: 1000, months: [1, 0.5, 0.25, 0.125] });
  equal(of("best", constant).model, "geometric");
  near(of("best", constant).predicted, 0.5 ** 12, 1e-9);
  deepEqual([of("sbg", constant).lower, of("sbg", constant).bounds], [null, null]);
  const young = pooled({ size: 100, months: [1, 0.5] });
  equal(of("best", young).model, "geometric");
  equal(of("bdw", young).reason, "fewer than 4 observed months: 2");
  equal(of("best", pooled({ size: 100, months: [1] })).reason, "fewer than 2 observed months: 1");
  equal(of("best", pooled({ size: 100, months: [1] })).model, null);
});

Deno.test("forecastRetention has the exact likelihood of cohorts of unlike age", () => {
  const [old, young] = [REGULAR, [1, 0.5, 0.4]];
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 1000, months: old },
    { cohort: "2025-06", size: 3000, months: young },
  ]));
  const [{ alpha, beta, log_likelihood }] = rows(
    forecastRetention(pooledRetention(curves)),
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

Deno.test("forecastRetention is not led astray by old cohorts that were better than young ones", () => {
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
  const [first] = rows(forecastRetention(pool));
  equal(first!.adjusted, false);
  // As if one cohort stood behind all months, the curve rises from month 2 on.
  const blind = rows(forecastRetention(pool.select("month", "size", "retention")));
  equal(blind[0]!.adjusted, true);
  ok(rows(forecastRetention(pool))[24]!.predicted! < 0.8 * blind[24]!.predicted!);
});

Deno.test("forecastRetention with by pools the curves, and its bounds go by clusters", () => {
  const cohorts = [0.5, 0.7, 1.1, 1.5, 2].map((beta, index): Cohort => {
    const months = [1];
    for (let month = 1; month < 9; month++) {
      months.push(months[month - 1]! * (beta + month - 1) / (0.7 + beta + month - 1));
    }
    return { project: index < 3 ? "a" : "b", cohort: `2025-0${index + 1}`, size: 1000, months };
  });
  const curves = retentionCurves(cohortFrame(cohorts));
  const clustered = rows(forecastRetention(curves, { by: "all", cluster: "cohort" }));
  const alone = rows(forecastRetention(pooledRetention(curves)));
  deepEqual([clustered[12]!.bounds, alone[12]!.bounds], ["cluster", "binomial"]);
  clustered.forEach((row, month) => near(row.predicted, alone[month]!.predicted!, 1e-9));
  deepEqual(clustered.map(({ observed }) => observed), alone.map(({ observed }) => observed));
  ok(clustered[12]!.lower! < alone[12]!.lower! && alone[12]!.upper! < clustered[12]!.upper!);
  deepEqual([clustered[0]!.lower, clustered[0]!.upper], [1, 1]);
  equal(rows(forecastRetention(curves, { by: "all", cluster: "none" }))[12]!.bounds, "binomial");
  equal(rows(forecastRetention(curves, { by: "all" }))[12]!.bounds, "cluster");
  const byProject = rows(forecastRetention(curves, { by: "project_id" }));
  deepEqual([...new Set(byProject.map(({ project_id }) => project_id))], ["a", "b"]);
  ok(byProject.every(({ bounds }) => bounds === "cluster"));
  for (const model of ["bdw", "geometric"] as const) {
    const other = rows(forecastRetention(curves, { by: "all", model }))[12]!;
    ok(other.bounds === "cluster" && other.lower! < other.predicted!);
  }
});

Deno.test("forecastRetention has no bounds by clusters where it cannot do without one of them", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 100, months: [1, 0.5, 0.4, 0.35] },
    { cohort: "2025-02", size: 100, months: [1, 0.6] },
  ]));
  const [, row] = rows(forecastRetention(curves, { by: "all" }));
  deepEqual([row!.lower, row!.bounds, row!.predicted === null], [null, null, false]);
  const one = curves.filter(pl.col("cohort").eq(pl.lit("2025-01")));
  equal(rows(forecastRetention(one, { by: "all" }))[1]!.bounds, "binomial");
});

Deno.test("forecastRetention leaves left-truncated cohorts out", () => {
  const curves = retentionCurves(
    cohortFrame([
      { cohort: "2025-01", size: 9000, months: [1, 0.9, 0.9, 0.9] },
      { cohort: "2025-02", size: 1000, months: REGULAR },
    ]),
    { since: "2025-01" },
  );
  const alpha = (frame: DataFrame) => Number(rows(frame)[0]!.alpha);
  near(alpha(forecastRetention(curves, { by: "all" })), 0.704, 0.0005);
  near(alpha(forecastRetention(curves)), 0.704, 0.0005);
  near(alpha(forecastRetention(pooledRetention(curves))), 0.704, 0.0005);
  ok(Math.abs(alpha(forecastRetention(curves, { by: "all", leftTruncated: "keep" })) - 0.7) > 0.1);
  equal(forecastRetention(curves, { leftTruncated: "keep" }).getColumn("cohort").nUnique(), 2);
});

Deno.test("forecastRetention of impossible and of very many users is finite or says why", () => {
  const cohorts: Cohort[] = [
    { project: "one", size: 1, months: [1, 1, 0, 0] },
    { project: "many", size: 1e15, months: REGULAR },
    { project: "gap", size: 10, months: [1, null, null, 0.5, null, 0.4] },
    { project: "back", size: 10, months: [1, 0, 0.2, 0.1] },
    { project: "late", size: 10, months: [null, null, 0.5, 0.4, 0.3] },
    { project: "half", size: 10, months: [0.5, 0.7, 0.4, 0.3] },
  ];
  for (const model of ["sbg", "bdw", "geometric", "best"] as const) {
    for (const row of rows(forecastRetention(pooled(...cohorts), { model, horizon: 1200 }))) {
      const { predicted, lower, upper, log_likelihood, reason } = row;
      if (model === "bdw" && reason === "fewer than 4 observed months: 3") continue;
      ok(predicted! >= 0 && predicted! <= 1, `${row.project_id} ${model}: ${predicted}`);
      ok(Number.isFinite(log_likelihood));
      if (lower === null) equal(upper, null);
      else ok(0 <= lower && lower <= predicted! && predicted! <= upper! && upper! <= 1);
    }
  }
});

Deno.test("forecastRetention of no curves has every column and no rows", () => {
  const forecast = forecastRetention(pooled());
  equal(forecast.height, 0);
  equal(forecast.columns.length, 19);
});

Deno.test("forecastRetention refuses impossible options and curves", () => {
  const frame = pooled({ size: 1000, months: REGULAR });
  for (const horizon of [0, 1.5, -1, 1201, Infinity, NaN]) {
    throws(() => forecastRetention(frame, { horizon }), {
      name: "RangeError",
      message: `forecastRetention: horizon: must be a whole number from 1 to 1200: ${horizon}`,
    });
  }
  throws(() => forecastRetention(frame, { fitThrough: -1 }), {
    name: "RangeError",
    message: "forecastRetention: fitThrough: must be a number of at least 0: -1",
  });
  throws(() => forecastRetention(frame, { cluster: "cohort" }), {
    name: "RangeError",
    message: "forecastRetention: cluster goes with by, which pools the curves: cohort",
  });
  throws(() => forecastRetention(frame, { by: "all" }), {
    name: "RangeError",
    message: /this frame lacks cohort/,
  });
  throws(() => forecastRetention(frame, { model: "weibull" as "bdw" }), {
    name: "RangeError",
    message: /^forecastRetention: model: must be one of sbg, bdw, geometric, best/,
  });
  throws(() => forecastRetention(pl.concat([frame, frame])), {
    name: "RangeError",
    message:
      /^forecastRetention: a month stands once in each group; pool the curves first: \{"project_id"/,
  });
  throws(() => forecastRetention(frame.withColumn(pl.lit(1.2).alias("retention"))), {
    name: "RangeError",
    message: /^forecastRetention: retention lies between 0 and 1: /,
  });
  for (const month of [-1, 0.5, 1e9, null]) {
    const odd = frame.withColumn(pl.lit(month).cast(pl.Float64).alias("month")).head(1);
    throws(() => forecastRetention(odd), {
      name: "RangeError",
      message: /^forecastRetention: month is a whole number from 0 to 1200: \{/,
    });
  }
  throws(() => forecastRetention(frame.drop("size", "month")), {
    name: "RangeError",
    message:
      /^forecastRetention: it works on a frame of pooledRetention; this frame lacks month, size/,
  });
});
