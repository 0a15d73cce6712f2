import { equal, ok } from "node:assert/strict";
import { studentQuantile } from "../../lib/analysis/distributions.ts";
import { effectiveDegrees, jackknifeError, logitInterval } from "../../lib/analysis/intervals.ts";
import {
  clusterLogit,
  clusterSpread,
  logitEstimate,
} from "../../lib/analysis/retention_estimate.ts";
import { checkValue } from "./check_values.ts";

function near(got: number, expected: number, within: number): void {
  ok(Math.abs(got - expected) <= within, `${got} is not ${expected}`);
}

Deno.test("clusterSpread and logitInterval give R's errors and bounds", () => {
  const spread = clusterSpread(
    [[90, 100], [100, 200], [30, 100], [60, 100], [45, 150]].map(([retained, size]) => (
      { retained: retained!, size: size! }
    )),
  );
  near(spread.error, 0.0918353, 5e-8);
  near(spread.error, checkValue("cluster_error"), 1e-12);
  near(spread.dispersion, 27, 1e-12);
  near(spread.degrees, 650 ** 2 / 92_500 - 1, 1e-12);
  const half = studentQuantile(0.95, spread.degrees) * spread.error / 0.25;
  const { lower, upper } = logitInterval(0, half);
  near(lower, 0.2553, 5e-5);
  near(upper, 0.7447, 5e-5);
  near(lower, checkValue("cluster_lower"), 1e-12);
  near(upper, checkValue("cluster_upper"), 1e-12);
});

Deno.test("clusterSpread handles two clusters", () => {
  const { error } = clusterSpread([{ size: 100, retained: 90 }, { size: 100, retained: 30 }]);
  near(error, Math.sqrt(0.5 * (0.3 ** 2 + 0.3 ** 2)), 1e-12);
});

Deno.test("clusterLogit adds half a user to both sides if one is 0", () => {
  near(clusterLogit({ size: 10, retained: 0 }).logit, Math.log(0.5 / 10.5), 1e-12);
  near(clusterLogit({ size: 10, retained: 10 }).variance, 1 / 10.5 + 1 / 0.5, 1e-12);
  near(clusterLogit({ size: 10, retained: 4 }).logit, Math.log(4 / 6), 1e-12);
});

Deno.test("logitEstimate unweighted has the larger of two variances", () => {
  const clusters = [[90, 100], [100, 200], [30, 100], [60, 100], [45, 150]].map((
    [retained, size],
  ) => ({ retained: retained!, size: size! }));
  // R: x <- c(90, 100, 30, 60, 45); n <- c(100, 200, 100, 100, 150); l <- qlogis(x / n); c(mean(l), var(l) / 5)
  const { logit, variance, degrees } = logitEstimate(clusters, "unweighted");
  near(logit, 0.181618792933995, 1e-12);
  near(variance, 0.313154909792148, 1e-12);
  equal(degrees, 4);
  // Clusters that are alike have their binomial variance.
  const alike = logitEstimate(
    [1, 2, 4].map((n) => ({ size: 100 * n, retained: 50 * n })),
    "unweighted",
  );
  near(alike.variance, (0.04 + 0.02 + 0.01) / 9, 1e-15);
});

Deno.test("effectiveDegrees is at least 1, and k - 1 for k equal clusters", () => {
  equal(effectiveDegrees([5, 5, 5, 5]), 3);
  equal(effectiveDegrees([1000, 1, 1]), 1);
  equal(effectiveDegrees([1e200, 1e200, 1e200]), 2);
  equal(effectiveDegrees([]), 1);
});

Deno.test("jackknifeError of a mean is its standard error", () => {
  const values = [1, 4, 6, 9];
  const without = values.map((value) => (20 - value) / 3);
  const variance = values.reduce((sum, value) => sum + (value - 5) ** 2, 0) / 3 / 4;
  near(jackknifeError(5, without), Math.sqrt(variance), 1e-12);
  ok(Number.isNaN(jackknifeError(5, [5])));
});
