import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { flatRowsIn } from "../../lib/http/flat_rows.ts";
import type { Field } from "../../lib/schema/records.ts";
import { frameFromFlat, frameFromRows } from "../../lib/table/frame_from_rows.ts";
import type { DataFrame } from "../../lib/table/polars.ts";
import { rejecting } from "./rejecting.ts";

const FIELDS: Field[] = [
  { name: "id", dtype: "String" },
  { name: "^f.*$", dtype: "Float64" },
  { name: "symbol", dtype: "String" },
  { name: "fees", dtype: "Float64" },
];

function flatFrame(rows: readonly unknown[], fields = FIELDS): DataFrame | null {
  const bytes = new TextEncoder().encode(JSON.stringify({ data: rows }));
  return frameFromFlat(flatRowsIn(bytes)!.rows, fields);
}

function contents(frame: DataFrame): unknown {
  return frame.getColumns().map((column) => [
    column.name,
    column.dtype.toString(),
    column.toArray(),
  ]);
}

Deno.test("frameFromFlat gives every column of the record, then what it does not name", () => {
  const frame = flatFrame([
    { more: 1, id: "a", none: null },
    { id: null, fees: 0, label: "b", more: null },
  ])!;
  deepStrictEqual(frame.columns, ["id", "^f.*$", "symbol", "fees", "more", "none", "label"]);
  deepStrictEqual(frame.rows(), [
    ["a", null, null, null, 1, null, null],
    [null, null, null, 0, null, null, "b"],
  ]);
});

Deno.test("frameFromFlat gives what frameFromRows gives, however many rows there are", () => {
  const text = fc.option(fc.string({ unit: "grapheme" }));
  const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }));
  const row = fc.record({
    id: text,
    "^f.*$": number,
    symbol: text,
    fees: number,
    "of nobody": number,
    "*": text,
  }, { requiredKeys: ["id"] });
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 70 }),
      fc.constantFrom(1, 1, 40),
      (few, times) => {
        const rows = Array.from({ length: times }, () => few).flat();
        deepStrictEqual(
          contents(flatFrame(rows)!),
          contents(frameFromRows(JSON.parse(JSON.stringify(rows)), FIELDS, rejecting)),
        );
      },
    ),
    { numRuns: 100, seed: 24 },
  );
});

Deno.test("frameFromFlat leaves to frameFromRows what needs a look at single values", () => {
  const cases: [rows: unknown[], fields?: Field[]][] = [
    [[{ id: "a", fees: "1.5" }]],
    [[{ id: "a", fees: "-" }]],
    [[{ id: 5 }]],
    [[{ fees: 1 }, { other: 1 }]],
    [[{ other: 1 }]],
    [[{ id: "a" }], [{ name: "id", dtype: "Json" }]],
    [[{ id: "a" }], [{ name: "id", dtype: "String" }, { name: "x", dtype: "List(String)" }]],
  ];
  for (const [rows, fields] of cases) strictEqual(flatFrame(rows, fields), null);
  ok(flatFrame([{ id: "a", other: 1 }, { id: null, fees: 1 }]));
});

Deno.test("frameFromFlat gives columns that polars filters, joins and writes as its own", () => {
  const frame = flatFrame([{ id: "a", fees: 1 }, { id: "b", fees: null }, { id: null, fees: 3 }])!;
  deepStrictEqual(frame.getColumn("fees").sum(), 4);
  deepStrictEqual(frame.getColumn("id").nullCount(), 1);
  const joined = frame.join(frame, { on: "id", how: "inner" });
  deepStrictEqual([...joined.getColumn("id").toArray()].sort(), ["a", "b"]);
  strictEqual(frame.select("id", "fees").writeCSV().toString(), "id,fees\na,1.0\nb,\n,3.0\n");
});
