import { inFolder } from "../../in_folder.ts";
import { chainIn, writeNamed } from "../../service/named_folders.ts";
import { deepStrictEqual as equal } from "node:assert/strict";
import { buildData } from "../../../lib/service/mod.ts";

const ODD = [
  "facts[1]",
  "facts*",
  "run=5",
  "a'b",
  "a\\b",
  "a{b,c}",
  "%41",
  "a[!b-c]",
];

Deno.test("a folder with special characters is built, not one that matches them as a pattern", () =>
  inFolder(async (folder) => {
    for (const name of ["facts1", "factsX", "A", "ab"]) {
      await writeNamed(`${folder}/${name}`, "decoy");
    }
    for (const name of ODD) {
      await writeNamed(`${folder}/${name}`, name);
      const out = `${folder}/${name}/data.duckdb`;
      await buildData({ facts: `${folder}/${name}`, out });
      equal(await chainIn(out), name);
    }
    await writeNamed(`${folder}/what?`, "what");
    await buildData({ facts: `${folder}/what?`, out: `${folder}/what.duckdb` });
    equal(await chainIn(`${folder}/what.duckdb`), "what");
  }));
