import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { connect } from "../../mod.ts";
import { multichain, pictures } from "../../scripts/demo.ts";
import { inFolder } from "../scripts/run_script.ts";
import { BLOCKS, ROOT, runModules, writeBlocks } from "./blocks.ts";

const FOLDER = new URL("docs/pictures/", ROOT);

/** `UPDATE_GALLERY=1` draws the pictures anew: look at them before you commit them. */
const UPDATE = Deno.env.get("UPDATE_GALLERY") === "1";

const README = await Deno.readTextFile(new URL("README.md", ROOT));
const connection = connect({ envFile: false });

/** Wide and narrow pictures, in both themes. README.md shows the narrow ones on phones. */
const LOOKS = [["light", 800], ["dark", 800], ["light", 360], ["dark", 360]] as const;

Deno.test("the pictures of README.md are those of the demo, in both themes and widths", async () => {
  const names = new Set<string>();
  for (const [theme, width] of LOOKS) {
    for (const [name, chart] of Object.entries(await pictures({ theme, width, connection }))) {
      const file = `${name}${width < 800 ? "_narrow" : ""}${theme === "dark" ? "_dark" : ""}.svg`;
      names.add(file);
      const svg = await chart.svg();
      if (UPDATE) await Deno.writeTextFile(new URL(file, FOLDER), svg);
      strictEqual(svg, await Deno.readTextFile(new URL(file, FOLDER)), file);
    }
  }
  deepStrictEqual([...Deno.readDirSync(FOLDER)].map(({ name }) => name).sort(), [...names].sort());
  const shown = README.matchAll(/docs\/pictures\/(\w+\.svg)/g);
  deepStrictEqual([...shown].map(([, file]) => file!).sort(), [...names].sort());
});

/** The description of the picture, which has its title, its groups and their values. */
function labelOf(svg: string): string | undefined {
  return /aria-label="([^"]+)"/.exec(svg)?.[1];
}

Deno.test("the blocks of README.md write the pictures below them", () =>
  inFolder(async (folder) => {
    const blocks = BLOCKS.filter(({ file, code }) => file === "README.md" && /\.svg"/.test(code));
    await runModules(await writeBlocks(folder, blocks), folder);
    for (const name of ["retention.svg", "comparison.svg"]) {
      const [drawn, kept] = await Promise.all(
        [`${folder}/${name}`, new URL(name, FOLDER)].map((path) => Deno.readTextFile(path)),
      );
      ok(labelOf(kept!) !== undefined);
      strictEqual(labelOf(drawn!), labelOf(kept!));
    }
  }));

Deno.test("README.md and its first picture state the effect after the exploit, from its data", async () => {
  const rows = (await multichain()).toRecords() as Record<string, unknown>[];
  const later = rows.filter(({ role, row, date }) =>
    role === "treated" && row === "date" && (date as Date) >= new Date("2023-07-10")
  );
  ok(later.length > 20);
  const sum = (name: string) => later.reduce((all, row) => all + Number(row[name]), 0);
  const below = `${Math.round(100 * (1 - sum("observed") / sum("expected")))}%`;
  const [, stated] = /deposits on Fantom were (\d+%) below\s+what eight other chains predict/.exec(
    README,
  )!;
  strictEqual(stated, below);
  const svg = await Deno.readTextFile(new URL("fantom.svg", FOLDER));
  const words = svg.replace(/<style>[^]*?<\/style>/g, "").replace(/<[^>]+>|\s+/g, " ").replace(
    / +/g,
    " ",
  );
  ok(words.includes(`deposits on Fantom were ${below} below`), words);
  for (const label of ["rumors", "exploit", "observed", "expected"]) {
    ok(words.includes(label), label);
  }
  match(words, /Source: DefiLlama, as collected by Open Source Observer/);
  ok(!/SAMPLE/.test(words));
  const notebook = await Deno.readTextFile(new URL("notebooks/real_events.ipynb", ROOT));
  ok(notebook.includes(`After the exploit, deposits on Fantom were ${below} below`));
});

Deno.test("README.md and CITATION.cff state the version of the package", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const citation = await Deno.readTextFile(new URL("CITATION.cff", ROOT));
  match(citation, new RegExp(`^version: ${version.replaceAll(".", "\\.")}$`, "m"));
  ok(README.includes(`Version ${version},`));
});
