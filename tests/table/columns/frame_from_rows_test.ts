import { deepStrictEqual, throws } from "node:assert/strict";
import type { Field } from "../../../lib/schema/records.ts";
import { frameFromRows } from "../../../lib/table/columns/frame_from_rows.ts";
import { type Rejected, rejecting } from "../rejecting.ts";

const FIELDS: Field[] = [{ name: "id", dtype: "String" }, { name: "fees", dtype: "Float64" }];

Deno.test("frameFromRows returns zero rows with every column for no rows", () => {
  const frame = frameFromRows([], FIELDS, rejecting);
  deepStrictEqual([frame.shape, frame.columns], [{ height: 0, width: 2 }, ["id", "fees"]]);
});

Deno.test("frameFromRows keeps fields that the schema does not name, after those it does", () => {
  const frame = frameFromRows(
    [{ extra: 1, id: "a" }, { id: "b", flag: true, note: "x", mixed: 1 }, { mixed: "y", id: null }],
    FIELDS,
    rejecting,
  );
  deepStrictEqual(frame.columns, ["id", "fees", "extra", "flag", "note", "mixed"]);
  deepStrictEqual(frame.toRecords(), [
    { id: "a", fees: null, extra: 1, flag: null, note: null, mixed: null },
    { id: "b", fees: null, extra: null, flag: true, note: "x", mixed: "1" },
    { id: null, fees: null, extra: null, flag: null, note: null, mixed: '"y"' },
  ]);
});

Deno.test("frameFromRows keeps fields with the names of object internals", () => {
  const rows = JSON.parse('[{"__proto__": "p", "constructor": "c", "id": "a"}]');
  const frame = frameFromRows(rows, FIELDS, rejecting);
  deepStrictEqual(frame.columns, ["id", "fees", "__proto__", "constructor"]);
  deepStrictEqual(frame.getColumn("__proto__").toArray(), ["p"]);
});

Deno.test("frameFromRows renames a field that would hide a member of the frame, with a note", () => {
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const row = { id: "a", height: 7, columns: "c", filter: true, height_: 8 };
  for (const count of [1, 2_000]) {
    const frame = frameFromRows(Array(count).fill(row), FIELDS, { ...rejecting, note });
    deepStrictEqual(frame.columns, ["id", "fees", "height__", "columns_", "filter_", "height_"]);
    deepStrictEqual([frame.height, frame.getColumn("height__").get(0)], [count, 7]);
  }
  deepStrictEqual(notes.slice(0, 3), [
    "height: the column is named height__, because frames have a member height",
    "columns: the column is named columns_, because frames have a member columns",
    "filter: the column is named filter_, because frames have a member filter",
  ]);
});

Deno.test("frameFromRows refuses a row that is not an object, or has no field of the interface", () => {
  const named = "an object with a field of the interface, such as id, fees";
  for (
    const [row, expected] of [
      ...[null, 5, "a", ["a"]].map((row) => [row, "an object"]),
      ...[{}, { data: { id: "a" } }, { alder: { id: "a" } }].map((row) => [row, named]),
    ]
  ) {
    throws(
      () => frameFromRows([{ fees: null }, row], FIELDS, rejecting),
      ({ mismatch }: Rejected) => {
        deepStrictEqual(mismatch, { row: 1, field: "data", expected, got: row });
        return true;
      },
    );
  }
});

Deno.test("frameFromRows refuses a field name that no column can have", () => {
  for (const name of ["", "a\ud800"]) {
    throws(
      () => frameFromRows([{ id: "a" }, { id: "b", [name]: 1 }], FIELDS, rejecting),
      ({ mismatch }: Rejected) => mismatch.row === 1 && mismatch.field === name,
    );
  }
});

Deno.test("frameFromRows leaves out unnamed members of list elements, with a note", () => {
  const fields: Field[] = [{ name: "links", dtype: { struct: ["url"] } }];
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const rows = [{ links: [{ url: "u", icon: "i" }, { icon: "i" }], more: 1 }];
  const frame = frameFromRows(rows, fields, { ...rejecting, note });
  deepStrictEqual(frame.toRecords(), [{
    links: [{ url: "u" }, { url: '{"icon":"i"}' }],
    more: 1,
  }]);
  deepStrictEqual(notes, [
    "links: left out the members icon",
    "links: values of another shape are kept as JSON text",
  ]);
});
