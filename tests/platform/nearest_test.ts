import assert from "node:assert/strict";
import { didYouMean, mustBeOneOf, nearest } from "../../lib/platform/check_options.ts";

Deno.test("nearest ignores case, and returns undefined for an empty list", () => {
  assert.equal(nearest("FIELD", ["width", "fields"]), "fields");
  assert.equal(nearest("alder", new Set(["basalt", "older"])), "older");
  assert.equal(nearest("a", []), undefined);
});

const NAMES = Array.from({ length: 97 }, (_, index) => `field_${index}`);

Deno.test("mustBeOneOf lists few names, and the nearest of many", () => {
  assert.equal(mustBeOneOf(["asc", "desc"], "DES"), "must be one of asc, desc (nearest: desc)");
  assert.equal(mustBeOneOf(["asc", "desc"], 3), "must be one of asc, desc");
  assert.equal(mustBeOneOf(NAMES, "feld_7"), "must be one of 97 names (nearest: field_7)");
});

Deno.test("mustBeOneOf suggests nothing if no name is near", () => {
  const nearestTo = (value: string, ...names: string[]) =>
    /\(nearest: (.*)\)$/.exec(mustBeOneOf(names, value))?.[1] ?? null;
  assert.equal(nearestTo("xlsx", "csv", "json", "parquet"), null);
  assert.equal(nearestTo("explode", "warn", "throw", "ignore"), null);
  assert.equal(nearestTo("down", "asc", "desc"), null);
  assert.equal(nearestTo("cohort", "project_id", "market_sector_id", "all"), null);
  assert.equal(mustBeOneOf(NAMES, "size"), "must be one of 97 names");
  // Two letters of five are near, three are not.
  assert.equal(nearestTo("abcxy", "abcde"), "abcde");
  assert.equal(nearestTo("abxyz", "abcde"), null);
  // One letter always is.
  assert.equal(nearestTo("xs", "id", "x"), "x");
  // A part of a name is near it, however long the name.
  assert.equal(
    nearestTo("fees", "chain_name", "ecosystem_fees", "ecosystem_tvl"),
    "ecosystem_fees",
  );
  assert.equal(nearestTo("all_of_the_projects", "ids", "projects"), "projects");
  assert.equal(nearestTo("id", "market_sector_id"), null);
});

Deno.test("didYouMean suggests the nearest name, and lists few", () => {
  assert.equal(didYouMean("field", ["fields"]), "field: did you mean fields?");
  assert.equal(didYouMean("widht", ["by", "width"]), "widht: did you mean width? known: by, width");
  assert.equal(didYouMean("feld_7", NAMES), "feld_7: did you mean field_7?");
  assert.equal(didYouMean("\x1b[2J", []), "\ufffd[2J: there are no names");
});

Deno.test("nearest returns the name with the fewest edits, the first of several", () => {
  assert.equal(nearest("kitten", ["sitting", "mitten", "kit"]), "mitten");
  assert.equal(
    nearest("ecosystem_fee", ["ecosystem_tvl", "ecosystem_fees_30d_sum", "ecosystem_fees"]),
    "ecosystem_fees",
  );
  assert.equal(nearest("ab", ["ax", "xb"]), "ax");
  assert.equal(nearest("", ["abc", "a"]), "a");
  assert.equal(nearest("Fjörd", ["fjord", "fjörd"]), "fjörd");
});
