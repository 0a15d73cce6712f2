import { equal, ok } from "node:assert/strict";
import {
  cohortTrend,
  compareRetention,
  forecastRetention,
  pl,
  pooledRetention,
  retentionSummary,
} from "../../mod.ts";
import { cohortsOf, curvesOf } from "./cohort_frame.ts";
import { nativeObjectsOf } from "./native_objects.ts";

const projects = ["alder-swap", "birch-lend", "cedar-pay", "dogwood-dex"].map((project, index) =>
  cohortsOf(project, [50, 40, 30, 35, 45, 42, 38, 30, 25, 20], Array(10).fill(100 + index))
    .map((cohort) => ({ ...cohort, sector: index < 2 ? "lending" : "exchanges" }))
);
const curves = curvesOf(...projects.flat());
const pooled = pooledRetention(curves, { by: "project_id" });

Deno.test("nativeObjectsOf counts frames, series and expressions", () => {
  equal(nativeObjectsOf(() => pl.col("a").gt(1)), 3);
  equal(nativeObjectsOf(() => pl.DataFrame([pl.Series("a", [1], pl.Float64)])), 2);
  equal(nativeObjectsOf(() => {}), 0);
});

// The engine collects objects of polars late, and slowly if they are many. `before` is the number in version 0.3.0.
for (
  const [name, before, call] of [
    ["pooledRetention", 510, () => pooledRetention(curves, { by: "market_sector_id" })],
    ["forecastRetention", 507, () => forecastRetention(curves, { by: "market_sector_id" })],
    ["cohortTrend", 500, () => cohortTrend(curves, { every: "month" })],
    ["compareRetention", 466, () => compareRetention(curves, { by: "market_sector_id" })],
    ["retentionSummary", 430, () => retentionSummary(pooled)],
  ] as const
) {
  Deno.test(`${name} makes at most half of the objects of version 0.3.0`, () => {
    const made = nativeObjectsOf(call);
    ok(made <= before / 2, `${made} objects, ${before} before`);
  });
}
