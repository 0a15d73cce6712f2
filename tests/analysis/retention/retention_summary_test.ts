import { deepEqual, equal, ok } from "node:assert/strict";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { retentionSummary } from "../../../lib/analysis/retention/retention_summary.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import { type Cohort, cohortFrame } from "../cohort_frame.ts";

function summaryOf(...cohorts: readonly Cohort[]): DataFrame {
  const curves = retentionCurves(cohortFrame(cohorts), { unit: "fraction" });
  return retentionSummary(pooledRetention(curves, { by: "project_id" }));
}

Deno.test("retentionSummary gives one row per group, in order", () => {
  const months = [1, 0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.1];
  const summary = summaryOf(
    { project: "b", size: 100, months },
    { project: "a", size: 50, months: [1, 0.5] },
    { project: "a", size: 150, months: [1] },
  );
  deepEqual(
    summary.drop("net_churn").withColumn(pl.col("half_life").round(9)).rows(),
    [
      ["b", "The b", 1, 100, 12, 0.8, 0.6, 0.4, 0.1, 4, null, null],
      ["a", "The a", 2, 200, 2, 0.5, null, null, null, 1, null, null],
    ],
  );
  deepEqual(summary.sort("half_life").getColumn("project_id").toArray(), ["a", "b"]);
});

Deno.test("retentionSummary interpolates the half-life; null if it is not reached", () => {
  const cases: [months: (number | null)[], halfLife: number | null][] = [
    [[1, 0.75, 0.25], 1.5],
    [[1, 0.25], 2 / 3],
    [[1, 0.5, 0.4], 1],
    [[1, 0.9, 0.8], null],
    [[1, 0.25, 0.9, 0.1], 2 / 3],
    [[1, null, null, 0.25], 2],
    // The half-life is between months 0 and 2, but not observed.
    [[null, null, 0.25], null],
    [[null, 0.75, 0.25], 1.5],
    // Net activity is 1 in month 0 by definition.
    [[0.4, 0.3], null],
    [[], null],
  ];
  for (const [months, halfLife] of cases) {
    const [got] = summaryOf({ size: 10, months }).getColumn("half_life").toArray();
    if (halfLife === null) equal(got, null);
    else ok(Math.abs(Number(got) - halfLife) < 1e-12, `${months}: ${got}`);
  }
});

Deno.test("retentionSummary computes the half-life of net activity, with bounds", () => {
  const cohorts = cohortFrame([
    { cohort: "2025-01", size: 100, months: [1, 0.9, 0.85, 0.8, 0.78] },
    { cohort: "2025-02", size: 1000, months: [1, 0.52] },
  ]);
  const curves = retentionCurves(cohorts, { unit: "fraction" });
  const [row] = retentionSummary(pooledRetention(curves)).toRecords();
  ok(Math.abs(Number(row!.half_life) - 2.770) < 0.0005, `${row!.half_life}`);
  deepEqual([row!.half_life_lower, row!.half_life_upper], [null, null]);
  const alone = retentionSummary(pooledRetention(curves, { cluster: "none" })).toRecords()[0]!;
  // R: s <- cumprod(c(610 / 1100, 85 / 90)); v <- cumsum(c(490 / (1100 * 610), 5 / (90 * 85)))
  //    l <- s^exp(qnorm(.975) * sqrt(v) / -log(s)); 1 + (l[1] - .5) / (l[1] - l[2])
  deepEqual([Number(alone.half_life_lower).toFixed(3), alone.half_life_upper], ["1.619", null]);
});

Deno.test("retentionSummary has a half-life between its bounds, also within the first month", () => {
  const [row] = retentionSummary(
    pooledRetention(retentionCurves(cohortFrame([{ size: 1000, months: [1, 0.2625, 0.2] }])), {
      cluster: "none",
    }),
  ).toRecords() as Record<string, number>[];
  // R: s <- .2625; v <- (1 - s) / (1000 * s); h <- qnorm(.975) * sqrt(v) / -log(s)
  //    bounds <- s^exp(c(h, -h)); .5 / (1 - c(bounds[1], s, bounds[2]))
  deepEqual(
    ["half_life_lower", "half_life", "half_life_upper"].map((name) => row![name]!.toFixed(6)),
    ["0.654125", "0.677966", "0.704319"],
  );
});

