import { deepStrictEqual, throws } from "node:assert/strict";
import type { Field } from "../../lib/schema/records.ts";
import type { Row } from "../../lib/table/columns/cell_values.ts";
import { frameFromRows } from "../../lib/table/columns/frame_from_rows.ts";
import { type Rejected, rejecting } from "./rejecting.ts";

type Dtype = Field["dtype"];
const LINKS = { struct: ["summary", "url"] };
const TEXTS = ["", null, "null", "0", "naïve 链 🦀", 'a "b"\n,c', "\u0000"];
const links = [{ summary: "site", url: "u" }, { summary: null, url: "v" }];

function column(dtype: Dtype, values: readonly unknown[], name = "x") {
  // A record without any known field is refused, so that each row has an id.
  const rows = values.map((value): Row => ({
    id: "a",
    ...value !== undefined && { [name]: value },
  }));
  const fields: Field[] = [{ name: "id", dtype: "String" }, { name, dtype }];
  return frameFromRows(rows, fields, rejecting).getColumn(name);
}

Deno.test("columns keep null, 0 and empty values apart, and read what services send", () => {
  const cases: [Dtype, values: unknown[], expected?: unknown[]][] = [
    ["Float64", [0, null, -0, 1.5]],
    ["Float64", [undefined, 2], [null, 2]],
    ["Float64", ["1", "-2.5", "1e3", "0.1", "+7", ".5"], [1, -2.5, 1000, 0.1, 7, 0.5]],
    ["String", TEXTS],
    ["String", [5, 0, -1.5, 1e-7, 2 ** 53 - 1], ["5", "0", "-1.5", "1e-7", "9007199254740991"]],
    ["Json", [{ what: "x" }, ["a"], "text", 0, null], [
      '{"what":"x"}',
      '["a"]',
      '"text"',
      "0",
      null,
    ]],
    ["TextOrJson", ["all", { fees: true }], ["all", '{"fees":true}']],
    ["List(String)", [["b", "a"], null, []]],
    ["List(String)", [[1, "a"]], [["1", "a"]]],
    [LINKS, [links, [], null, [{ url: 5 }]], [links, [], null, [{ summary: null, url: "5" }]]],
  ];
  for (const [dtype, values, expected = values] of cases) {
    deepStrictEqual(column(dtype, values).toArray(), expected, JSON.stringify([dtype, values]));
  }
  for (const name of ["*", "^a.*$", "^(", "a b", "\u0000"]) {
    deepStrictEqual(column("Float64", [1, undefined], name).toArray(), [1, null], name);
  }
});

Deno.test("columns have their dtype without values", () => {
  const struct = 'Struct(Field("summary", DataType(String)),Field("url", DataType(String)))';
  const cases: [Dtype, dtype: string, empty: unknown][] = [
    ["Float64", "DataType(Float64)", null],
    ["String", "DataType(String)", null],
    ["List(String)", "DataType(List(DataType(String)))", []],
    [LINKS, `DataType(List(DataType(${struct})))`, []],
  ];
  for (const [dtype, expected, empty] of cases) {
    for (const values of [[], [undefined], [null, undefined], [empty]]) {
      const { dtype: made, length } = column(dtype, values);
      deepStrictEqual([made.toString(), length], [expected, values.length]);
    }
  }
});

Deno.test("columns refuse other values, and name the row and the field", () => {
  const cases: [Dtype, good: unknown, wrong: unknown[], expected?: string][] = [
    ["Float64", 1, [" ", " 1", "n/a", "nan", "1,000", "0x10", true, [], {}], "a number"],
    ["String", "a", [false, {}, [], "\ud800"], "a text"],
    ["List(String)", [], ["a", 5, [true], [null]]],
    [LINKS, [], ["a", [5], [true], [null]]],
  ];
  for (const [dtype, good, wrong, expected] of cases) {
    for (const got of wrong) {
      throws(() => column(dtype, [good, got]), ({ mismatch }: Rejected) => {
        const { row, field } = mismatch;
        deepStrictEqual([row, field], [1, "x"]);
        if (expected !== undefined) deepStrictEqual(mismatch.expected, expected);
        if (typeof dtype === "string") deepStrictEqual(mismatch.got, got);
        return true;
      });
    }
  }
});

Deno.test("texts that say there is no number, and numbers beyond Float64, are reported", () => {
  const cases: [sent: string, value: number | null, told: string[]][] = [
    ...["NaN", "-", "Infinity", "-Infinity", ""].map((sent): [string, null, string[]] => [
      JSON.stringify(sent),
      null,
      [`no number: ${sent}`],
    ]),
    ["9007199254740991", 9007199254740991, []],
    ["9007199254740993", 9007199254740992, ["x: whole numbers above 2^53 are rounded"]],
    ['"1000e20"', 1e23, ["x: whole numbers above 2^53 are rounded"]],
    ["0.1234567890123456789", 0.12345678901234568, []],
    ["-1e999", null, ["no number: -Infinity"]],
  ];
  for (const [sent, value, expected] of cases) {
    const told: string[] = [];
    const frame = frameFromRows(
      JSON.parse(`[{"x":${sent}}]`) as Row[],
      [{ name: "x", dtype: "Float64" }],
      {
        ...rejecting,
        noNumber: (_, text) => void told.push(`no number: ${text}`),
        note: (text) => void told.push(text),
      },
    );
    deepStrictEqual([frame.getColumn("x").toArray(), told], [[value], expected], sent);
  }
});
