import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { Mismatch, Row } from "../../lib/table/columns/cell_values.ts";
import { frameFromRows } from "../../lib/table/columns/frame_from_rows.ts";
import type { Field } from "../../lib/schema/records.ts";

const FIELDS: readonly Field[] = [
  { name: "id", dtype: "String" },
  { name: "^a.*$", dtype: "Float64" },
  { name: "value", dtype: "Float64" },
  { name: "*", dtype: "TextOrJson" },
  { name: "toString", dtype: "String" },
];

class Refused extends Error {
  constructor(readonly mismatch: Mismatch) {
    super(JSON.stringify(mismatch));
  }
}

/** What a plain reading of one value gives: what every column must hold, however it was made. */
function plain(value: unknown, dtype: Field["dtype"], place: Omit<Mismatch, "expected" | "got">) {
  const refuse = (expected: string): never => {
    throw new Refused({ ...place, expected, got: value });
  };
  if (value === undefined || value === null) return null;
  if (dtype === "Float64") {
    if (typeof value === "number") return Number.isFinite(value) ? value : refuse("a number");
    if (["NaN", "-", ""].includes(value as string)) return null;
    if (typeof value === "string" && /^-?[\d.]+$/.test(value)) return Number(value);
    return refuse("a number");
  }
  if (typeof value === "string") return value.isWellFormed() ? value : refuse("a text");
  if (dtype === "TextOrJson") return JSON.stringify(value);
  return Number.isFinite(value) ? String(value) : refuse("a text");
}

/** The column of an unknown field, read plainly: the common type of all values, or JSON text. */
function agreed(values: readonly unknown[]) {
  const types = new Set(values.flatMap((value) => (value ?? null) === null ? [] : [typeof value]));
  const isPlain = types.size === 1 && !types.has("object");
  return values.map((value) =>
    (value ?? null) === null ? null : isPlain ? value : JSON.stringify(value)
  );
}

const own = (row: Row, name: string) => Object.hasOwn(row, name) ? row[name] : undefined;

/** The columns of rows, or the first mismatch of a field: made value by value. */
function byLoops(rows: readonly Row[]): Record<string, unknown[]> {
  const known = FIELDS.map(({ name }) => name);
  const unknown = new Set(rows.flatMap((row) => Object.keys(row)));
  for (const name of known) unknown.delete(name);
  const columns = FIELDS.map(({ name, dtype }): [string, unknown[]] => [
    name,
    rows.map((row, index) => plain(own(row, name), dtype, { row: index, field: name })),
  ]);
  for (const name of unknown) columns.push([name, agreed(rows.map((row) => own(row, name)))]);
  return Object.fromEntries(columns);
}

function asFrame(rows: readonly Row[]): Record<string, unknown[]> {
  const frame = frameFromRows(rows, FIELDS, {
    reject: (mismatch) => {
      throw new Refused(mismatch);
    },
    noNumber: () => {},
    note: () => {},
  });
  return Object.fromEntries(frame.columns.map((name) => [name, frame.getColumn(name).toArray()]));
}

/** What a reading gives, or the mismatch at which it stopped. */
function outcome<T>(read: () => T): T | Mismatch {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refused) return error.mismatch;
    throw error;
  }
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, null, undefined, "1.5", "-", "NaN", "", 1e21, -7),
);
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("a", "b", "", "null", null, undefined, 5, "链"),
);
const row = fc.record({
  id: text,
  "^a.*$": number,
  value: number,
  "*": fc.oneof(text, fc.constantFrom({ fees: true }, [1])),
  toString: text,
  "of nobody": fc.oneof(number.filter((value) => typeof value !== "string"), text),
  "d.*": fc.constantFrom(true, false, null),
  "7": fc.constantFrom("seven", null, [7], { seven: 7 }),
}, { requiredKeys: ["id"] });

// Long columns too, of texts that recur or all differ.
const rowsOf = (few: readonly Row[], times: number, distinct: boolean) =>
  Array.from({ length: few.length * times }, (_, index): Row => {
    const made = { ...few[index % few.length]! };
    return distinct && typeof made["id"] === "string"
      ? { ...made, id: `${made["id"]}${index}` }
      : made;
  });

Deno.test("frameFromRows equals reading value by value, for few rows and for many", () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(1, 300),
      fc.boolean(),
      (few, times, distinct) => {
        const rows = rowsOf(few as Row[], times, distinct);
        deepStrictEqual(asFrame(rows), byLoops(rows));
      },
    ),
    { numRuns: 60, seed: 11 },
  );
});

Deno.test("frameFromRows has every row at the threshold between few and many rows", () => {
  for (const count of [1, 49, 50, 51, 999, 1_000, 1_001, 1_002, 2_003]) {
    for (const none of [-1, 0, count - 1]) {
      const rows = Array.from({ length: count }, (_, index): Row => ({
        id: index === none ? null : `id ${index}`,
        value: index === none ? "-" : index === 0 ? -0 : index / 3,
        "*": index === 7 ? { fees: 1 } : "some",
      }));
      deepStrictEqual(asFrame(rows), byLoops(rows));
    }
  }
});

Deno.test("frameFromRows stops at the same value for few rows and for many", () => {
  const wrong = fc.constantFrom("\ud800", true, "n/a", {}, "a\udc00");
  const field = fc.constantFrom(...FIELDS.map(({ name }) => name));
  fc.assert(
    fc.property(
      fc.constantFrom(3, 2_000),
      wrong,
      field,
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (count, got, name, where) => {
        const at = Math.floor(where * count);
        const rows = Array.from({ length: count }, (_, index): Row => ({
          id: "x",
          value: 1,
          ...(index === at ? { [name]: got } : {}),
        }));
        deepStrictEqual(outcome(() => asFrame(rows)), outcome(() => byLoops(rows)));
      },
    ),
    { numRuns: 100, seed: 12 },
  );
});
