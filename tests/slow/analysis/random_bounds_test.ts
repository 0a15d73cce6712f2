import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { clustered, cohortsAsUnits, cohortsOf, curvesOf } from "../../analysis/cohort_frame.ts";
import { boundsAgree } from "../../analysis/retention/shocked_groups.ts";
import { isWeightedMean } from "../../analysis/retention/weighted_mean.ts";

function near(got: unknown, expected: number, within: number): void {
  ok(Math.abs(Number(got) - expected) <= within, `${got} is not ${expected}`);
}

Deno.test("compareRetention has bounds that contain 0 if and only if the p value is above 5%", () => {
  const cluster = fc.integer({ min: 20, max: 2000 })
    .chain((n) => fc.tuple(fc.integer({ min: 1, max: n - 1 }), fc.constant(n)));
  const group = fc.array(cluster, { minLength: 2, maxLength: 5 });
  let found = 0;
  fc.assert(
    fc.property(group, group, (one, other) => {
      const of = (project: string, pairs: readonly (readonly [number, number])[]) =>
        cohortsOf(project, pairs.map(([x]) => x), pairs.map(([, size]) => size));
      const curves = cohortsAsUnits(curvesOf(...of("a", one), ...of("b", other)));
      const [row] = compareRetention(curves, { cluster: "unit" }).toRecords() as [
        Record<string, number>,
      ];
      equal(row.lower! <= 0 && 0 <= row.upper!, row.p_value! >= 0.05);
      found += Number(row.p_value! < 0.05);
    }),
    { seed: 5, numRuns: 150 },
  );
  ok(found > 3, `${found}`);
});

Deno.test("compareRetention has bounds around the difference, mirrored if groups are swapped", () => {
  const group = fc.array(
    fc.integer({ min: 1, max: 100_000 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n))),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(group, group, (one, other) => {
      const cohorts = (project: string, pairs: readonly (readonly [number, number])[]) =>
        pairs.map(([x, n], i) => ({ project, cohort: `${i}`, size: n, months: [1, x / n] }));
      const [a, b] = [cohorts("a", one), cohorts("b", other)];
      const cluster = { cluster: "unit" };
      const [row] = compareRetention(cohortsAsUnits(curvesOf(...a, ...b)), cluster).toRecords() as [
        Record<string, number>,
      ];
      const [back] = compareRetention(cohortsAsUnits(curvesOf(...b, ...a)), cluster)
        .toRecords() as [
          Record<string, number>,
        ];
      // Remarks on the groups are in the order of the groups.
      const remarks = ({ reason }: Record<string, unknown>) => String(reason).split("; ").sort();
      deepEqual(remarks(row), remarks(back));
      near(back.difference, -row.difference!, 1e-12);
      if (row.lower === null) {
        equal(back.lower, null);
        near(back.p_value ?? 1, row.p_value ?? 1, 1e-9);
        return;
      }
      const { lower, difference, upper, p_value } = row!;
      ok(-1 - 1e-9 <= lower! && lower! <= difference! && difference! <= upper!);
      ok(upper! <= 1 + 1e-9 && 0 <= p_value! && p_value! <= 1);
      near(back!.difference, -difference!, 1e-12);
      near(back!.lower, -upper!, 1e-9);
      near(back!.p_value, p_value!, 1e-9);
    }),
    { seed: 5, numRuns: 60 },
  );
});

Deno.test("pooledRetention bounds are around the estimate and no narrower than Wilson's", () => {
  const cluster = fc.integer({ min: 1, max: 1_000_000 })
    .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
  const confidence = fc.double({ min: 0.01, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(fc.array(cluster, { minLength: 1, maxLength: 8 }), confidence, (pairs, level) => {
      const curves = clustered(pairs.map(([x]) => x), pairs.map(([, n]) => n));
      const options = { confidence: level };
      const [, row] = pooledRetention(curves, options).toRecords();
      const [, alone] = pooledRetention(curves, { ...options, cluster: "none" }).toRecords();
      const [kept, all] = [0, 1].map((at) => pairs.reduce((sum, pair) => sum + pair[at]!, 0));
      const single = curves.getColumn("project_id").nUnique() === 1;
      const kind = single ? "one_cluster" : kept! > 0 && kept! < all! ? "cluster" : "edge";
      equal(row!.bounds, kind);
      const { retention, lower, upper } = row as Record<string, number>;
      if (kind !== "cluster") {
        deepEqual([lower, upper], [null, null]);
        return;
      }
      ok(0 <= lower! && lower! <= retention! && retention! <= upper! && upper! <= 1);
      ok(lower! <= Number(alone!.lower) && Number(alone!.upper) <= upper!);
    }),
    { seed: 5, numRuns: 100 },
  );
});

Deno.test("bounds and p values of random groups agree, are not below those of units alone, and ignore the order of rows", () =>
  boundsAgree({ seed: 12, numRuns: 60 }));

Deno.test("pooledRetention of random cohorts is the mean weighted by size", () =>
  isWeightedMean({ seed: 6, numRuns: 200 }));
