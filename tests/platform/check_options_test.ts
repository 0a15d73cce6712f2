import assert from "node:assert/strict";
import {
  anything,
  boolean,
  checkOptions,
  didYouMean,
  integer,
  listOf,
  mustBeOneOf,
  nearest,
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

Deno.test("checkOptions returns the given options without undefined ones", () => {
  const given = { fields: ["a"], width: 400, months: 2, by: "chain_id", force: false, title: "" };
  assert.deepEqual(checkOptions({ ...given, from: undefined }, RULES, "plotIt"), given);
});

Deno.test("checkOptions names the option, its rule and the value, but no value of an unknown name", () => {
  const cases: [object, string][] = [
    [{ field: ["a"] }, "field: did you mean fields? known: fields, width, months, by, force, "],
    [{ width: "400" }, 'width: must be a number from 320 to 4000; got "400"'],
    [{ width: NaN }, "width: must be a number from 320 to 4000; got NaN"],
    [{ months: 1.5 }, "months: must be a whole number of at least 1; got 1.5"],
    [{ by: "chains" }, 'by: must be one of chain_id, project_id; got "chains"'],
    [{ by: null }, "by: must be one of chain_id, project_id; got null"],
    [{ force: 1 }, "force: must be true or false; got 1"],
    [{ fields: "a" }, 'fields: must be a list; got "a"'],
    [{ fields: [1] }, "fields: each element must be a text; got [ 1 ]"],
    [{ title: "a".repeat(500), colour: 1 }, "colour: is unknown; known: fields, "],
    [{ title: { toString: null } }, "title: must be a text; got { toString: null }"],
    [[], "options: must be an object with fields, width, months, by, force and 2 more; got a list"],
    [{ tokn: "geheim" }, "tokn: is unknown; known: fields, "],
  ];
  for (const [options, message] of cases) {
    assert.throws(() => checkOptions(options, RULES, "plotIt"), (error: Error) => {
      assert.ok(error instanceof RangeError);
      assert.equal(error.message.slice(0, message.length + 8), `plotIt: ${message}`);
      return !error.message.includes("geheim");
    });
  }
  const about = { prefix: "", noun: "query", error: (message: string) => new TypeError(message) };
  assert.throws(() => checkOptions({ a: 1 }, {}, about), new TypeError("a: there are no names"));
  assert.throws(
    () => checkOptions("x" as never, {}, about),
    new TypeError("query: must be an object with no members; got string"),
  );
});

const NAMES = Array.from({ length: 97 }, (_, index) => `field_${index}`);

Deno.test("mustBeOneOf lists few names, and didYouMean the nearest of many", () => {
  assert.equal(mustBeOneOf(["asc", "desc"], "DES"), "must be one of asc, desc (nearest: desc)");
  assert.equal(mustBeOneOf(["asc", "desc"], 3), "must be one of asc, desc");
  assert.equal(mustBeOneOf(NAMES, "feld_7"), "must be one of 97 names (nearest: field_7)");
  assert.equal(mustBeOneOf(NAMES, "size"), "must be one of 97 names");
  assert.equal(didYouMean("field", ["fields"]), "field: did you mean fields?");
  assert.equal(didYouMean("widht", ["by", "width"]), "widht: did you mean width? known: by, width");
  assert.equal(didYouMean("feld_7", NAMES), "feld_7: did you mean field_7?");
  assert.equal(didYouMean("\x1b[2J", []), "\ufffd[2J: there are no names");
});

Deno.test("nearest returns the name with the fewest edits or a part of it, and none that is far", () => {
  const fees = ["ecosystem_tvl", "ecosystem_fees_30d_sum", "ecosystem_fees"];
  const cases: [string, Iterable<string>, string | undefined][] = [
    ["FIELD", ["width", "fields"], "fields"],
    ["alder", new Set(["basalt", "older"]), "older"],
    ["a", [], undefined],
    ["kitten", ["sitting", "mitten", "kit"], "mitten"],
    ["ecosystem_fee", fees, "ecosystem_fees"],
    ["ab", ["ax", "xb"], "ax"],
    ["", ["abc", "a"], "a"],
    ["Fjörd", ["fjord", "fjörd"], "fjörd"],
    ["xlsx", ["csv", "json", "parquet"], undefined],
    ["explode", ["warn", "throw", "ignore"], undefined],
    ["cohort", ["project_id", "market_sector_id", "all"], undefined],
    // Two letters of five are near, three are not, and one always is.
    ["abcxy", ["abcde"], "abcde"],
    ["abxyz", ["abcde"], undefined],
    ["xs", ["id", "x"], "x"],
    // A part of a name is near it, however long the name.
    ["fees", ["chain_name", "ecosystem_fees"], "ecosystem_fees"],
    ["all_of_the_projects", ["ids", "projects"], "projects"],
    ["id", ["market_sector_id"], undefined],
  ];
  for (const [name, names, found] of cases) assert.equal(nearest(name, names), found, name);
});
