import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  categories,
  categoryTags,
  dictionaryPage,
  formatted,
  llmsText,
  makeEntries,
  optionsPage,
} from "./make_entries.ts";
import type { Entries } from "../../lib/help/entries.ts";
import * as chainframe from "../../mod.ts";

const ROOT = new URL("../../", import.meta.url);

/** One line for each entry, so that a diff shows what changed. */
function lines(entries: Entries): string {
  const lists = Object.entries(entries).map(([name, list]: [string, readonly unknown[]]) =>
    `${JSON.stringify(name)}: [\n${list.map((entry) => JSON.stringify(entry)).join(",\n")}\n]`
  );
  return `{\n${lists.join(",\n")}\n}\n`;
}

Deno.test("entries.json, docs/dictionary.md and llms.txt are current: deno task entries writes them", async () => {
  const entries = await makeEntries();
  const pages = {
    "lib/help/entries.json": lines(entries),
    "docs/dictionary.md": await formatted(dictionaryPage(entries)),
    "docs/options.md": await formatted(optionsPage(entries)),
    "llms.txt": await llmsText(entries),
  };
  for (const [path, text] of Object.entries(pages)) {
    const url = new URL(path, ROOT);
    if (Deno.args.includes("--update")) await Deno.writeTextFile(url, text);
    strictEqual(await Deno.readTextFile(url), text, `${path} is old: run deno task entries`);
  }
});

Deno.test("every public value of mod.ts is under a heading", async () => {
  const known = await categories();
  deepStrictEqual(Object.keys(chainframe).filter((name) => !known.has(name)), []);
});

Deno.test("the @category of every public name equals its heading in mod.ts", async () => {
  const tags = await categoryTags();
  const wrong = [...await categories()].filter(([name, heading]) => tags.get(name) !== heading);
  deepStrictEqual(wrong.map(([name, heading]) => `${name}: ${tags.get(name)}, not ${heading}`), []);
});
