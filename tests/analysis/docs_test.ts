import { deepEqual, ok, strictEqual } from "node:assert/strict";
import { formatted } from "../help/make_entries.ts";

const ROOT = new URL("../../", import.meta.url);
const LIB = new URL("lib/analysis/", ROOT);
const COLUMNS = new URL("docs/columns.md", ROOT);

async function* texts(folder = LIB): AsyncGenerator<[name: string, text: string]> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* texts(new URL(`${name}/`, folder));
    else yield [name, await Deno.readTextFile(new URL(name, folder))];
  }
}

/** The functions of lib/analysis that mod.ts exports, in its order. */
async function functions(): Promise<string[]> {
  const module = await Deno.readTextFile(new URL("mod.ts", ROOT));
  const lists = [...module.matchAll(/^export \{([^}]*)\} from "\.\/lib\/analysis\//gm)];
  return lists.flatMap(([, list]) => list!.split(",").map((name) => name.trim()))
    // Names of types and constants begin with a capital.
    .filter((name) => /^[a-z]\w*$/.test(name));
}

/** The first line and the tables of the doc comment of each function of lib/analysis. */
async function documented(): Promise<Map<string, { summary: string; tables: string[] }>> {
  const found = new Map<string, { summary: string; tables: string[] }>();
  for await (const [, text] of texts()) {
    const comments = text.matchAll(
      /^\/\*\*\n((?: \*.*\n)+?) \*\/\nexport (?:async )?function (\w+)/gm,
    );
    for (const [, comment, name] of comments) {
      const lines = comment!.split("\n").map((line) => line.replace(/^ \* ?/, ""));
      const blank = lines.indexOf("");
      const tables = lines.map((line) => line.startsWith("|") ? line : "").join("\n")
        .split(/\n{2,}/).map((table) => table.trim()).filter((table) => table !== "");
      found.set(name!, { summary: lines.slice(0, blank).join(" "), tables });
    }
  }
  return found;
}

/** The page docs/columns.md, before deno fmt. */
async function columnsPage(): Promise<string> {
  const comments = await documented();
  const sections = (await functions()).flatMap((name) => {
    const { summary, tables } = comments.get(name) ?? { summary: "", tables: [] };
    if (tables.length === 0) return [];
    const named = tables.map((table) => table.replace(/\| *\|$/m, "| meaning |"));
    return [
      `## ${name}\n\n${summary.replaceAll("{@linkcode ", "`").replaceAll("}", "`")}\n\n${
        named.join("\n\n")
      }\n`,
    ];
  });
  return [
    "# Columns of analyses\n",
    "<!-- Generated from doc comments by `deno task entries`. -->\n",
    "Columns that each analysis returns or adds. [Analysis](analysis.md) explains when to use which.\n",
    ...sections,
  ].join("\n");
}

Deno.test("docs/columns.md has the tables of every doc comment: deno task entries writes it", async () => {
  const page = await formatted(await columnsPage());
  if (Deno.args.includes("--update")) await Deno.writeTextFile(COLUMNS, page);
  strictEqual(
    await Deno.readTextFile(COLUMNS),
    page,
    "docs/columns.md is old: run deno task entries",
  );
  ok(page.match(/^\| -/gm)!.length >= 13);
});

Deno.test("every table of a doc comment of lib/analysis is on docs/columns.md", async () => {
  const spaced = (row: string) => row.replace(/\s+/g, " ").trim();
  const page = await Deno.readTextFile(COLUMNS);
  const rows = new Set(page.split("\n").filter((line) => line.startsWith("|")).map(spaced));
  for await (const [name, text] of texts()) {
    const lines = text.split("\n").filter((line) => line.startsWith(" * |"))
      .map((line) => spaced(line.slice(3)));
    const isRule = (row: string) => /^\|[-| ]+\|$/.test(row);
    const isHead = (row: string) => /\| *\|$/.test(row);
    deepEqual(lines.filter((row) => !isRule(row) && !isHead(row) && !rows.has(row)), [], name);
  }
});

Deno.test("docs/analysis.md states the limits of every function", async () => {
  const names = await functions();
  ok(names.length >= 16, `${names}`);
  const page = await Deno.readTextFile(new URL("docs/analysis.md", ROOT));
  const sections = page.split(/^## /m).slice(1);
  for (const name of names) {
    const [section] = sections.filter((text) =>
      new RegExp(`\\b${name}\\b`).test(text.split("\n")[0]!)
    );
    ok(section?.includes("**Limits.**"), name);
  }
});