Deno.test("retentionSummary half-life of single users equals R's median survival time", () => {
  // Miller's leukaemia data, Maintained: R prints median 31, 0.95LCL 13, 0.95UCL NA for log-log.
  const lost = [9, 13, 18, 23, 31, 34, 48];
  const seen = [13, 28, 45, 161];
  const rows = [...lost.map((end) => [end, 0]), ...seen.map((end) => [end, 1])]
    .flatMap(([end, left], user) =>
      Array.from({ length: end! + 1 }, (_, month) => ({
        cohort: `user-${user}`,
        month,
        size: 1,
        retention: month === end ? left! : 1,
      }))
    );
  const pooled = pooledRetention(pl.DataFrame(rows), { cluster: "none" });
  const [row] = retentionSummary(pooled).toRecords();
  // Interpolated within the month that ends at the median.
  const { half_life, half_life_lower, half_life_upper } = row!;
  deepEqual([half_life, half_life_lower].map((month) => Math.ceil(Number(month))), [31, 13]);
  equal(half_life_upper, null);
});

Deno.test("retentionSummary computes churn as losses divided by users at risk", () => {
  const cases: [cohorts: Cohort[], churn: number | null][] = [
    [[{ size: 100, months: [1, 0.8, 0.64, 0.512] }], 0.2],
    // (20 + 40) lost of (100 + 80) at risk.
    [[{ size: 100, months: [1, 0.8, 0.4] }], 60 / 180],
    [[{ size: 100, months: [1, 0.8] }, { size: 300, months: [1, 0.6] }], 0.35],
    [[{ size: 100, months: [1, 0, 0] }], 1],
    [[{ size: 100, months: [1, null, 0.5, 0.25] }], 0.5],
    [[{ size: 100, months: [1, 1] }], 0],
    [[{ size: 100, months: [1, null, 0.5] }], null],
    [[{ size: 100, months: [0, 0] }], null],
    [[{ size: 100, months: [] }], null],
  ];
  for (const [cohorts, churn] of cases) {
    const [got] = summaryOf(...cohorts).getColumn("net_churn").toArray();
    if (churn === null) equal(got, null);
    else ok(Math.abs(Number(got) - churn) < 1e-12, `${got} is not ${churn}`);
  }
});

Deno.test("retentionSummary churn uses in each month the cohorts that have it", () => {
  const cohorts = cohortFrame([
    { cohort: "2025-01", size: 100, months: [1, 0.9, 0.81] },
    { cohort: "2025-02", size: 1000, months: [1, 0.1] },
  ]);
  const pooled = pooledRetention(retentionCurves(cohorts));
  const churn = (frame: DataFrame) => retentionSummary(frame).getColumn("net_churn").toArray()[0];
  // 910 of 1100 lost in month 1, 9 of 90 in month 2.
  equal(churn(pooled), 919 / 1190);
  // Without at_risk and lost both are derived, as if one cohort stood behind all months.
  const derived = churn(pooled.select("month", "size", "retention"));
  ok(Math.abs(Number(derived) - 0.757445) < 0.02 && derived !== 919 / 1190, `${derived}`);
});

Deno.test("retentionSummary uses the groups of the frame: none, or one per cohort", () => {
  const curves = retentionCurves(cohortFrame([
    { cohort: "2025-01", size: 10, months: [1, 0.5] },
    { cohort: "2025-02", size: 30, months: [1, 0.1] },
  ]));
  deepEqual(
    retentionSummary(pooledRetention(curves)).select("cohorts", "size", "month_1").rows(),
    [[2, 40, 0.2]],
  );
  deepEqual(
    retentionSummary(curves).select("cohort", "cohorts", "size", "month_1").rows(),
    [["2025-01", null, 10, 0.5], ["2025-02", null, 30, 0.1]],
  );
});

Deno.test("retentionSummary ignores the order of rows, and keeps a group without an id", () => {
  const pooled = pooledRetention(
    retentionCurves(cohortFrame([
      { project: "a", size: 10, months: [1, 0.75, 0.25] },
      { project: "b", size: 10, months: [1, 0.25] },
    ])).withColumn(
      pl.when(pl.col("project_id").eq(pl.lit("b"))).then(pl.lit(null))
        .otherwise(pl.col("project_id")).alias("project_id"),
    ),
    { by: "project_id" },
  );
  const expected = [["a", 1.5], [null, 2 / 3]];
  deepEqual(retentionSummary(pooled).select("project_id", "half_life").rows(), expected);
  const turned = retentionSummary(pooled.sort({ by: "month", descending: true }));
  deepEqual(turned.sort("half_life").select("project_id", "half_life").rows(), expected.reverse());
});
