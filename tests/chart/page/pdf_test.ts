import assert from "node:assert/strict";
import { pl } from "../../../lib/table/columns/polars.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { where } from "../../../lib/table/read/where.ts";
import { pdfTexts } from "./pdf_texts.ts";

/** Two lines of which the first ends after half a year. */
const ENDING = pl.DataFrame(
  ["oak", "elm"].flatMap((tree, at) =>
    Array.from({ length: at === 0 ? 6 : 12 }, (_, month) => (
      { tree, date: new Date(Date.UTC(2025, month)), fees: 70 * (at + 1) + month * 7 }
    ))
  ),
);

const CHARTS = {
  "the name of a line that ends early": [() => plotTimeline(ENDING, { field: "fees" }), /oak/],
  "the numbers of ranks": [() => plotTimeline(ENDING, { field: "fees", as: "rank" }), /^[12]$/],
  "the last value of a single line": [
    () => plotTimeline(where(ENDING, { tree: "elm" }), { field: "fees", theme: "dark" }),
    /^\d\d\d$/,
  ],
} as const;

for (const [what, [chart, text]] of Object.entries(CHARTS)) {
  Deno.test(`a PDF shows ${what}`, async () => {
    const { all, unseen } = await pdfTexts(await chart().pdf());
    assert.deepEqual(unseen, []);
    assert.ok(all.some((each) => text.test(each)), all.join(" | "));
  });
}

Deno.test("a PDF shows letters that Inter lacks", async () => {
  const frame = pl.DataFrame({ project: ["אלון", "أرز", "ash"], fees: [3, 2, 1] });
  const { plotComparison } = await import("../../../lib/chart/comparison.ts");
  const { all, unseen } = await pdfTexts(await plotComparison(frame, { field: "fees" }).pdf());
  assert.deepEqual(unseen, []);
  assert.match(all.join(" "), /[\u05d0-\u05ea]{4}/);
});
