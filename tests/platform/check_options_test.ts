import assert from "node:assert/strict";
import {
  anything,
  boolean,
  checkOptions,
  integer,
  listOf,
  number,
  oneOf,
  string,
} from "../../lib/platform/check_options.ts";

const RULES = {
  fields: listOf(string),
  width: number(320, 4000),
  months: integer(1),
  by: oneOf(["chain_id", "project_id"]),
  force: boolean,
  title: string,
  from: anything,
};

function refusal(options: object): string {
  try {
    checkOptions(options, RULES, "plotIt");
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return error.message;
  }
  return "";
}

Deno.test("checkOptions returns the given options without undefined ones", () => {
  const given = { fields: ["a"], width: 400, months: 2, by: "chain_id", force: false, title: "" };
  assert.deepEqual(checkOptions({ ...given, from: undefined }, RULES, "plotIt"), given);
});

for (
  const [options, message] of [
    [
      { field: ["a"] },
      "plotIt: field: did you mean fields? known: fields, width, months, by, force, title, from",
    ],
    [{ width: "400" }, 'plotIt: width: must be a number from 320 to 4000; got "400"'],
    [{ width: NaN }, "plotIt: width: must be a number from 320 to 4000; got NaN"],
    [{ months: 1.5 }, "plotIt: months: must be a whole number of at least 1; got 1.5"],
    [
      { by: "chains" },
      'plotIt: by: must be one of chain_id, project_id (nearest: chain_id); got "chains"',
    ],
    [{ by: null }, "plotIt: by: must be one of chain_id, project_id; got null"],
    [{ force: 1 }, "plotIt: force: must be true or false; got 1"],
    [{ fields: "a" }, 'plotIt: fields: must be a list; got "a"'],
    [{ fields: [1] }, "plotIt: fields: each element must be a text; got [ 1 ]"],
    [{ title: "a".repeat(500), colour: 1 }, /^plotIt: colour: is unknown; known: fields, /],
    [{ title: { toString: null } }, "plotIt: title: must be a text; got { toString: null }"],
    [[], "plotIt: options: must be an object; got a list"],
  ] as [object, string | RegExp][]
) {
  Deno.test(`checkOptions refuses ${Deno.inspect(options, { strAbbreviateSize: 9 })}`, () => {
    if (typeof message === "string") assert.equal(refusal(options), message);
    else assert.match(refusal(options), message);
  });
}

Deno.test("checkOptions throws the given error class", () => {
  const about = { prefix: "", noun: "query", error: (message: string) => new TypeError(message) };
  assert.throws(() => checkOptions({ a: 1 }, {}, about), new TypeError("a: there are no names"));
  assert.throws(
    () => checkOptions("x" as never, {}, about),
    new TypeError("query: must be an object; got string"),
  );
});

Deno.test("checkOptions never shows the value of an unknown name", () => {
  assert.doesNotMatch(refusal({ tokn: "geheim" }), /geheim/);
});
