import assert from "node:assert/strict";
import { pl } from "../../lib/table/polars.ts";
import { aFrame, requireColumns } from "../../lib/table/require_columns.ts";

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

Deno.test("requireColumns names the nearest column of a wide frame, and not all of them", () => {
  const wide = pl.DataFrame(
    Object.fromEntries(Array.from({ length: 97 }, (_, index) => [`field_${index}`, [index]])),
  );
  assert.throws(
    () => requireColumns(wide, { ...ASKER, columns: ["feld_42"] }),
    /missing: feld_42; got field_0, .*field_9, … \(97 columns\); nearest to feld_42: field_42$/,
  );
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

Deno.test("requireColumns says to await a frame that is still a promise", () => {
  assert.throws(() => requireColumns(Promise.resolve(frame) as never, ASKER), {
    name: "RangeError",
    message: /^rankBy: expected a frame with fees; await it first; got Promise/,
  });
});

Deno.test("aFrame accepts only frames", () => {
  const refuse = (allowed: string) => {
    throw new RangeError(allowed);
  };
  assert.equal(aFrame(frame, refuse), frame);
  assert.throws(() => aFrame([frame], refuse), new RangeError("must be a DataFrame"));
});
