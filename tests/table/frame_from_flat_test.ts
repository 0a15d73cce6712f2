import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { flatRowsIn } from "../../lib/http/flat/flat_rows.ts";
import type { Field } from "../../lib/schema/records.ts";
import { frameFromFlat, frameFromRows } from "../../lib/table/frame_from_rows.ts";
import type { DataFrame } from "../../lib/table/polars.ts";
import type { Reader } from "../../lib/table/columns.ts";
import { Rejected, rejecting } from "./rejecting.ts";

const FIELDS: Field[] = [
  { name: "id", dtype: "String" },
  { name: "^f.*$", dtype: "Float64" },
  { name: "symbol", dtype: "String" },
  { name: "fees", dtype: "Float64" },
];

function flatFrame(
  rows: readonly unknown[],
  { fields = FIELDS, reader = rejecting } = {},
): DataFrame | null {
  const bytes = new TextEncoder().encode(JSON.stringify({ data: rows }));
  return frameFromFlat(flatRowsIn(bytes)!.rows, fields, reader);
}

/** What a reading of rows gives, and which texts it read as null; or the mismatch at which it stopped. */
function outcome(read: (reader: Reader) => DataFrame): unknown {
  const told: string[][] = [];
  const noNumber = (field: string, text: string) => void told.push([field, text]);
  try {
    return [contents(read({ ...rejecting, noNumber })), told];
  } catch (error) {
    if (error instanceof Rejected) return error.mismatch;
    throw error;
  }
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

Deno.test("frameFromFlat gives what frameFromRows gives of values of any kind, mismatches too", () => {
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    fc.constantFrom("1.5", "-", "NaN", "", null, 7),
  );
  const wrong = fc.constantFrom<unknown>("n/a", true, [1], { a: "b" }, "\ud800");
  const text = fc.oneof(fc.string(), fc.constantFrom<unknown>(5, null, -0.5));
  const any = fc.oneof(fc.boolean(), text, fc.constantFrom<unknown>([1, "]"], { a: null }));
  const record = (each: typeof any) =>
    fc.record({ id: each, fees: each, flag: fc.boolean(), nested: fc.array(any), some: any }, {
      requiredKeys: ["id"],
    });
  const good = fc.record({ id: text, fees: value, flag: fc.boolean(), some: any }, {
    requiredKeys: ["id"],
  });
  const rows = fc.tuple(
    fc.array(good, { minLength: 1, maxLength: 20 }),
    fc.array(fc.oneof(record(wrong), good), { maxLength: 1 }),
  ).map(([some, last]) => [...some, ...last]);
  let read = 0;
  fc.assert(
    fc.property(rows, (rows) => {
      const wire = JSON.parse(JSON.stringify(rows));
      const bytes = new TextEncoder().encode(JSON.stringify({ data: rows }));
      const flat = flatRowsIn(bytes);
      if (flat === null) return;
      let isRead = true;
      const found = outcome((reader) => {
        const frame = frameFromFlat(flat.rows, FIELDS, reader);
        isRead = frame !== null;
        return frame ?? frameFromRows([], FIELDS, rejecting);
      });
      if (!isRead) return;
      read++;
      deepStrictEqual(found, outcome((reader) => frameFromRows(wire, FIELDS, reader)));
    }),
    { numRuns: 500, seed: 26 },
  );
  ok(read > 200, `${read} are read`);
});

Deno.test("frameFromFlat leaves to frameFromRows lists, and columns that are all of another kind", () => {
  const cases: [rows: unknown[], fields?: Field[]][] = [
    [[{ id: "a", fees: "1.5" }]],
    [[{ id: "a", fees: "-" }, { fees: null }]],
    [[{ id: 5 }]],
    [[{ fees: 1 }, { other: 1 }]],
    [[{ other: 1 }]],
    [[{ id: "a" }], [{ name: "id", dtype: "Json" }]],
    [[{ id: "a" }], [{ name: "id", dtype: "String" }, { name: "x", dtype: "List(String)" }]],
  ];
  for (const [rows, fields] of cases) strictEqual(flatFrame(rows, { fields }), null);
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
