import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { pl } from "../../lib/table/polars.ts";
import { cohortFrame } from "./cohort_frame.ts";

const COHORTS = [
  { project: "b", sector: "loans", size: 300, months: [1, 0.5, 0.2] },
  { project: "a", sector: "loans", size: 100, months: [1, 0.1] },
  { project: "b", sector: "games", size: 100, months: [1, 0.3, null, 0.25] },
  { project: "b", sector: "games", size: 0, months: [1, 0.9] },
  { project: "b", sector: "games", size: null, months: [1, 0.9] },
];

Deno.test("pooledRetention weights cohorts by size and says what each month rests on", () => {
  const pooled = pooledRetention(retentionCurves(cohortFrame(COHORTS)));
  deepEqual(pooled.columns, [
    "month",
    "cohorts",
    "size",
    "retained",
    "retention",
    "lower",
    "upper",
  ]);
  equal(pooled.height, 12);
  deepEqual(pooled.head(5).drop("lower", "upper").rows(), [
    [0, 3, 500, 500, 1],
    [1, 3, 500, 190, 0.38],
    [2, 1, 300, 60, 0.2],
    [3, 1, 100, 25, 0.25],
    [4, 0, 0, null, null],
  ]);
  // R: prop.test(190, 500, correct = FALSE)
  deepEqual(pooled.select(pl.col("lower").round(6), pl.col("upper").round(6)).rows()[1], [
    0.338522,
    0.423308,
  ]);
  deepEqual(pooled.select("lower", "upper").rows()[4], [null, null]);
  deepEqual(
    pooled.columns.map((name) => pooled.getColumn(name).dtype.variant),
    ["Int64", "Int64", "Float64", "Float64", "Float64", "Float64", "Float64"],
  );
});

Deno.test("pooledRetention by project or sector keeps the order of first appearance", () => {
  const curves = retentionCurves(cohortFrame(COHORTS));
  const shuffled = curves.sort({ by: "month", descending: true, maintainOrder: true });
  for (const frame of [curves, shuffled]) {
    const byProject = pooledRetention(frame, { by: "project_id" });
    deepEqual(byProject.columns.slice(0, 3), ["project_id", "project_name", "month"]);
    deepEqual(byProject.filter(pl.col("month").eq(1)).drop("lower", "upper").rows(), [
      ["b", "The b", 1, 2, 400, 180, 0.45],
      ["a", "The a", 1, 1, 100, 10, 0.1],
    ]);
    deepEqual(byProject.getColumn("month").toArray(), [
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    ]);
  }
  const bySector = pooledRetention(curves, { by: "market_sector_id" });
  deepEqual(bySector.filter(pl.col("month").eq(1)).drop("lower", "upper").rows(), [
    ["loans", "The loans", 1, 2, 400, 160, 0.4],
    ["games", "The games", 1, 1, 100, 30, 0.3],
  ]);
});

Deno.test("pooledRetention keeps a group without an id", () => {
  const curves = retentionCurves(cohortFrame([
    { project: "a", size: 4, months: [1, 0.5] },
    { project: "b", size: 4, months: [1, 0.25] },
  ])).withColumn(
    pl.when(pl.col("project_id").eq(pl.lit("b"))).then(pl.lit(null)).otherwise(pl.col("project_id"))
      .alias("project_id"),
  );
  const pooled = pooledRetention(curves, { by: "project_id" });
  deepEqual(
    pooled.filter(pl.col("month").eq(1)).select("project_id", "project_name", "retention").rows(),
    [["a", "The a", 0.5], [null, "The b", 0.25]],
  );
  equal(pooled.height, 24);
});

Deno.test("pooledRetention is the mean weighted by size", () => {
  const cohort = fc.record({
    size: fc.integer({ min: 1, max: 1_000_000 }),
    left: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(cohort, { minLength: 1, maxLength: 20 }), (cohorts) => {
      const frame = cohortFrame(cohorts.map(({ size, left }) => ({ size, months: [1, left] })));
      const pooled = pooledRetention(retentionCurves(frame, { unit: "fraction" }));
      const [{ cohorts: count, size, retention }] = pooled.slice(1, 1).toRecords() as [
        { cohorts: number; size: number; retention: number | null },
      ];
      let weight = 0, sum = 0, seen = 0;
      for (const { size, left } of cohorts) {
        if (left === null) continue;
        weight += size;
        sum += size * left;
        seen += 1;
      }
      equal(count, seen);
      equal(size, weight);
      if (seen === 0) equal(retention, null);
      else ok(Math.abs(retention! - sum / weight) < 1e-12);
    }),
    { seed: 5, numRuns: 100 },
  );
});

Deno.test("pooledRetention of no curves has every column", () => {
  const curves = retentionCurves(cohortFrame([]));
  equal(pooledRetention(curves, { by: "project_id" }).height, 0);
  equal(pooledRetention(curves).height, 0);
});

Deno.test("pooledRetention refuses another grouping and frames without the columns", () => {
  const curves = retentionCurves(cohortFrame(COHORTS));
  throws(() => pooledRetention(curves, { by: "cohort" as "all" }), {
    name: "RangeError",
    message:
      'pooledRetention: by: must be one of project_id, market_sector_id, all (nearest: all): "cohort"',
  });
  throws(() => pooledRetention(cohortFrame(COHORTS)), {
    name: "RangeError",
    message:
      /^pooledRetention: it works on a frame of retentionCurves; this frame lacks month, size, retention/,
  });
});
