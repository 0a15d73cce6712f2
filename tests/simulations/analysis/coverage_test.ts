import { ok } from "node:assert/strict";
import { coverageOf } from "../../analysis/coverage.ts";
import { forecastCoverage } from "../../analysis/forecast_coverage.ts";

Deno.test("2 000 draws: pooledRetention's bounds by clusters cover 92 to 98.5 percent", () => {
  for (const p of [0.2, 0.5]) {
    for (const clusters of [3, 5, 10, 30]) {
      for (const dispersion of [5, 25]) {
        const variation = { p, clusters, dispersion, users: 200, sizes: 0.75 };
        const { covered } = coverageOf(variation, { draws: 2_000, seed: 7 });
        ok(covered >= 0.92 && covered <= 0.985, `${JSON.stringify(variation)}: ${covered}`);
      }
    }
  }
});

Deno.test("1 000 draws: forecastRetention's bounds by clusters cover 90 percent or more", () => {
  const { cluster } = forecastCoverage({ cohorts: 10, spread: 0.3 }, { draws: 1_000, seed: 7 });
  ok(cluster >= 0.9, `${cluster}`);
});
