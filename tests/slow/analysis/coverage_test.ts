import { deepEqual } from "node:assert/strict";
import { isKeptWithin, isWithin, ratesIn, shareOf } from "../../simulations/cells.ts";
import { cells as counterfactual } from "../../simulations/parts/counterfactual.ts";
import { cells as forecasts } from "../../simulations/parts/forecasts.ts";
import { cells as retention } from "../../simulations/parts/retention.ts";
import { cells as trends } from "../../simulations/parts/trends.ts";

const kept = ["counterfactual", "forecasts", "retention", "trends"].map((part) =>
  Deno.readTextFileSync(new URL(`../../simulations/rates/${part}.csv`, import.meta.url))
);
const rates = new Map(kept.flatMap((text) => [...ratesIn(text)]));

Deno.test("bounds and tests have their nominal rates, in a part of the draws", async () => {
  // The first, the fourth, the seventh cell, and so on; `deno task simulate` runs all of them.
  const third = [...forecasts, ...retention, ...trends].filter((_, index) => index % 3 === 0);
  const wrong: string[] = [];
  const placebos = counterfactual.filter(({ limits }) => limits !== undefined);
  for (const cell of [...third, ...placebos]) {
    // docs/coverage.md names the rates of all draws that are not within their limits.
    if (isKeptWithin(cell, rates) === false) continue;
    const share = await shareOf(cell, placebos.includes(cell) ? 50 : 200);
    if (!isWithin(cell, share)) {
      wrong.push(`${cell.table}: ${cell.row}, ${cell.column}: ${share.share}`);
    }
  }
  deepEqual(wrong, []);
});
