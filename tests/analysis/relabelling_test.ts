import { ok } from "node:assert/strict";
import fc from "fast-check";
import { EVERY } from "../../lib/schema/period.ts";
import { anyTable, compareForms, formsOf, resultsOf } from "./relabelling.ts";

for (const [at, every] of EVERY.entries()) {
  Deno.test(`labels of a ${every} in any form give one result`, async () => {
    const [table] = fc.sample(
      anyTable.filter((table) =>
        table.every === every && !table.until && table.periods.length < 18
      ),
      { seed: 11 + at, numRuns: 1 },
    );
    // Years cannot be made months and quarters, and so on; all else has a result.
    ok(resultsOf(table!) >= 16, `${resultsOf(table!)}`);
    const names = Object.keys(formsOf(table!));
    await compareForms(table!, names.filter((_, form) => form % 18 === at));
  });
}
