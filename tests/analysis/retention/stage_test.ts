import { deepStrictEqual } from "node:assert/strict";
import {
  cohortLayers,
  cohortTrend,
  compareRetention,
  type DataFrame,
  detectable,
  forecastRetention,
  pooledRetention,
  retentionCurves,
  retentionSummary,
  userFlows,
} from "../../../mod.ts";
import type { Staged } from "../../../lib/declarations.ts";

/** Never called: the compiler checks these calls. */
function calls(
  plain: DataFrame,
  curves: Staged<"curves">,
  pooled: Staged<"pooled">,
  forecast: Staged<"forecast">,
) {
  return [
    () => retentionCurves(plain),
    // @ts-expect-error: curves are no cohorts
    () => retentionCurves(curves),
    () => [pooledRetention(plain), pooledRetention(curves)],
    // @ts-expect-error: a pooled frame is pooled already
    () => pooledRetention(pooled),
    () => [compareRetention(plain), compareRetention(curves)],
    // @ts-expect-error: groups are compared by their cohorts
    () => compareRetention(pooled),
    () => [detectable(plain), detectable(curves)],
    // @ts-expect-error: clusters need cohorts
    () => detectable(pooled),
    () => [cohortTrend(plain), cohortTrend(curves)],
    // @ts-expect-error: a trend is of cohorts
    () => cohortTrend(pooled),
    () => [cohortLayers(plain), cohortLayers(curves)],
    // @ts-expect-error: layers are cohorts
    () => cohortLayers(forecast),
    () => [userFlows(plain), userFlows(curves)],
    // @ts-expect-error: flows are of cohorts
    () => userFlows(pooled),
    () => [forecastRetention(plain), forecastRetention(curves), forecastRetention(pooled)],
    // @ts-expect-error: a forecast is not forecast again
    () => forecastRetention(forecast),
    () => [retentionSummary(plain), retentionSummary(curves), retentionSummary(pooled)],
    // @ts-expect-error: a summary is of observed months
    () => retentionSummary(forecast),
  ];
}

Deno.test("the compiler refuses branded frames of another stage, and takes plain frames", () => {
  deepStrictEqual(typeof calls, "function");
});
