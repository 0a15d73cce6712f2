import { deepEqual, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import { concentration } from "../../../lib/analysis/tables/concentration.ts";
import { float64 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";

function concentrationOf(...values: (number | null)[]): DataFrame {
  return concentration(pl.DataFrame([float64("fees", values)]), { field: "fees" });
}

Deno.test("concentration skips nulls and counts the values used", () => {
  const cases: [values: (number | null)[], expected: (number | null)[]][] = [
    [[1, null, 2, 1, 4], [4, 8, 0.34375, 0.5, 0.875]],
    [[3, 1], [2, 4, 0.625, 0.75, 1]],
    [[5], [1, 5, 1, 1, 1]],
    [[5, 0], [2, 5, 1, 1, 1]],
    [[1, 1, 1, 1], [4, 4, 0.25, 0.25, 0.75]],
    [[0, 0], [2, 0, null, null, null]],
    [[null], [0, null, null, null, null]],
    [[], [0, null, null, null, null]],
  ];
  for (const [values, expected] of cases) {
    const shares = concentrationOf(...values).drop("gini", "nakamoto", "effective_number");
    deepEqual(shares.rows(), [expected]);
  }
});

Deno.test("concentration has no HHI of persons and percentages, unless the user states that they add up", () => {
  const frameOf = (name: string) => pl.DataFrame([utf8("id", ["a", "b"]), float64(name, [3, 1])]);
  for (const name of ["users", "monthly_active_users", "Wallets", "percent"]) {
    throws(() => concentration(frameOf(name), { field: name }), /must be a column that adds up/);
    const stated = withSource(frameOf(name), { columns: { [name]: { adds: "groups" } } });
    deepEqual(concentration(stated, { field: name }).getColumn("hhi").toArray(), [0.625]);
  }
  deepEqual(concentration(frameOf("users_paid"), { field: "users_paid" }).height, 1);
});

Deno.test("concentration gives Gini, Nakamoto and the effective number", () => {
  const cases: [values: (number | null)[], gini: number, nakamoto: number, effective: number][] = [
    [[1, 2, 3, 4, 5], 4 / 15, 2, 225 / 55],
    [[5, null, 1, 3, 2, 4], 4 / 15, 2, 225 / 55],
    [[1, 1, 1, 1], 0, 3, 4],
    [[1, 1], 0, 2, 2],
    [[7], 0, 1, 1],
    [[7, 0, 0, 0], 0.75, 1, 1],
    // A half is not more than a half, though 0.1 + 0.2 is a last digit above 0.3.
    [[0.3, 0.1, 0.2], 2 / 9, 2, 0.36 / 0.14],
    [[0.1 + 0.2, 0.3], 0, 2, 2],
    [[1e300, 1e300, 1e300], 0, 2, 3],
  ];
  for (const [values, gini, nakamoto, effective] of cases) {
    const [row] = concentrationOf(...values).toRecords() as [Record<string, number>];
    ok(Math.abs(row.gini! - gini) < 1e-12, `${values}: ${row.gini}`);
    deepEqual(row.nakamoto, nakamoto);
    ok(Math.abs(row.effective_number! - effective) < 1e-12, `${values}: ${row.effective_number}`);
  }
  for (const values of [[0, 0], [null], []]) {
    const row = concentrationOf(...values).select("gini", "nakamoto", "effective_number");
    deepEqual(row.rows(), [[null, null, null]]);
  }
});

Deno.test("concentration lies between 1 / count and 1", () => {
  const value = fc.option(fc.double({ min: 0, max: 1e300, noNaN: true }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), (values) => {
      const [[count, , hhi, first, three]] = concentrationOf(...values).rows() as [number[]];
      if (!values.some((value) => value !== null && value > 0)) return ok(hhi === null);
      ok(1 / count! <= hhi! && hhi! <= 1);
      ok(first! <= three! && three! <= 1 && 0 < first!);
      // The largest share squared is part of the index, which is not above the largest share.
      ok(first! ** 2 <= hhi! + 1e-12 && hhi! <= first! + 1e-12);
    }),
    { seed: 5, numRuns: 50 },
  );
});

Deno.test("concentration refuses negative and infinite values", () => {
  throws(() => concentrationOf(1, -2), {
    name: "RangeError",
    message: "concentration: values must be 0 or more; got fees -2",
  });
  throws(() => concentrationOf(1, Infinity), {
    name: "RangeError",
    message: "concentration: fees: must be a number of at most 1e300; got Infinity in row 1",
  });
  throws(() => concentration(pl.DataFrame([utf8("fees", ["1"])]), { field: "fees" }), {
    name: "TypeError",
    message: "concentration: column fees: expected numbers; got dtype String",
  });
});

Deno.test("concentration of a frame with dates has one row per date", () => {
  const date = ["2025-02-01", "2025-01-01", "2025-02-01"].map((text) => new Date(text));
  const frame = pl.DataFrame({ date, fees: [3, 5, 1] }).withColumn(pl.col("date").cast(pl.Date));
  const found = concentration(frame, { field: "fees" }).select("date", "count", "total", "hhi");
  deepEqual(found.rows(), [
    [new Date("2025-01-01"), 1, 5, 1],
    [new Date("2025-02-01"), 2, 4, 0.625],
  ]);
});

Deno.test("units of people and of percentages are not added, however they are written", () => {
  for (
    const [unit, reason] of [
      ["wallets", "a wallet can be counted in several of them"],
      ["%", "its unit is %"],
      ["index", "it is an index"],
    ] as const
  ) {
    const frame = withSource(pl.DataFrame({ dapp: ["oak", "elm"], level: [3, 1] }), {
      citation: "Own node",
      columns: { level: { unit } },
    });
    throws(() => concentration(frame, { field: "level" }), (error: Error) => {
      return error.message.includes(`got level: ${reason}`);
    });
  }
});
