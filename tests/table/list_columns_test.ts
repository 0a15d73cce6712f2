import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { listColumn, restColumn } from "../../lib/table/list_columns.ts";
import { type Rejected, rejecting } from "./rejecting.ts";

const LINK = ["summary", "url"];

function column(members: string[] | null, ...values: unknown[]) {
  return listColumn({ name: "x", members }, values.map((x) => ({ x })), rejecting);
}

Deno.test("listColumn keeps null, the empty list and the order of texts", () => {
  deepStrictEqual(column(null, ["b", "a"], null, []).toArray(), [["b", "a"], null, []]);
});

Deno.test("listColumn builds lists of structs with null members", () => {
  const links = [{ summary: "site", url: "u" }, { summary: null, url: "v" }];
  deepStrictEqual(column(LINK, links, [], null, [{ url: "w" }]).toArray(), [
    links,
    [],
    null,
    [{ summary: null, url: "w" }],
  ]);
});

Deno.test("listColumn has its dtype without values", () => {
  for (const values of [[], [null], [[]]]) {
    strictEqual(column(null, ...values).dtype.toString(), "DataType(List(DataType(String)))");
    strictEqual(
      column(LINK, ...values).dtype.toString(),
      'DataType(List(DataType(Struct(Field("summary", DataType(String)),Field("url", DataType(String))))))',
    );
    strictEqual(column(LINK, ...values).length, values.length);
  }
});

Deno.test("listColumn refuses values that are not lists of the expected elements", () => {
  for (const value of ["a", 5, {}, [true], [null], [["a"]]]) {
    throws(() => column(null, [], value), ({ mismatch }: Rejected) => {
      deepStrictEqual(mismatch.got, value);
      return mismatch.row === 1 && mismatch.field === "x";
    });
  }
  throws(() => column(LINK, [{ url: true }]), ({ mismatch }: Rejected) => mismatch.row === 0);
});

Deno.test("listColumn reads a number in a text field as its text", () => {
  deepStrictEqual(column(null, [1, "a"]).toArray(), [["1", "a"]]);
  deepStrictEqual(column(LINK, [{ url: 5 }]).toArray(), [[{ summary: null, url: "5" }]]);
});

Deno.test("restColumn keeps other members of elements, and is undefined without any", () => {
  const rest = (...values: unknown[]) =>
    restColumn({ name: "x", members: LINK }, values.map((x) => ({ x })), rejecting)?.toArray();
  deepStrictEqual(rest([{ url: "u" }, { url: "v", icon: null }], null, [], [{ summary: "s" }]), [
    '[{},{"icon":null}]',
    null,
    null,
    null,
  ]);
  deepStrictEqual(rest([{ url: "u" }], null, []), undefined);
});
