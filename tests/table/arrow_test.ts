import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { arrowOfNumbers, arrowOfTexts, frameOfArrow } from "../../lib/table/arrow.ts";

Deno.test("frameOfArrow keeps dtypes, nulls, empty texts and any name, also of no rows", () => {
  const frame = frameOfArrow([
    arrowOfTexts("^a.*$", ["", null, "naïve 链 🦀", "\u0000"]),
    arrowOfNumbers("链", Float64Array.of(-0, NaN, 1e-300, Infinity)),
  ]);
  deepStrictEqual(frame.columns, ["^a.*$", "链"]);
  deepStrictEqual(frame.rows(), [["", -0], [null, null], ["naïve 链 🦀", 1e-300], [
    "\u0000",
    Infinity,
  ]]);
  const none = frameOfArrow([arrowOfTexts("a", []), arrowOfNumbers("b", Float64Array.of())]);
  deepStrictEqual(
    [none.shape, none.dtypes.map(String)],
    [{ height: 0, width: 2 }, ["DataType(String)", "DataType(Float64)"]],
  );
});

Deno.test("frameOfArrow gives back any columns, however many and however long", () => {
  const text = fc.option(fc.string({ unit: "grapheme", maxLength: 5 }));
  const number = fc.option(fc.double({ noNaN: true }));
  const names = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1 }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(
      names,
      fc.array(fc.tuple(text, number), { maxLength: 70 }),
      (names, rows) => {
        const columns = names.map((name, index) =>
          index % 3 === 0
            ? arrowOfNumbers(name, Float64Array.from(rows, ([, value]) => value ?? NaN))
            : arrowOfTexts(name, rows.map(([value]) => value))
        );
        const frame = frameOfArrow(columns);
        deepStrictEqual(frame.columns, names);
        for (const [index, column] of frame.getColumns().entries()) {
          const expected = rows.map((row) => row[index % 3 === 0 ? 1 : 0]);
          deepStrictEqual(column.toArray(), expected);
        }
      },
    ),
    { numRuns: 100, seed: 25 },
  );
});
