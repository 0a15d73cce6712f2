import { deepStrictEqual, ok } from "node:assert/strict";
import { PLANTED_TABLE, SECTORS, TRUTH_TABLE, truthOf } from "../analysis/sample_truth.ts";
import { inFolder } from "../scripts/run_script.ts";
import { BLOCKS, ROOT, runModules, writeBlocks } from "./blocks.ts";

/** `deno task entries` writes what the blocks print now. */
const UPDATE = Deno.args.includes("--update");

Deno.test("the text blocks of the pages are what the code above them prints", () =>
  inFolder(async (folder) => {
    const blocks = BLOCKS.filter(({ printed }) => printed !== undefined);
    ok(blocks.length > 10);
    await Deno.mkdir(`${folder}/out`);
    const prints = await runModules(await writeBlocks(folder, blocks), folder);
    if (!UPDATE) {
      const kept = blocks.map(({ file, line, printed }) => [file, line, printed]);
      deepStrictEqual(kept, blocks.map(({ file, line }, at) => [file, line, prints[at]]));
      return;
    }
    for (const [at, { file, code, printed }] of blocks.entries()) {
      const path = new URL(file, ROOT);
      const [before, after] = [printed, prints[at]].map((text) =>
        `${code}\`\`\`\n\n\`\`\`text\n${text}`
      );
      const page = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, page.replace(before!, () => after!));
    }
  }));

Deno.test("the tutorial has the truth of the sample", async () => {
  const truth = (id: string) =>
    100 * truthOf(SECTORS.find(({ market_sector_id }) => market_sector_id === id)!, 6);
  const [lending, exchanges] = [truth("lending"), truth("exchanges-dex")];
  const text = await Deno.readTextFile(new URL("docs/tutorial.md", ROOT));
  const tutorial = text.replace(/\s+/g, " ");
  for (const value of [lending, exchanges, lending - exchanges]) {
    ok(tutorial.includes(` ${value.toFixed(1)}`), value.toFixed(1));
  }
});

Deno.test("the page of the sample has its truth and its effects", async () => {
  const path = new URL("docs/sample.md", ROOT);
  const text = await Deno.readTextFile(path);
  const tables = { truth: TRUTH_TABLE, planted: PLANTED_TABLE };
  const updated = Object.entries(tables).reduce((text, [name, table]) => {
    const [begin, end] = ["begin", "end"].map((side) => `<!-- ${name}: ${side} -->`);
    return `${text.split(begin!)[0]}${begin}\n\n${table}\n\n${end}${text.split(end!)[1]}`;
  }, text);
  // Only new cells are written: an equal table keeps its alignment.
  if (!UPDATE) deepStrictEqual(cellsIn(text), cellsIn(updated));
  else if (cellsIn(text) !== cellsIn(updated)) await Deno.writeTextFile(path, updated);
});

/** The text without the blanks with which `deno fmt` aligns tables. */
function cellsIn(text: string): string {
  return text.replace(/ +\||-{3,}\|?/g, "|").replace(/\| +/g, "|");
}
