import assert from "node:assert/strict";
import fc from "fast-check";
import { textWidth } from "../../../lib/chart/text/layout.ts";
import { balancedText, rowLabels, wrapText } from "../../../lib/chart/text/layout.ts";

const face = { size: 10 };

Deno.test("wrapText breaks at spaces, inside a word only if needed", () => {
  assert.deepEqual(wrapText("one two three", { ...face, width: 50 }), ["one two", "three"]);
  assert.deepEqual(wrapText("  one  \n two ", { ...face, width: 500 }), ["one two"]);
  assert.deepEqual(wrapText("", { ...face, width: 50 }), []);
  assert.deepEqual(wrapText("mm 1,234", { ...face, width: 40 }), ["mm", "1,234"]);
  assert.deepEqual(wrapText("mmmmmm", { ...face, width: 31 }), ["mmm", "mmm"]);
});

Deno.test("balancedText and rowLabels break no word that fits", () => {
  assert.deepEqual(balancedText("exchanges-dex", { ...face, width: 65 }), ["exchanges-", "dex"]);
  assert.deepEqual(rowLabels(["Konstantinopel"], 200).lines, [["Konstantinopel"]]);
  const title = "Forecast of first-time users";
  for (const width of [110, 90, 70]) {
    assert.match(balancedText(title, { ...face, width }).join("|"), /(^|[| ])first-time([| ]|$)/);
  }
});

Deno.test("wrapText ends with an ellipsis if the text does not fit", () => {
  assert.deepEqual(wrapText("one two three four", { ...face, width: 38, lines: 2 }), [
    ...["one two", "three…"],
  ]);
  assert.deepEqual(wrapText("one two", { ...face, width: 42, lines: 1 }), ["one two"]);
});

Deno.test("wrapText loses no letter, and every line fits", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ min: 20, max: 200 }),
      (text, width) => {
        const lines = wrapText(text, { ...face, width });
        const letters = (words: string) => words.replace(/[\s\u2068\u2069]+/g, "");
        assert.equal(letters(lines.join("")), letters(text));
        assert.ok(
          lines.every((line) =>
            line.length === 1 || textWidth(line, face) <= width || [...line].length === 1
          ),
        );
      },
    ),
    { seed: 6, numRuns: 300 },
  );
});

Deno.test("wrapText joins numbers, days and months to the next word", () => {
  const wrap = (text: string, width: number) => wrapText(text, { ...face, width });
  assert.deepEqual(wrap("data to 30 Dec 2024", 68), ["data to", "30 Dec 2024"]);
  assert.deepEqual(wrap("the 5 largest of 24 chains", 85), ["the 5 largest of", "24 chains"]);
  assert.deepEqual(wrap("fees of Dec 2024 to May", 80), ["fees of", "Dec 2024 to", "May"]);
  // The last number of a sentence does not begin a line.
  assert.deepEqual(wrap("values: month 11", 75), ["values:", "month 11"]);
  assert.deepEqual(wrap("empty (78 of 360). More", 75), ["empty", "(78 of 360).", "More"]);
  assert.deepEqual(wrap("active in month 2, not 3", 62), ["active in", "month 2,", "not 3"]);
  assert.deepEqual(wrap("after 5 of many", 42), ["after", "5 of", "many"]);
  // Joined words that are longer than a line are broken between words.
  assert.deepEqual(wrap("30 Dec 2024", 30), ["30", "Dec", "2024"]);
});

Deno.test("labels of few lines break no word", () => {
  const label = { ...face, width: 50, lines: 2 };
  assert.deepEqual(wrapText("nft-marketplaces", label), ["nft-", "marketpl…"]);
  assert.deepEqual(wrapText("marketplaces of art", label), ["marketpl…", "of art"]);
  assert.deepEqual(rowLabels(["nft-marketplaces"], 296).lines, [["nft-marketplaces"]]);
});

Deno.test("rowLabels cuts no name that has room in three lines", () => {
  const { lines, rowHeight } = rowLabels(["Alliance of many small public goods", "a"], 240);
  assert.equal(lines[0]!.length, 3);
  assert.equal(lines[0]!.join(" "), "Alliance of many small public goods");
  assert.equal(rowHeight, 46);
});
