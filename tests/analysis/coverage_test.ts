import { equal, ok } from "node:assert/strict";
import { coverageOf } from "./coverage.ts";
import { forecastCoverage } from "./forecast_coverage.ts";
import { chanceOf } from "./simulated_cohorts.ts";

Deno.test("pooledRetention bounds by clusters hold what they estimate, those by users do not", () => {
  const draws = { draws: 400, seed: 7 };
  for (const p of [0.2, 0.5]) {
    for (const clusters of [3, 5, 10, 30]) {
      for (const dispersion of [1, 5, 25]) {
        const variation = { p, clusters, dispersion, users: 200, sizes: 0.75 };
        const { covered } = coverageOf(variation, draws);
        const most = dispersion === 1 ? 1 : 0.985;
        ok(covered >= 0.92 && covered <= most, `${JSON.stringify(variation)}: ${covered}`);
      }
    }
    const variation = { p, clusters: 10, dispersion: 25, users: 200, sizes: 0.75 };
    ok(coverageOf(variation, { ...draws, cluster: "none" }).covered < 0.4);
  }
});

Deno.test("forecastRetention bounds by clusters hold what they estimate, those of the likelihood do not", () => {
  const { cluster, binomial } = forecastCoverage({ cohorts: 10, spread: 0.3 }, {
    ...{ draws: 150, seed: 7 },
  });
  ok(cluster >= 0.9 && binomial <= 0.8, `${cluster} ${binomial}`);
});

Deno.test("simulated cohorts have the mean and the variance that they are asked for", () => {
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
