import fc from "fast-check";
import { anyTable, compareForms, formsOf } from "../../analysis/relabelling.ts";

Deno.test("labels of random tables in any form give one result", async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async (table) => {
      const names = Object.keys(formsOf(table));
      await compareForms(table, names.filter((_, at) => at % 3 === table.seed % 3));
    }),
    { seed: 23, numRuns: 24, endOnFailure: true },
  );
});
