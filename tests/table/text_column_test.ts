import { deepStrictEqual, throws } from "node:assert/strict";
import { type TextForm, textsOf } from "../../lib/table/columns.ts";
import { frameOfColumns } from "../../lib/table/frame_from_rows.ts";
import { type Rejected, rejecting } from "./rejecting.ts";

function column(form: TextForm, ...values: unknown[]): unknown[] {
  const texts = textsOf({ name: "x", form }, values, rejecting);
  return frameOfColumns([{ name: "x", texts }]).getColumn("x").toArray();
}

Deno.test("textsOf keeps text unchanged, and distinguishes null from empty text", () => {
  const texts = ["", null, "null", "0", "naïve 链 🦀", 'a "b"\n,c', "\u0000"];
  deepStrictEqual(column("String", ...texts), texts);
});

Deno.test("textsOf writes a value of unspecified shape as JSON text", () => {
  deepStrictEqual(column("Json", { what: "x" }, ["a"], "text", 0, null), [
    '{"what":"x"}',
    '["a"]',
    '"text"',
    "0",
    null,
  ]);
});

Deno.test("textsOf keeps text in a field whose objects become JSON text", () => {
  deepStrictEqual(column("TextOrJson", "all", { fees: true }), ["all", '{"fees":true}']);
});

Deno.test("textsOf refuses other types, and a lone surrogate, which polars would change", () => {
  for (const value of [false, {}, [], "\ud800"]) {
    throws(() => column("String", "a", value), ({ mismatch }: Rejected) => {
      deepStrictEqual(mismatch, { row: 1, field: "x", expected: "a text", got: value });
      return true;
    });
  }
});

Deno.test("textsOf reads a number in a text field as its text", () => {
  deepStrictEqual(column("String", 5, 0, -1.5, 1e-7, 2 ** 53 - 1), [
    "5",
    "0",
    "-1.5",
    "1e-7",
    "9007199254740991",
  ]);
});
