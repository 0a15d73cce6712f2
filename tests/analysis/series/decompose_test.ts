import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { decompose } from "../../../lib/analysis/series/decompose.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { described } from "../../table/described.ts";
import { timelineFrame } from "../timeline_frame.ts";

type Factors = readonly [day: string, id: string, volume: number | null, price: number | null];

const OPTIONS = { product: "fees_sum", factors: ["volume", "price"], per: "period" } as const;

function changes(rows: readonly Factors[], incomplete: string[] = []) {
  const product = rows.map(([day, id, volume, price]) =>
    [day, id, volume === null || price === null ? null : volume * price] as const
  );
  const frame = timelineFrame("month", product, incomplete).withColumns(
    float64("volume", rows.map(([, , volume]) => volume)),
    float64("price", rows.map(([, , , price]) => price)),
  );
  const result = decompose(frame, OPTIONS);
  return result.rows().map((row) => row.slice(1, 4) as [string, string, number | null]);
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
      ["alder", "enters", 8],
      ["birch", "leaves", -6],
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

Deno.test("decompose has no change of an entity with a gap, or whose exit is not yet known", () => {
  const rows: Factors[] = [
    ["2025-01-01", "alder", 1, 2],
    ["2025-02-01", "alder", null, null],
    ["2025-03-01", "alder", 2, 3],
    ["2025-04-01", "alder", null, null],
    ...[1, 2, 3, 4].map((month): Factors => [`2025-0${month}-01`, "birch", 1, 1]),
  ];
  const alder = changes(rows).filter(([id]) => id === "alder");
  deepEqual(alder.map(([, factor, change]) => [factor, change]), [
    ...Array.from({ length: 3 }, () => [["volume", null], ["price", null]]).flat(),
  ]);
});

Deno.test("decompose compares months per day, with the one factor that adds up over days", () => {
  // 28 and 31 days with 10 transactions a day, of 2 dollars each.
  const rows = [["2025-02-01", "alder", 560], ["2025-03-01", "alder", 620]] as const;
  const frame = described(
    timelineFrame("month", rows).withColumns(
      float64("transaction_count_sum", [280, 310]),
      float64("fee", [2, 2]),
      float64("a", [140, 155]),
      float64("b", [4, 2]),
      float64("c", [1, 2]),
    ),
  );
  const of = (factors: string[], per?: "period") =>
    decompose(frame, { product: "fees_sum", factors, ...per && { per } }).rows()
      .map(([, , factor, change]) => [factor, Number((change as number).toFixed(9))]);
  const known = ["transaction_count_sum", "fee"];
  deepEqual(of(known), [["transaction_count_sum", 0], ["fee", 0]]);
  deepEqual(of(known, "period"), [["transaction_count_sum", 60], ["fee", 0]]);
  throws(
    () => of(["a", "b", "c"]),
    /^RangeError: decompose: per: fees_sum is compared per day, so exactly one factor must add up over days; got none; pass per: "period"$/,
  );
  // R: L <- 60 / log(620 / 560); L * log(c(155 / 140, 2 / 4, 2 / 1))
  deepEqual(of(["a", "b", "c"], "period"), [["a", 60], ["b", -408.604145484], [
    "c",
    408.604145484,
  ]]);
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
    /^RangeError: decompose: values must be 0 or more, and fees_sum the product of volume, price; got fees_sum -100, volume -50, price 2, data_id alder, date 2025-01-01$/,
  );
  const frame = timelineFrame("month", [["2025-01-01", "alder", 101]]).withColumns(
    float64("volume", [50]),
    float64("price", [2]),
  );
  throws(
    () => decompose(frame, OPTIONS),
    /and fees_sum the product of volume, price; got fees_sum 101, volume 50, price 2/,
  );
  throws(
    () => decompose(frame, { product: "fees_sum", factors: ["volume"] }),
    /factors: must name two or more columns; got \[ "volume" \]$/,
  );
});
