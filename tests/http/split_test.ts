import fc from "fast-check";
import assert from "node:assert/strict";
import type { ApiRequest } from "../../lib/http/request.ts";
import { requestUrl } from "../../lib/http/request.ts";
import { splitRequest } from "../../lib/http/request.ts";
import { BREAKDOWN, chains } from "./question.ts";

const BASE = "https://a.example";

function lists(question: ApiRequest, name: string): readonly string[] {
  const list = question.params[name];
  return typeof list === "string" || list === undefined ? [] : list;
}

Deno.test("splitRequest keeps a request that fits or has no list", () => {
  for (const question of [chains(["a", "b"]), BREAKDOWN]) {
    assert.deepEqual(splitRequest(question, BASE, 4_096), [question]);
  }
  for (const question of [chains(["a"]), chains([], { order_by: "x".repeat(99) }), BREAKDOWN]) {
    assert.deepEqual(splitRequest(question, BASE, 1), [question]);
  }
});

Deno.test("splitRequest splits a list so that each URL fits", () => {
  // https://a.example/v2/datasets/blockchain_comparison?chain_ids= has 62 characters.
  const parts = splitRequest(chains(["aaaa", "bbbb", "cccc", "dddd", "eeee"]), BASE, 62 + 9);
  assert.deepEqual(parts.map((part) => lists(part, "chain_ids")), [
    ["aaaa", "bbbb"],
    ["cccc", "dddd"],
    ["eeee"],
  ]);
  assert.equal(requestUrl(BASE, parts[0]!).length, 71);
});

Deno.test("splitRequest counts characters as they are encoded", () => {
  const parts = splitRequest(chains(["üü", "b", "c"]), BASE, 62 + 12);
  assert.deepEqual(parts.map((part) => lists(part, "chain_ids")), [["üü"], ["b", "c"]]);
});

Deno.test("splitRequest sends an id alone that is too long by itself", () => {
  const long = "x".repeat(100);
  const parts = splitRequest(chains(["a", long, "b", "c"]), BASE, 62 + 9);
  assert.deepEqual(parts.map((part) => lists(part, "chain_ids")), [["a"], [long], ["b", "c"]]);
});

Deno.test("splitRequest splits the longest list, and others only if they are too long as well", () => {
  const few = splitRequest(
    chains(["a", "b"], { project_ids: Array.from({ length: 60 }, (_, index) => `p${index}`) }),
    BASE,
    150,
  );
  assert.ok(few.every((part) => lists(part, "chain_ids").length === 2));
  assert.deepEqual(few.flatMap((part) => lists(part, "project_ids")).length, 60);

  const many = Array.from({ length: 20 }, (_, index) => `number${index}`);
  const both = splitRequest(chains(many, { project_ids: many }), BASE, 160);
  const pairs = both.flatMap((part) =>
    lists(part, "chain_ids").flatMap((chain) =>
      lists(part, "project_ids").map((id) => `${chain} ${id}`)
    )
  );
  assert.equal(pairs.length, 400);
  assert.equal(new Set(pairs).size, 400);
});

Deno.test("splitRequest requests every combination once, in URLs that fit", () => {
  const ids = fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), {
    maxLength: 25,
  });
  const cases = fc.record({ a: ids, b: ids, c: ids, room: fc.integer({ min: 0, max: 300 }) });
  fc.assert(
    fc.property(cases, ({ a, b, c, room }) => {
      const question = chains(a, { project_ids: b, market_sector_ids: c, limit: "5" });
      const least = requestUrl(
        BASE,
        chains([], { project_ids: [], market_sector_ids: [], limit: "5" }),
      );
      const most = least.length + room;
      const parts = splitRequest(question, BASE, most);
      const combinations = (part: ApiRequest) =>
        lists(part, "chain_ids").length * lists(part, "project_ids").length *
        lists(part, "market_sector_ids").length;
      if (combinations(question) > 0) {
        assert.equal(
          parts.reduce((sum, part) => sum + combinations(part), 0),
          combinations(question),
        );
      }
      for (
        const [name, all] of [["chain_ids", a], ["project_ids", b], [
          "market_sector_ids",
          c,
        ]] as const
      ) {
        assert.deepEqual(new Set(parts.flatMap((part) => lists(part, name))), new Set(all));
        for (const part of parts) {
          const fits = requestUrl(BASE, part).length <= most;
          const cannot = ["chain_ids", "project_ids", "market_sector_ids"]
            .every((each) => lists(part, each).length <= 1);
          assert.ok(fits || cannot);
        }
      }
    }),
    { seed: 4, numRuns: 200 },
  );
});
