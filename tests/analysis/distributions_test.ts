import { equal, ok } from "node:assert/strict";
import {
  chiQuantile,
  logGammaRise,
  normalTails,
  quantileOf,
  studentQuantile,
  studentTails,
} from "../../lib/analysis/distributions.ts";
import { checkValues } from "./check_values.ts";

function agree(name: string, got: (x: number, y: number) => number, within = 1e-12): void {
  for (const { x, y, value } of checkValues(name)) {
    const found = got(x, y);
    ok(
      Math.abs(found - value) <= within * Math.abs(value) + 1e-14,
      `${name}(${x}, ${y}) is ${found}, not ${value}`,
    );
  }
}

Deno.test("studentQuantile agrees with R's qt, for whole and fractional degrees of freedom", () => {
  agree("student_quantile", (tail, degrees) => studentQuantile(1 - 2 * tail, degrees), 1e-10);
  ok(Math.abs(studentQuantile(0.95, Infinity) - 1.959963984540054) < 1e-12);
  ok(Math.abs(studentQuantile(0.95, 1e9) - 1.959963984540054) < 1e-7);
  ok(studentQuantile(1e-9, 3) > 0 && studentQuantile(1e-9, 3) < 1e-8);
});

Deno.test("studentTails and normalTails agree with R's pt and pnorm", () => {
  agree("student_tails", studentTails);
  agree("normal_tails", normalTails);
  equal(studentTails(0, 5), 1);
  equal(studentTails(Infinity, 5), 0);
  equal(studentTails(-1.96, Infinity), normalTails(1.96));
});

Deno.test("logGammaRise agrees with R's lgamma", () => {
  agree("log_gamma", (x) => x < 1 ? -logGammaRise(x, 1 - x) : logGammaRise(1, x - 1));
  agree("log_gamma_rise", logGammaRise);
  // Where the difference of two logarithms has no digit left: step times the logarithm of x.
  ok(Math.abs(logGammaRise(1e15, 1) - Math.log(1e15)) < 1e-12);
  equal(logGammaRise(5, 0), 0);
});

Deno.test("chiQuantile agrees with R's qchisq", () => {
  // R: print(qchisq(c(.1, .9), d), digits = 15) for d in 1, 2, 5, 14
  const expected = [
    [1, 0.0157907740934312, 2.7055434540954155],
    [2, 0.210721031315653, 4.605170185988092],
    [5, 1.61030798696232, 9.23635689978112],
    [14, 7.78953360975237, 21.06414421299706],
    // scipy.stats.chi2.ppf, where exp(-x / 2) is below the smallest number
    [1499, 1429.2721025322228, 1569.5843730196739],
    [2498, 2407.8559105662403, 2589.0005744565015],
    [20001, 19745.115342326426, 20257.74115512149],
  ] as const;
  for (const [degrees, low, high] of expected) {
    ok(Math.abs(chiQuantile(0.1, degrees) / low - 1) < 1e-12);
    ok(Math.abs(chiQuantile(0.9, degrees) / high - 1) < 1e-12);
  }
});

// R: options(digits = 17); qnorm(p)
const NORMAL: [probability: number, quantile: number][] = [
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
  for (const [probability, quantile] of NORMAL) {
    const tails = 2 * Math.min(probability, 1 - probability);
    const got = Math.sign(probability - 0.5) * quantileOf(tails, Infinity);
    ok(
      Math.abs(got - quantile) <= 1e-13 * Math.max(1, Math.abs(quantile)),
      `${probability}: ${got}`,
    );
  }
});
