import { deepStrictEqual, match, ok } from "node:assert/strict";
import { PLANTED } from "../../lib/service/sample/entities.ts";
import { PLANTED_TABLE, SECTORS, TRUTH_TABLE, truthOf } from "../analysis/sample_truth.ts";
import { inFolder, runCommand } from "../scripts/run_script.ts";

const ROOT = new URL("../../", import.meta.url);

/** `deno task entries` writes what the blocks print now. */
const UPDATE = Deno.args.includes("--update");

/** A block of code, and the text block below it. */
const PRINTED = /```ts\n((?:(?!```)[^])*)```\n\n```text\n((?:(?!```)[^])*)```/g;

/** Runs blocks of code in one process, and returns what each prints. */
async function printsOf(codes: readonly string[]): Promise<string[]> {
  let printed: string[] = [];
  await inFolder(async (folder) => {
    for (const [at, code] of codes.entries()) await Deno.writeTextFile(`${folder}/${at}.ts`, code);
    const main = codes.map((_, at) => `await import("./${at}.ts"); console.log("\\0");`);
    const vendors = `import "${ROOT.pathname}tests/docs/vendors.ts";`;
    await Deno.writeTextFile(`${folder}/main.ts`, [vendors, ...main].join("\n"));
    const config = `--config=${ROOT.pathname}deno.json`;
    const { stdout, stderr, code } = await runCommand(
      [Deno.execPath(), "run", "-A", "--no-check", config, "main.ts"],
      { cwd: folder },
    );
    ok(code === 0, stderr);
    printed = stdout.split("\0\n").slice(0, -1);
  });
  return printed;
}

for (const page of ["README.md", "docs/tutorial.md", "docs/sample.md", "docs/importing.md"]) {
  Deno.test(`the text blocks of ${page} are what the code above them prints`, async () => {
    const path = new URL(page, ROOT);
    const text = await Deno.readTextFile(path);
    const found = [...text.matchAll(PRINTED)];
    ok(found.length > 0);
    const printed = await printsOf(found.map(([, code]) => code!));
    const updated = found.reduce(
      (text, [block, , old], at) =>
        text.replace(block, () => `${block.slice(0, -3 - old!.length)}${printed[at]}\`\`\``),
      text,
    );
    if (UPDATE) await Deno.writeTextFile(path, updated);
    else deepStrictEqual(text, updated);
  });
}

Deno.test("the tutorial has the truth of the sample, and README the planted effect", async () => {
  const truth = (id: string) =>
    100 * truthOf(SECTORS.find(({ market_sector_id }) => market_sector_id === id)!, 6);
  const [lending, exchanges] = [truth("lending"), truth("exchanges-dex")];
  const tutorial = (await Deno.readTextFile(new URL("docs/tutorial.md", ROOT))).replace(
    /\s+/g,
    " ",
  );
  for (const value of [lending, exchanges, lending - exchanges]) {
    ok(tutorial.includes(` ${value.toFixed(1)}`), value.toFixed(1));
  }
  match(
    (await Deno.readTextFile(new URL("README.md", ROOT))).replace(/\s+/g, " "),
    new RegExp(`raised by ${Math.round(100 * (PLANTED.deposits.factor - 1))}%`),
  );
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
