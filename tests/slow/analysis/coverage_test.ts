import { deepEqual } from "node:assert/strict";
import { CELLS, isWithin, shareOf } from "../../simulations/analysis/coverage.ts";

Deno.test("bounds and tests have their nominal rates, in 200 draws of every third cell", () => {
  // The first, the fourth, the seventh cell, and so on; `deno task simulate` runs all of them.
  const third = CELLS.filter((_, index) => index % 3 === 0);
  deepEqual(
    third.map((cell) => shareOf(cell, 200)).filter((share) => !isWithin(share))
      .map(({ cell, share }) => `${cell.table}: ${cell.row}, ${cell.column}: ${share}`),
    [],
  );
});
