import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { nonIncreasing as pooled } from "../../../lib/analysis/retention/curve_forecast.ts";

const nonIncreasing = (values: readonly number[], weights: readonly number[]) =>
  pooled(values.map((left, at) => ({ left, users: weights[at]! })));

Deno.test("nonIncreasing pools rising values by weight, and keeps the others", () => {
  const cases: [values: number[], weights: number[], expected: number[]][] = [
    [[], [], []],
    [[1, 0.5, 0.5, 0.2], [1, 1, 1, 1], [1, 0.5, 0.5, 0.2]],
    [[1, 0.5, 0.75], [1, 1, 1], [1, 0.625, 0.625]],
    [[1, 0.5, 0.75], [9, 3, 1], [1, 0.5625, 0.5625]],
    [[1, 0.25, 0.5, 0.75], [1, 1, 1, 1], [1, 0.5, 0.5, 0.5]],
    [[0.5, 0.25, 1], [2, 2, 4], [0.6875, 0.6875, 0.6875]],
  ];
  for (const [values, weights, expected] of cases) {
    deepEqual(nonIncreasing(values, weights), expected);
  }
});

Deno.test("nonIncreasing never rises, keeps the weighted mean, and changes nothing on a second call", () => {
  const point = fc.record({
    value: fc.double({ min: 0, max: 1, noNaN: true }),
    weight: fc.integer({ min: 1, max: 1000 }),
  });
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), (points) => {
      const values = points.map(({ value }) => value);
      const weights = points.map(({ weight }) => weight);
      const pooled = nonIncreasing(values, weights);
      ok(pooled.every((value, index) => index === 0 || value <= pooled[index - 1]!));
      const total = (of: number[]) => of.reduce((sum, value, i) => sum + value * weights[i]!, 0);
      ok(Math.abs(total(pooled) - total(values)) < 1e-9);
      deepEqual(nonIncreasing(pooled, weights), pooled);
    }),
    { seed: 5, numRuns: 500 },
  );
});
