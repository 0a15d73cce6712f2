import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { rankBy } from "../../../lib/analysis/tables/rank_by.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";
import { described } from "../../table/described.ts";

function frameOf(values: readonly (number | null)[]): DataFrame {
  return pl.DataFrame([
    utf8("id", values.map((_, index) => String.fromCharCode(97 + index))),
    float64("fees", values),
  ]);
}

Deno.test("rankBy puts the largest first, ties in order, nulls last without rank or share", () => {
  const ranked = rankBy(frameOf([1, null, 3, 3, 1, null]), { field: "fees" });
  deepEqual(ranked.columns, ["id", "fees", "rank", "share", "cumulative_share"]);
  deepEqual(ranked.rows(), [
    ["c", 3, 1, 0.375, 0.375],
    ["d", 3, 1, 0.375, 0.75],
    ["a", 1, 3, 0.125, 0.875],
    ["e", 1, 3, 0.125, 1],
    ["b", null, null, null, null],
    ["f", null, null, null, null],
  ]);
  deepEqual(ranked.getColumn("rank").dtype.variant, "Int64");
});

Deno.test("rankBy ascending still puts nulls last", () => {
  deepEqual(rankBy(frameOf([3, null, 1, 0]), { field: "fees", descending: false }).rows(), [
    ["d", 0, 1, 0, 0],
    ["c", 1, 2, 0.25, 0.25],
    ["a", 3, 3, 0.75, 1],
    ["b", null, null, null, null],
  ]);
});

Deno.test("rankBy returns null shares for negative values, and for a total of 0", () => {
  for (const values of [[2, -1, 4], [0, 0], [null, null]]) {
    const ranked = rankBy(frameOf(values), { field: "fees" });
    ok(
      ranked.toRecords().every(({ share, cumulative_share }) =>
        share === null && cumulative_share === null
      ),
    );
  }
  deepEqual(rankBy(frameOf([2, -1, 4]), { field: "fees" }).getColumn("rank").toArray(), [1, 2, 3]);
});

Deno.test("rankBy treats NaN as null", () => {
  const frame = pl.DataFrame([pl.Series("fees", [1, NaN, 3], pl.Float64)]);
  deepEqual(rankBy(frame, { field: "fees" }).select("rank", "share").rows(), [
    [1, 0.75],
    [2, 0.25],
    [null, null],
  ]);
});

Deno.test("rankBy cumulative_share ends at exactly 1 despite rounding", () => {
  const ranked = rankBy(frameOf(Array(10).fill(0.1)), { field: "fees" });
  deepEqual(ranked.getColumn("cumulative_share").toArray().at(-1), 1);
  deepEqual(
    rankBy(frameOf([4, 2, 2, 0]), { field: "fees" }).getColumn("cumulative_share").toArray(),
    [
      ...[0.5, 0.75, 1, 1],
    ],
  );
});

Deno.test("rankBy shares add up to 1 over the rows with a value", () => {
  const value = fc.option(fc.double({ min: 0, max: 1e300, noNaN: true }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), (values) => {
      const ranked = rankBy(frameOf(values), { field: "fees" }).toRecords();
      const shares = ranked.map(({ share }) => share as number | null);
      if (!values.some((value) => value !== null && value > 0)) {
        ok(shares.every((share) => share === null));
        return;
      }
      const total = shares.reduce<number>((sum, share) => sum + (share ?? 0), 0);
      ok(Math.abs(total - 1) < 1e-12);
      const last = ranked.findLast(({ rank }) => rank !== null)!;
      ok(last.cumulative_share === 1);
    }),
    { seed: 5, numRuns: 200 },
  );
});

Deno.test("rankBy gives changes a rank and no share", () => {
  const frame = described(frameOf([1, null, 3]), ["change", "fees"]);
  deepEqual(rankBy(frame, { field: "fees" }).select("rank", "share", "cumulative_share").rows(), [
    [1, null, null],
    [2, null, null],
    [null, null, null],
  ]);
});

Deno.test("rankBy refuses a missing or non-numeric column, and a taken column name", () => {
  throws(() => rankBy(frameOf([1]), { field: "revenue" }), {
    name: "RangeError",
    message: "rankBy: expected a frame with the column to rank by; missing: revenue; got id, fees",
  });
  throws(() => rankBy(frameOf([1]), { field: "id" }), {
    name: "TypeError",
    message: "rankBy: column id: expected numbers; got dtype String",
  });
  throws(() => rankBy(rankBy(frameOf([1]), { field: "fees" }), { field: "fees" }), {
    name: "RangeError",
    message:
      "rankBy: the frame already has rank, share, cumulative_share; rename or drop the column",
  });
});
