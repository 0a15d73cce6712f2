import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import { ratio } from "../../../lib/analysis/tables/ratio.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";

function frameOf(pairs: readonly (readonly [number | null, number | null])[]): DataFrame {
  return pl.DataFrame([
    utf8("id", pairs.map((_, index) => `row-${index}`)),
    pl.Series("fees", pairs.map(([fees]) => fees), pl.Float64),
    pl.Series("users", pairs.map(([, users]) => users), pl.Float64),
  ]);
}

Deno.test("ratio divides row by row, and is null without a denominator", () => {
  const cases: [fees: number | null, users: number | null, expected: number | null][] = [
    [6, 4, 1.5],
    [57, 100, 0.57],
    [-6, 4, -1.5],
    [0, 4, 0],
    [6, 0, null],
    [0, 0, null],
    [6, -0, null],
    [null, 4, null],
    [6, null, null],
    [NaN, 4, null],
    [6, NaN, null],
    [Infinity, 4, null],
    [6, Infinity, 0],
    [Infinity, Infinity, null],
    [1e308, 1e-308, null],
  ];
  const divided = ratio(frameOf(cases.map(([fees, users]) => [fees, users])), {
    numerator: "fees",
    denominator: "users",
  });
  deepEqual(divided.columns, ["id", "fees", "users", "fees_per_users"]);
  equal(divided.getColumn("fees_per_users").dtype.variant, "Float64");
  deepEqual(
    divided.getColumn("fees_per_users").toArray(),
    cases.map(([, , expected]) => expected),
  );
});

Deno.test("ratio is finite or null, for all numbers", () => {
  const value = fc.option(fc.double());
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 20 }), (pairs) => {
      const divided = ratio(frameOf(pairs), { numerator: "fees", denominator: "users", name: "r" })
        .getColumn("r").toArray();
      pairs.forEach(([fees, users], row) => {
        const expected = fees === null || users === null ? null : fees / users;
        equal(divided[row], Number.isFinite(expected) ? expected! : null);
      });
    }),
    { seed: 5, numRuns: 200 },
  );
});

Deno.test("ratio handles whole numbers, one row, and no rows", () => {
  const whole = frameOf([[1, 2]]).withColumns(
    pl.col("fees").cast(pl.Int64),
    pl.col("users").cast(pl.Int64),
  );
  deepEqual(
    ratio(whole, { numerator: "fees", denominator: "users", name: "r" }).getColumn("r").toArray(),
    [0.5],
  );
  equal(ratio(frameOf([]), { numerator: "fees", denominator: "users" }).height, 0);
});

Deno.test("ratio refuses a taken name, and missing or non-numeric columns", () => {
  const frame = frameOf([[1, 2]]);
  throws(() => ratio(frame, { numerator: "fees", denominator: "users", name: "id" }), {
    name: "RangeError",
    message: "ratio: name: the frame already has id; pass another name",
  });
  throws(() => ratio(frame, { numerator: "fees", denominator: "gas" }), {
    name: "RangeError",
    message: /missing: gas/,
  });
  throws(() => ratio(frame, { numerator: "id", denominator: "fees" }), {
    name: "TypeError",
    message: /column id: expected numbers/,
  });
  throws(() => ratio(frame, { numerator: "fees", denominator: "users", as: "r" } as never), {
    name: "RangeError",
    message: /^ratio: as: did you mean name\?/,
  });
});
