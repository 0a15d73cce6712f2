import assert from "node:assert/strict";
import { pl } from "../../../lib/table/columns/polars.ts";
import { aFrame, requireColumns } from "../../../lib/table/read/requirements.ts";

const frame = pl.DataFrame({ id: ["a"], fees: [1.5], empty: [null] });
const ASKER = { fn: "rankBy", source: "a frame with fees" };

Deno.test("requireColumns accepts a frame with all columns, extra columns, or no rows", () => {
  requireColumns(frame, { ...ASKER, columns: ["id"], numbers: ["fees", "empty"] });
  requireColumns(frame.head(0), { ...ASKER, columns: ["id"], numbers: ["fees"] });
});

Deno.test("requireColumns names all missing and all existing columns", () => {
  assert.throws(() => requireColumns(frame, { ...ASKER, columns: ["b"], numbers: ["c"] }), {
    name: "RangeError",
    message: "rankBy: expected a frame with fees; missing: b, c; got id, fees, empty",
  });
});

Deno.test("requireColumns lists ten columns; and names the nearest", () => {
  const listed =
    "field_0, field_1, field_2, field_3, field_4, field_5, field_6, field_7, field_8, field_9";
  const frameOf = (count: number) =>
    pl.DataFrame(
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, [at]])),
    );
  for (
    const [count, got] of [
      [10, listed],
      [11, `${listed} and 1 more; nearest to feld_9: field_9`],
    ] as const
  ) {
    assert.throws(() => requireColumns(frameOf(count), { ...ASKER, columns: ["feld_9"] }), {
      message: `rankBy: expected a frame with fees; missing: feld_9; got ${got}`,
    });
  }
});

Deno.test("requireColumns names a column of texts that can be days", () => {
  const of = (days: string[]) => () =>
    requireColumns(pl.DataFrame({ Datum: days, fees: days.map(() => 1) }), {
      fn: "f",
      source: "x",
      columns: ["date"],
    });
  assert.throws(of(["13.01.2025", "14.01.2025"]), {
    message:
      'f: expected x; missing: date; got Datum, fees; Datum is text; for 2025-01-13 write frame.withColumns(pl.col("Datum").str.strptime(pl.Date, "%d.%m.%Y"))',
  });
  assert.throws(of(["13.01.2025", "soon"]), {
    message: "f: expected x; missing: date; got Datum, fees",
  });
});

Deno.test("requireColumns names a non-numeric column and its dtype", () => {
  assert.throws(() => requireColumns(frame, { ...ASKER, numbers: ["id"] }), {
    name: "TypeError",
    message: "rankBy: column id: expected numbers; got dtype String",
  });
});

Deno.test("requireColumns refuses a column that hides a member of the frame", () => {
  for (const name of ["height", "columns", "select"]) {
    const hiding = pl.DataFrame({ id: ["a"], [name]: [1] });
    assert.throws(() => requireColumns(hiding, { ...ASKER, columns: ["id"] }), {
      name: "RangeError",
      message: `rankBy: column ${name}: frames have a member of this name; rename the column`,
    });
    requireColumns(hiding, ASKER);
  }
});

Deno.test("aFrame accepts only frames", () => {
  const refuse = (allowed: string) => {
    throw new RangeError(allowed);
  };
  assert.equal(aFrame(frame, refuse), frame);
  assert.throws(() => aFrame([frame], refuse), new RangeError("must be a DataFrame"));
});
