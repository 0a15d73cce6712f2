import { deepStrictEqual, ok } from "node:assert/strict";
import { answerTo } from "../../lib/help/questions.ts";
import { ROOT } from "./blocks.ts";

/** Words by which people ask, and names that they guess. */
const ASKED = [
  ...["heat map", "own colors", "dark", "rename", "market share", "German", "phone", "drawdown"],
  ...["unfinished month", "index", "top", "plotHeatmap", "marketShares"],
];

Deno.test("words of questions have an answer of help, and are on a page", () => {
  const pages = [
    "README.md",
    ...[...Deno.readDirSync(new URL("docs", ROOT))]
      .filter(({ name }) => /^(?!options|dictionary).*\.md$/.test(name))
      .map(({ name }) => `docs/${name}`),
  ]
    .map((path) => Deno.readTextFileSync(new URL(path, ROOT)).replace(/\s+/g, " ").toLowerCase());
  ok(pages.length > 20, `${pages.length} pages`);
  deepStrictEqual(ASKED.filter((word) => answerTo(word) === undefined), []);
  const lost = ASKED.filter((word) => !pages.some((page) => page.includes(word.toLowerCase())));
  deepStrictEqual(lost, []);
});
