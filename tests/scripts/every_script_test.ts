// deno-lint-ignore-file no-control-regex -- colors are what some of it is about
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname } from "node:path";
import { firstLine, inFolder, runCommand, runOnTerminal, runScript } from "./run_script.ts";

const SCRIPTS = [
  "archive.ts",
  "build.ts",
  "chain_comparison.ts",
  "check.ts",
  "cohort_retention.ts",
  "fetch.ts",
  "init.ts",
  "mcp.ts",
  "notebook.ts",
  "pipe.ts",
  "probe.ts",
  "report.ts",
  "sample.ts",
  "serve.ts",
  "timeline.ts",
  "verify.ts",
];
const PATH = new URL("../../scripts/", import.meta.url).pathname;
const { version } = JSON.parse(await Deno.readTextFile(`${PATH}../deno.json`));

Deno.test("every script but the demo has a first line with which a shell can run it", async () => {
  const files = Array.from(Deno.readDirSync(PATH)).filter(({ isFile }) => isFile);
  const runnable = files.map(({ name }) => name).filter((name) =>
    Deno.readTextFileSync(PATH + name).startsWith("#!")
  );
  deepStrictEqual(runnable.sort(), SCRIPTS);
  for (const script of SCRIPTS) {
    const mode = (await Deno.stat(PATH + script)).mode! & 0o111;
    strictEqual(mode, 0o111, `${script} cannot be executed`);
    // Linux reads 255 characters of a first line.
    const [line] = Deno.readTextFileSync(PATH + script).split("\n", 1);
    ok(firstLine(script).length > 2 && line!.length <= 255, script);
  }
});

Deno.test("mcp.ts is run by its path from any folder, with the packages of its own lock", () =>
  inFolder(async (cwd) => {
    await Deno.symlink(new URL("../../", import.meta.url), `${cwd}/a folder`);
    const path = `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`;
    for (const file of [`${PATH}mcp.ts`, "./a folder/scripts/mcp.ts"]) {
      const { code, stdout, stderr } = await runCommand([file, "--version"], {
        cwd,
        env: { PATH: path },
      });
      deepStrictEqual([code, stdout, stderr], [0, `mcp.ts ${version}\n`, ""], file);
    }
  }));

Deno.test("every script prints --help in 80 columns with examples, and --version", async () => {
  for (const script of SCRIPTS) {
    const { code, stdout, stderr } = await runScript(script, ["--help"]);
    deepStrictEqual([code, stderr], [0, ""]);
    deepStrictEqual(stdout.split("\n").filter((line) => Array.from(line).length > 80), [], script);
    match(
      stdout,
      new RegExp(`\n\nUsage\n  ${script} [^]*\nGeneral\n[^]*\nExamples\n  # [^]*\nExit codes\n`),
    );
    if (script === "fetch.ts") strictEqual((await runScript(script, ["-h"])).stdout, stdout);
    const told = await runScript(script, ["--version"]);
    deepStrictEqual([told.code, told.stdout, told.stderr], [0, `${script} ${version}\n`, ""]);
  }
});

Deno.test("help and errors are colored in a terminal, unless NO_COLOR is set", async () => {
  const colored = await runOnTerminal("fetch.ts", ["nonsense"]);
  match(colored.screen, /^\x1b\[1mfetch\.ts\x1b\[22m: \x1b\[31mOPERATION: .*\x1b\[39m\n$/);
  const plain = await runOnTerminal("fetch.ts", ["nonsense"], { env: { NO_COLOR: "1" } });
  deepStrictEqual([plain.code, plain.screen.includes("\x1b")], [2, false]);
  const help = await runOnTerminal("fetch.ts", ["--help"]);
  ok(help.screen.includes("\x1b[1mUsage\x1b[22m"));
});
