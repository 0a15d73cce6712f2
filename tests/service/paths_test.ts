import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { buildData } from "../../lib/service/mod.ts";
import { inFolder } from "../in_folder.ts";
import { buildFromNames, chainIn, writeNamed } from "./named_folders.ts";

Deno.test("a folder with special characters is built, not one that matches them as a pattern", () =>
  buildFromNames(["facts[1]"]));

Deno.test("~ is a folder of that name, and not the home folder", () =>
  inFolder(async (folder) => {
    await writeNamed(`${folder}/~/facts`, "tilde");
    const program = `
      const { buildData } = await import(${
      JSON.stringify(
        new URL("../../lib/service/mod.ts", import.meta.url).href,
      )
    });
      await buildData({ facts: "~/facts", out: "~/data.duckdb" });`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", program],
      cwd: folder,
      env: { HOME: `${folder}/home` },
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    equal(await chainIn(`${folder}/~/data.duckdb`), "tilde");
  }));

Deno.test("paths that the database cannot open are refused before a build", () =>
  inFolder(async (folder) => {
    await writeNamed(`${folder}/a\\[b`, "refused");
    const out = `${folder}/data.duckdb`;
    await rejects(
      buildData({ facts: `${folder}/a\\[b`, out }),
      /with a backslash and one of/,
    );
    await writeNamed(`${folder}/facts`, "kept");
    const asked = buildData({ facts: `${folder}/facts`, out: `${folder}/a?b.duckdb` });
    await rejects(asked, /DuckDB reads the text after a question mark as options/);
    equal([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["a\\[b", "facts"]);
  }));
