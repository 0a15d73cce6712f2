import { deepStrictEqual, throws } from "node:assert/strict";
import { textColumn, type TextForm } from "../../lib/table/columns.ts";
import { type Rejected, rejecting } from "./rejecting.ts";

function column(form: TextForm, ...values: unknown[]): unknown[] {
  return textColumn("x", form, values.map((x) => ({ x })), rejecting).toArray();
}

Deno.test("textColumn keeps text as it is, and null apart from the empty text", () => {
  const texts = ["", null, "null", "0", "naïve 链 🦀", 'a "b"\n,c', "\u0000"];
  deepStrictEqual(column("String", ...texts), texts);
});

Deno.test("textColumn writes JSON text of a value whose shape is not promised", () => {
  deepStrictEqual(column("Json", { what: "x" }, ["a"], "text", 0, null), [
    '{"what":"x"}',
    '["a"]',
    '"text"',
    "0",
    null,
  ]);
});

Deno.test("textColumn leaves text alone where an object would become JSON text", () => {
  deepStrictEqual(column("TextOrJson", "all", { fees: true }), ["all", '{"fees":true}']);
});

Deno.test("textColumn refuses what is no text, and a lone surrogate, which polars would change", () => {
  for (const value of [5, 0, false, {}, [], "\ud800"]) {
    throws(() => column("String", "a", value), ({ mismatch }: Rejected) => {
      deepStrictEqual(mismatch, { row: 1, field: "x", expected: "a text", got: value });
      return true;
    });
  }
});
