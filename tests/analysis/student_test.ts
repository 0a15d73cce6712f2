import { equal, ok } from "node:assert/strict";
import {
  chiQuantile,
  logGammaRise,
  normalTails,
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
  ] as const;
  for (const [degrees, low, high] of expected) {
    ok(Math.abs(chiQuantile(0.1, degrees) / low - 1) < 1e-12);
    ok(Math.abs(chiQuantile(0.9, degrees) / high - 1) < 1e-12);
  }
});
