import { deepStrictEqual } from "node:assert/strict";
import { openFrame } from "../../../mod.ts";
import { inFolder } from "../../in_folder.ts";

Deno.test("a list beside very many members of JSON is read", () =>
  inFolder(async (folder) => {
    const members = Array.from({ length: 150_000 }, (_, at) => [`m${at}`, at]);
    const path = `${folder}/members.json`;
    await Deno.writeTextFile(
      path,
      JSON.stringify({ data: [{ a: 1 }, { a: 2 }], ...Object.fromEntries(members) }),
    );
    deepStrictEqual((await openFrame(path, { rows: "data" })).rows(), [[1], [2]]);
  }));
