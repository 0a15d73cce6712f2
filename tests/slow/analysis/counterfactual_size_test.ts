import { ok } from "node:assert/strict";
import { counterfactualSize } from "../../analysis/counterfactual_size.ts";

for (const donors of [19, 39]) {
  for (const method of ["did", "synthetic", "sdid"] as const) {
    Deno.test(`counterfactual by ${method} with ${donors} donors rejects at the rate of its p value`, () => {
      const draws = method === "did" ? 600 : 150;
      const { rate, expected, standardError } = counterfactualSize({ donors, method, draws });
      ok(Math.abs(rate - expected) <= 3 * standardError, `${rate} is not ${expected}`);
    });
  }
}
