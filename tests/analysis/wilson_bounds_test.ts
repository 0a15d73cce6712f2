import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { wilsonBounds } from "../../lib/analysis/intervals.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import { cohortFrame } from "./cohort_frame.ts";

function boundsOf(p: number[], n: number[], confidence: number) {
  const bounds = wilsonBounds(confidence);
  return p.map((proportion, index) => bounds(proportion, n[index]!));
}

Deno.test("wilsonBounds equals R's prop.test without correction", async () => {
  const table = await Deno.readTextFile(new URL("./wilson_table.csv", import.meta.url));
  const rows = table.trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  ok(rows.length >= 30);
  for (
    const [x, n, confidence, lower, upper] of rows as [number, number, number, number, number][]
  ) {
    const [got] = boundsOf([x / n], [n], confidence);
    ok(Math.abs(got!.lower - lower) < 1e-9, `${x} of ${n} at ${confidence}: lower ${got!.lower}`);
    ok(Math.abs(got!.upper - upper) < 1e-9, `${x} of ${n} at ${confidence}: upper ${got!.upper}`);
  }
});

Deno.test("wilsonBounds lie inside [0, 1] and around the estimate", () => {
  const pair = fc.integer({ min: 1, max: 10_000_000 })
    .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
  const confidence = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true });
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 20 }), confidence, (pairs, level) => {
      const p = pairs.map(([x, n]) => x / n);
      boundsOf(p, pairs.map(([, n]) => n), level).forEach(({ lower, upper }, index) => {
        ok(0 <= lower && lower <= p[index]! && p[index]! <= upper && upper <= 1);
      });
    }),
    { seed: 5, numRuns: 200 },
  );
});

Deno.test("wilsonBounds are NaN (null) for a NaN proportion or count", () => {
  deepEqual(boundsOf([NaN, 0.3], [4, NaN], 0.95), [
    { lower: NaN, upper: NaN },
    { lower: NaN, upper: NaN },
  ]);
});

Deno.test("wilsonBounds approach the estimate for many users, and [0, 1] for very few", () => {
  deepEqual(boundsOf([0.25, 0, 1], [1e300, 1e300, 1e300], 0.95).map(({ lower }) => lower), [
    ...[0.25, 0, 1],
  ]);
  const [{ lower, upper }] = boundsOf([0.5], [1e-300], 0.95) as [{ lower: number; upper: number }];
  ok(lower < 1e-9 && upper > 1 - 1e-9, `${lower} ${upper}`);
});

Deno.test("retentionCurves refuses a confidence that is not between 0 and 1", () => {
  for (const confidence of [0, 1, 95, -0.1, NaN]) {
    throws(() => retentionCurves(cohortFrame([]), { confidence }), {
      name: "RangeError",
      message:
        `retentionCurves: confidence: must be between 0 and 1, such as 0.95; got ${confidence}`,
    });
  }
});
