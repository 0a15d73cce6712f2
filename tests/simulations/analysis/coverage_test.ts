import { deepEqual } from "node:assert/strict";
import { CELLS, isWithin, type Share, shareOf, tablesOf, writeTables } from "./coverage.ts";

Deno.test("bounds and tests have their nominal rates, in 1 000 draws of every cell", async (t) => {
  const shares: Share[] = [];
  for (const [table, cells] of Map.groupBy(CELLS, (cell) => cell.table)) {
    await t.step(table, () => {
      const made = cells.map((cell) => shareOf(cell, 1000));
      shares.push(...made);
      deepEqual(
        made.filter((share) => !isWithin(share))
          .map(({ cell: { row, column }, share }) => `${row}, ${column}: ${share}`),
        [],
      );
    });
  }
  console.log(tablesOf(shares));
  if (Deno.args.includes("--update")) await writeTables(shares);
});
