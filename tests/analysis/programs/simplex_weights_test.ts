import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { simplexWeights } from "../../../lib/analysis/programs/simplex_weights.ts";

Deno.test("simplexWeights recovers a mixture, and projects a point outside", () => {
  const columns = [[0, 0], [2, 0], [0, 2]];
  const weights = (target: number[]) =>
    Array.from(simplexWeights({ columns, target, ridge: 0, intercept: false }))
      .map((weight) => Number(weight.toFixed(6)));
  deepEqual(weights([0.5, 1]), [0.25, 0.25, 0.5]);
  deepEqual(weights([9, 0]), [0, 1, 0]);
  deepEqual(weights([2, 2]), [0, 0.5, 0.5]);
});

Deno.test("simplexWeights with a large ridge are equal, and with an intercept ignore levels", () => {
  const columns = [[1, 2, 3], [9, 8, 9], [50, 51, 52]];
  const given = { columns, target: [101, 102, 103], intercept: true };
  ok(simplexWeights({ ...given, ridge: 1e9 }).every((weight) => Math.abs(weight - 1 / 3) < 1e-6));
  const [first, second, third] = simplexWeights({ ...given, ridge: 1e-9 });
  ok(second! < 1e-6 && Math.abs(first! - 0.5) < 1e-3 && Math.abs(third! - 0.5) < 1e-3);
});

Deno.test("simplexWeights meet the conditions of an optimum for all inputs", () => {
  const value = fc.integer({ min: -1000, max: 1000 });
  const problem = fc.tuple(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 3, max: 9 })).chain(
    ([count, rows]) =>
      fc.record({
        columns: fc.array(fc.array(value, { minLength: rows, maxLength: rows }), {
          minLength: count,
          maxLength: count,
        }),
        target: fc.array(value, { minLength: rows, maxLength: rows }),
        ridge: fc.constantFrom(0, 1, 1e4),
      }),
  );
  fc.assert(
    fc.property(problem, ({ columns, target, ridge }) => {
      const weights = simplexWeights({ columns, target, ridge, intercept: false });
      ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-9);
      const errors = target.map((value, row) =>
        columns.reduce((sum, column, index) => sum + weights[index]! * column[row]!, -value)
      );
      const slopes = columns.map((column, index) =>
        column.reduce((sum, value, row) => sum + value * errors[row]!, ridge * weights[index]!)
      );
      const least = Math.min(...slopes);
      // No weight can move to a column of smaller slope.
      slopes.forEach((slope, index) => {
        ok(weights[index]! * (slope - least) < 1, `${weights} ${slopes}`);
      });
    }),
    { seed: 29, numRuns: 200 },
  );
});
