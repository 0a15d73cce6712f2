import { equal, ok } from "node:assert/strict";
import {
  clusterSpread,
  effectiveDegrees,
  jackknifeError,
  logitBounds,
} from "../../lib/analysis/retention_bounds.ts";
import { studentQuantile } from "../../lib/analysis/distributions.ts";
import { checkValue } from "./check_values.ts";

function near(got: number, expected: number, within: number): void {
  ok(Math.abs(got - expected) <= within, `${got} is not ${expected}`);
}

Deno.test("clusterSpread and logitBounds give R's errors and bounds", () => {
  const spread = clusterSpread({
    retained: Float64Array.of(90, 100, 30, 60, 45),
    size: Float64Array.of(100, 200, 100, 100, 150),
    first: 0,
    step: 1,
  });
  near(spread.error, 0.0918353, 5e-8);
  near(spread.error, checkValue("cluster_error"), 1e-12);
  near(spread.dispersion, 27, 1e-12);
  near(spread.degrees, 650 ** 2 / 92_500 - 1, 1e-12);
  equal(spread.clusters, 5);
  const quantile = studentQuantile(0.95, spread.degrees);
  const least = { lower: 0.5, upper: 0.5 };
  const { lower, upper } = logitBounds(0.5, { error: spread.error, quantile, least });
  near(lower, 0.2553, 5e-5);
  near(upper, 0.7447, 5e-5);
  near(lower, checkValue("cluster_lower"), 1e-12);
  near(upper, checkValue("cluster_upper"), 1e-12);
});

Deno.test("clusterSpread reads one month of several, and passes clusters without users over", () => {
  const spread = clusterSpread({
    retained: Float64Array.of(9, 90, 9, 0, 9, 30),
    size: Float64Array.of(9, 100, 9, 0, 9, 100),
    first: 1,
    step: 2,
  });
  equal(spread.clusters, 2);
  near(spread.error, Math.sqrt(0.5 * (0.3 ** 2 + 0.3 ** 2)), 1e-12);
});

Deno.test("effectiveDegrees are one at least, and those of so many equal clusters", () => {
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
