import assert from "node:assert/strict";
import fc from "fast-check";
// deno-lint-ignore no-import-prefix -- the package that lib measures with, asked itself
import stringWidth from "npm:fast-string-width@3.0.2";
import { clipped, counted, placesOf, shown, terminalText } from "../../lib/platform/terminal.ts";

for (
  const [what, text, expected] of [
    ["colors", "\x1b[31mred\x1b[0m", "\ufffd[31mred\ufffd[0m"],
    ["a clipboard by OSC 52", "\x1b]52;c;ZXZpbA==\x07", "\ufffd]52;c;ZXZpbA==\ufffd"],
    ["a CSI of one character", "\x9b2J", "\ufffd2J"],
    ["lines", "a\r\nb\tc\u2028d\u2029", "a\ufffd\ufffdb\ufffdc\ufffdd\ufffd"],
    ["directions", "\u202eabc\u2066\u200f\u061c", "\ufffdabc\ufffd\ufffd\ufffd"],
    ["nothing of an ordinary text", "Ünïcode 日本 👨‍👩‍👧 “x”", "Ünïcode 日本 👨‍👩‍👧 “x”"],
  ] as const
) {
  Deno.test(`terminalText removes ${what}`, () => assert.equal(terminalText(text), expected));
}

Deno.test("counted writes a count with its noun", () => {
  const texts = [0, 1, 2, 1200].map((count) => counted(count, "row"));
  assert.deepEqual(texts, ["0 rows", "1 row", "2 rows", "1,200 rows"]);
  assert.equal(counted(1, "entity", "entities"), "1 entity");
  assert.equal(counted(3, "entity", "entities"), "3 entities");
});

Deno.test("placesOf counts terminal columns", () => {
  const places = ["abc", "日本", "👨‍👩‍👧", "e\u0301", "🇩🇪", "…", ""].map(placesOf);
  assert.deepEqual(places, [3, 4, 2, 1, 2, 1, 0]);
});

Deno.test("placesOf agrees with the package for every text, also without calling it", () => {
  const unit = fc.constantFrom(..." ~ab0", "\x1f", "\x7f", "\t", "é", "日", "\u0301", "👧");
  fc.assert(
    fc.property(
      fc.string({ unit }),
      (text) => assert.equal(placesOf(text), stringWidth(text)),
    ),
    { seed: 12 },
  );
  const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
  assert.deepEqual(ascii.map((text) => stringWidth(text)), ascii.map(() => 1));
});

Deno.test("clipped cuts between grapheme clusters", () => {
  assert.equal(clipped("abcdef", 6), "abcdef");
  assert.equal(clipped("abcdef", 5), "abcd…");
  assert.equal(clipped("日本語", 5), "日本…");
  assert.equal(clipped("日本語", 4), "日…");
  assert.equal(clipped("👨‍👩‍👧👨‍👩‍👧", 3), "👨‍👩‍👧…");
});

Deno.test("clipped never exceeds its width", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, most) => {
      const line = terminalText(text);
      assert.ok(placesOf(clipped(line, most)) <= Math.max(most, 1));
    }),
    { seed: 12 },
  );
});

Deno.test("shown keeps a value on one line and short", () => {
  assert.equal(shown("a\nb\u202e"), '"a\\nb\ufffd"');
  assert.equal(shown({ a: [1, 2], b: { c: null } }), "{ a: [ 1, 2 ], b: { c: null } }");
  assert.ok(shown(Array.from({ length: 999 }, (_, index) => "x".repeat(index))).length <= 201);
});
