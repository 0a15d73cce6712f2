import { deepEqual, ok } from "node:assert/strict";

const LIB = new URL("../../lib/analysis/", import.meta.url);
const PAGE = await Deno.readTextFile(new URL("../../docs/analysis.md", import.meta.url));

const spaced = (row: string) => row.replace(/\s+/g, " ").trim();
const rows = new Set(PAGE.split("\n").filter((line) => line.startsWith("|")).map(spaced));

Deno.test("docs/analysis.md has the table of columns of every doc comment", async () => {
  let tables = 0;
  for await (const { name } of Deno.readDir(LIB)) {
    const text = await Deno.readTextFile(new URL(name, LIB));
    const table = text.split("\n").filter((line) => line.startsWith(" * |"))
      .map((line) => spaced(line.slice(3))).filter((row) => !/^\|(-+\|)+$/.test(row));
    deepEqual(table.filter((row) => !rows.has(row)), [], name);
    if (table.length > 0) tables += 1;
  }
  ok(tables >= 12, `${tables}`);
});

Deno.test("docs/analysis.md says for each function what it does not say", async () => {
  const module = await Deno.readTextFile(new URL("../../mod.ts", import.meta.url));
  const names = [...module.matchAll(/"\.\/lib\/analysis\/(\w+)\.ts"/g)].map(([, file]) => file!)
    .filter((file) => !["pooled_groups", "retention_models", "retention_unit"].includes(file))
    .map((file) => file.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  ok(names.length >= 14, `${names}`);
  const sections = PAGE.split(/^## /m).slice(1);
  for (const name of names) {
    const [section] = sections.filter((text) =>
      new RegExp(`\\b${name}\\b`).test(text.split("\n")[0]!)
    );
    ok(section?.includes("**What this does not say.**"), name);
  }
});
