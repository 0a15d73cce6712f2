import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { decompose } from "../../lib/analysis/decompose.ts";
import { float64 } from "../../lib/table/columns.ts";
import { timelineFrame } from "./timeline_frame.ts";

type Factors = readonly [day: string, id: string, volume: number | null, price: number | null];

const OPTIONS = { product: "fees_sum", factors: ["volume", "price"] };

function changes(rows: readonly Factors[], incomplete: string[] = []) {
  const product = rows.map(([day, id, volume, price]) =>
    [day, id, volume === null || price === null ? null : volume * price] as const
  );
  const frame = timelineFrame("month", product, incomplete).withColumns(
    float64("volume", rows.map(([, , volume]) => volume)),
    float64("price", rows.map(([, , , price]) => price)),
  );
  const result = decompose(frame, OPTIONS);
  deepEqual(result.columns, ["date", "data_id", "factor", "change"]);
  return result.rows().map((row) => row.slice(1) as [string, string, number | null]);
}

Deno.test("decompose has the published parts of 50 × 2 to 60 × 3", () => {
  const rows = changes([["2025-01-01", "alder", 50, 2], ["2025-02-01", "alder", 60, 3]]);
  deepEqual(rows.map(([, factor, change]) => [factor, change!.toFixed(4)]), [
    ["volume", "24.8147"],
    ["price", "55.1853"],
  ]);
});

Deno.test("decompose gives one row if a side is 0 or null, and none if both are", () => {
  deepEqual(
    changes([
      ["2025-01-01", "alder", null, null],
      ["2025-01-01", "birch", 3, 2],
      ["2025-02-01", "alder", 4, 2],
      ["2025-02-01", "birch", 0, 2],
      ["2025-03-01", "alder", 4, 2],
    ]),
    [
      ["alder", "entry", 8],
      ["birch", "exit", -6],
      ["alder", "volume", 0],
      ["alder", "price", 0],
    ],
  );
});

Deno.test("decompose has no change to or from an incomplete period, or over a gap", () => {
  const rows: Factors[] = [
    ["2025-01-01", "alder", 1, 2],
    ["2025-02-01", "alder", 2, 2],
    ["2025-04-01", "alder", 2, 3],
  ];
  const known = (incomplete: string[]) =>
    changes(rows, incomplete).map(([, , change]) => change !== null);
  deepEqual(known([]), [true, true, false, false]);
  deepEqual(known(["2025-02-01"]), [false, false, false, false]);
});

Deno.test("decompose leaves no remainder, for all values", () => {
  const value = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(value, value, value, value, (a, b, c, d) => {
      const rows = changes([["2025-01-01", "x", a, b], ["2025-02-01", "x", c, d]]);
      const sum = rows.reduce((all, [, , change]) => all + change!, 0);
      const size = rows.reduce((all, [, , change]) => all + Math.abs(change!), a * b);
      ok(Math.abs(sum - (c * d - a * b)) < 1e-9 * size);
    }),
    { seed: 29 },
  );
});

Deno.test("decompose refuses negative values, and a field that is not the product of its factors", () => {
  throws(
    () => changes([["2025-01-01", "alder", -50, 2]]),
    /^RangeError: decompose: values must be 0 or more; got fees_sum -100, volume -50, price 2, data_id alder, date 2025-01-01$/,
  );
  const frame = timelineFrame("month", [["2025-01-01", "alder", 101]]).withColumns(
    float64("volume", [50]),
    float64("price", [2]),
  );
  throws(
    () => decompose(frame, OPTIONS),
    /values must be such that fees_sum is the product of volume, price; got fees_sum 101, volume 50, price 2/,
  );
  throws(
    () => decompose(frame, { product: "fees_sum", factors: ["volume"] }),
    /product, factors: name one column and two or more factors$/,
  );
});
