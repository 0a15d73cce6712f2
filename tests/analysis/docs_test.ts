import { deepEqual, ok } from "node:assert/strict";

const LIB = new URL("../../lib/analysis/", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("../../docs/analysis.md", import.meta.url));

const spaced = (row: string) => row.replace(/\s+/g, " ").trim();
const rows = new Set(PAGE.split("\n").filter((line) => line.startsWith("|")).map(spaced));

Deno.test("docs/analysis.md has the table of columns of every doc comment", async () => {
  let tables = 0;
  for await (const { name } of Deno.readDir(LIB)) {
    const text = await Deno.readTextFile(new URL(name, LIB));
    const lines = text.split("\n").filter((line) => line.startsWith(" * |"))
      .map((line) => spaced(line.slice(3)));
    const isRule = (row: string) => /^\|(-+\|)+$/.test(row);
    deepEqual(lines.filter((row) => !isRule(row) && !rows.has(row)), [], name);
    tables += lines.filter(isRule).length;
  }
  ok(tables >= 13, `${tables}`);
});

Deno.test("docs/analysis.md says for each function what it does not say", async () => {
  const module = await Deno.readTextFile(new URL("../../mod.ts", import.meta.url));
  const lists = [...module.matchAll(/^export \{([^}]*)\} from "\.\/lib\/analysis\//gm)];
  const names = lists.flatMap(([, list]) => list!.split(",").map((name) => name.trim()))
    // What is no type and no constant is a function.
    .filter((name) => /^[a-z]\w*$/.test(name));
  ok(names.length >= 16, `${names}`);
  const sections = PAGE.split(/^## /m).slice(1);
  for (const name of names) {
    const [section] = sections.filter((text) =>
      new RegExp(`\\b${name}\\b`).test(text.split("\n")[0]!)
    );
    ok(section?.includes("**What this does not say.**"), name);
  }
});
