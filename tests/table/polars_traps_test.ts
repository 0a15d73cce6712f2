/** The traps of polars that the table layer steps around: a version that mends or moves one shows here. */
import { deepStrictEqual, throws } from "node:assert/strict";
import { pl } from "../../lib/table/columns/polars.ts";

Deno.test("polars turns null into 0 in small integer columns", () => {
  for (const dtype of [pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt32]) {
    deepStrictEqual(pl.Series("x", [1, null] as number[], dtype).toArray(), [1, 0]);
  }
});

Deno.test("polars turns a value of the wrong type into null silently", () => {
  deepStrictEqual(pl.Series("x", [1, "a"], pl.Float64).toArray(), [1, null]);
  deepStrictEqual(pl.Series("x", ["a", 5], pl.Utf8).toArray(), ["a", null]);
});

Deno.test("polars builds no struct lists from values and infers list[null] from empty ones", () => {
  throws(() => pl.Series("x", [[{ a: "b" }], []]));
});

Deno.test("polars keeps nulls in the ways that the table layer uses", () => {
  deepStrictEqual(pl.Series("x", ["a", null] as string[], pl.Utf8).toArray(), ["a", null]);
  deepStrictEqual(pl.Series("x", [true, null] as boolean[], pl.Bool).toArray(), [true, null]);
  deepStrictEqual(pl.Series("x", [1, null] as number[], pl.Float64).toArray(), [1, null]);
});
