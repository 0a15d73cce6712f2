import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { effectiveDegrees, jackknifeError, wilsonBounds } from "../../lib/analysis/intervals.ts";

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

Deno.test("effectiveDegrees is at least 1, and k - 1 for k equal clusters", () => {
  equal(effectiveDegrees([5, 5, 5, 5]), 3);
  equal(effectiveDegrees([1000, 1, 1]), 1);
  equal(effectiveDegrees([1e200, 1e200, 1e200]), 2);
  equal(effectiveDegrees([]), 1);
});

Deno.test("jackknifeError of a mean is its standard error", () => {
  const values = [1, 4, 6, 9];
  const without = values.map((value) => (20 - value) / 3);
  const variance = values.reduce((sum, value) => sum + (value - 5) ** 2, 0) / 3 / 4;
  ok(Math.abs(jackknifeError(5, without) - Math.sqrt(variance)) < 1e-12);
  ok(Number.isNaN(jackknifeError(5, [5])));
});
