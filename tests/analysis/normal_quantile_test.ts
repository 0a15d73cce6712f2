import { ok } from "node:assert/strict";
import { quantileOf } from "../../lib/analysis/distributions.ts";

// R: options(digits = 17); qnorm(p)
const CASES: [probability: number, quantile: number][] = [
  [1e-300, -37.0470962993612],
  [1e-20, -9.2623400897984],
  [1e-8, -5.61200124417479],
  [0.001, -3.09023230616781],
  [0.025, -1.95996398454005],
  [0.07, -1.47579102817917],
  [0.0751, -1.43882539275254],
  [0.3, -0.524400512708041],
  [0.5, 0],
  [0.9, 1.2815515655446],
  [0.975, 1.95996398454005],
];

Deno.test("quantileOf agrees with R's qnorm", () => {
  for (const [probability, quantile] of CASES) {
    const tails = 2 * Math.min(probability, 1 - probability);
    const got = Math.sign(probability - 0.5) * quantileOf(tails, Infinity);
    ok(
      Math.abs(got - quantile) <= 1e-13 * Math.max(1, Math.abs(quantile)),
      `${probability}: ${got}`,
    );
  }
});
