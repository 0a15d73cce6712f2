import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { forecastRetention } from "../../lib/analysis/forecast_retention.ts";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { type Cohort, cohortFrame } from "./cohort_frame.ts";

const REGULAR = [1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241];

interface ForecastRow {
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
    "month",
    "observed",
    "predicted",
    "alpha",
    "beta",
    "log_likelihood",
    "adjusted",
    "reason",
  ]);
  equal(byCohort.getColumn("cohort_date").dtype.variant, "Date");
  const all = forecastRetention(pooledRetention(curves), { horizon: 11 });
  equal(all.columns[0], "month");
  deepEqual(
    all.columns.map((name) => all.getColumn(name).dtype.variant),
    ["Int64", "Float64", "Float64", "Float64", "Float64", "Float64", "Bool", "String"],
  );
  equal(all.height, 12);
});

Deno.test("forecastRetention of no curves has every column and no rows", () => {
  const forecast = forecastRetention(pooled());
  equal(forecast.height, 0);
  equal(forecast.columns.length, 10);
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
