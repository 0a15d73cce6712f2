import { equal, ok } from "node:assert/strict";
import { chanceOf } from "./simulated_cohorts.ts";

Deno.test("simulated cohorts have the given mean and variance", () => {
  const chance = chanceOf(1);
  const moments = (draw: () => number) => {
    const values = Array.from({ length: 20_000 }, draw);
    const mean = values.reduce((a, b) => a + b) / values.length;
    return [mean, values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length];
  };
  const cases: [draw: () => number, mean: number, variance: number][] = [
    [() => chance.uniform(), 0.5, 1 / 12],
    [() => chance.normal(), 0, 1],
    [() => chance.gamma(0.5), 0.5, 0.5],
    [() => chance.gamma(7), 7, 7],
    [() => chance.beta(2, 3), 0.4, 0.04],
    [() => chance.binomial(500, 0.3), 150, 105],
    [() => chance.binomial(7, 0.9), 6.3, 0.63],
    [() => chance.logNormal(200, 0.5), 200, 10_000],
  ];
  for (const [draw, mean, variance] of cases) {
    const [gotMean, gotVariance] = moments(draw) as [number, number];
    ok(Math.abs(gotMean - mean) < 5 * Math.sqrt(variance / 20_000), `${gotMean} is not ${mean}`);
    ok(Math.abs(gotVariance / variance - 1) < 0.1, `${gotVariance} is not ${variance}`);
  }
  equal(chanceOf(5).uniform(), chanceOf(5).uniform());
});
