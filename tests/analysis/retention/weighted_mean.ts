import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { cohortFrame } from "../cohort_frame.ts";

/** Pools random cohorts, and compares the retention with a mean weighted by size. */
export function isWeightedMean(runs: { readonly seed: number; readonly numRuns: number }): void {
  const cohort = fc.record({
    size: fc.integer({ min: 1, max: 1_000_000 }),
    left: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(cohort, { minLength: 1, maxLength: 20 }), (cohorts) => {
      const frame = cohortFrame(cohorts.map(({ size, left }) => ({ size, months: [1, left] })));
      const pooled = pooledRetention(retentionCurves(frame, { unit: "fraction" }));
      const [{ cohorts: count, size, retention }] = pooled.slice(1, 1).toRecords() as [
        { cohorts: number; size: number; retention: number | null },
      ];
      let weight = 0, sum = 0, seen = 0;
      for (const { size, left } of cohorts) {
        if (left === null) continue;
        weight += size;
        sum += size * left;
        seen += 1;
      }
      equal(count, seen);
      equal(size, weight);
      if (seen === 0) equal(retention, null);
      // Users within 1e-6 of a whole number are that number.
      else ok(Math.abs(retention! - sum / weight) < 1e-12 + 1e-6 * seen / weight);
    }),
    runs,
  );
}
