import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { listColumn } from "../../lib/table/columns.ts";
import { type Rejected, rejecting } from "./rejecting.ts";

const LINK = ["summary", "url"];

function column(members: string[] | null, ...values: unknown[]) {
  return listColumn("x", members, values.map((x) => ({ x })), rejecting);
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

Deno.test("listColumn knows its dtype when nothing is there", () => {
  for (const values of [[], [null], [[]]]) {
    strictEqual(column(null, ...values).dtype.toString(), "DataType(List(DataType(String)))");
    strictEqual(
      column(LINK, ...values).dtype.toString(),
      'DataType(List(DataType(Struct(Field("summary", DataType(String)),Field("url", DataType(String))))))',
    );
    strictEqual(column(LINK, ...values).length, values.length);
  }
});

Deno.test("listColumn refuses what is no list of the promised elements", () => {
  for (const value of ["a", 5, {}, [5], [null], [["a"]]]) {
    throws(() => column(null, [], value), ({ mismatch }: Rejected) => {
      deepStrictEqual(mismatch.got, value);
      return mismatch.row === 1 && mismatch.field === "x";
    });
  }
  throws(() => column(LINK, [{ url: 5 }]), ({ mismatch }: Rejected) => mismatch.row === 0);
});
