import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Main } from "../../scripts/cli/script.ts";
import { main as fetchMain } from "../../scripts/fetch.ts";
import { inFolder } from "./run_script.ts";

const SCRIPTS = [
  ...["archive", "build", "chain_comparison", "cohort_retention", "demo", "fetch"],
  ...["init", "notebook", "sample", "serve", "timeline"],
];

/** Calls `main` in this process; returns its exit code and what it wrote. */
async function call(main: Main, args: readonly string[], signal?: AbortSignal) {
  const written = { stdout: "", stderr: "" };
  const decoder = new TextDecoder();
  const io = {
    stdout: {
      write: (bytes: Uint8Array) => {
        written.stdout += decoder.decode(bytes);
        return Promise.resolve(bytes.length);
      },
      isTerminal: () => false,
    },
    stderr: {
      writeSync: (bytes: Uint8Array) => {
        written.stderr += decoder.decode(bytes);
        return bytes.length;
      },
      isTerminal: () => false,
    },
    ...signal === undefined ? {} : { signal },
  };
  return { code: await main(args, io), ...written };
}

Deno.test("main of every script returns an exit code, and does not exit", async () => {
  for (const name of SCRIPTS) {
    const { main } = await import(`../../scripts/${name}.ts`) as { main: Main };
    const help = await call(main, ["--help"]);
    deepStrictEqual([help.code, help.stderr], [0, ""], name);
    match(help.stdout, new RegExp(`\n\nUsage\n  ${name}\\.ts`));
    const wrong = await call(main, ["--no-such-option"]);
    deepStrictEqual([wrong.code, wrong.stdout], [2, ""], name);
    match(wrong.stderr, /--no-such-option: unknown option; --help/);
  }
});

Deno.test("main of fetch.ts writes a frame to stdout, and returns 130 after an abort", async () => {
  const args = ["blockchain_comparison", "--limit", "2", "--order-by", "chain_id"];
  const { code, stdout } = await call(fetchMain, args);
  strictEqual(code, 0);
  strictEqual(stdout.trim().split("\n").length, 3);
  const aborted = await call(fetchMain, args, AbortSignal.abort());
  deepStrictEqual([aborted.code, aborted.stdout], [130, ""]);
});

Deno.test("main of init.ts writes the tasks", () =>
  inFolder(async (folder) => {
    const { main } = await import("../../scripts/init.ts");
    strictEqual((await call(main, [`${folder}/mine`])).code, 0);
    const { tasks } = JSON.parse(await Deno.readTextFile(`${folder}/mine/deno.json`));
    deepStrictEqual(Object.keys(tasks), [
      ...["first", "notebook", "fetch", "pipe", "compare", "retention"],
      ...["timeline", "report", "check", "verify", "mcp"],
    ]);
    const page = await Deno.readTextFile(`${folder}/mine/README.md`);
    for (const name of Object.keys(tasks)) ok(page.includes(`deno task ${name}`), name);
    for (const { command } of Object.values(tasks) as { command: string }[]) {
      const [, url] = / (file:\S+)$/.exec(command) ?? [];
      if (url !== undefined) ok((await Deno.stat(new URL(url))).isFile, command);
    }
  }));
