import { deepStrictEqual, match } from "node:assert/strict";
import { inFolder, spawnScript } from "./run_script.ts";

Deno.test("a script runs as a process, with the permissions of its first line and an exit code", () =>
  inFolder(async (cwd) => {
    const made = await spawnScript("init.ts", ["mine"], { cwd });
    deepStrictEqual(made.code, 0, made.stderr);
    deepStrictEqual([...Deno.readDirSync(cwd)].map(({ name }) => name), ["mine"]);
    const wrong = await spawnScript("notebook.ts", ["now"], { cwd });
    deepStrictEqual(wrong.code, 2);
    match(wrong.stderr, /^notebook\.ts: [^\n]+\n$/m);
  }));
