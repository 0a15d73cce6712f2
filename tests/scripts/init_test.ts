import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { firstLine, inFolder, runCommand, runScript, testEveryOption } from "./run_script.ts";

const INIT = "init.ts";
const FILES = [
  ".env",
  ".env.example",
  ".gitignore",
  "README.md",
  "colors.json",
  "deno.json",
  "first.ipynb",
  "first.ts",
];
const FOLDERS = ["out"];

Deno.test("init.ts creates a folder in which the task of the first script runs", () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await runScript(INIT, ["mine"], { cwd: folder });
    deepStrictEqual([code, stderr.match(/^written: mine\//gm)?.length], [0, FILES.length]);
    match(stdout, /^cd mine && deno task first/);
    const there = [...Deno.readDirSync(`${folder}/mine`)].map(({ name }) => name);
    deepStrictEqual(there.sort(), [...FILES, ...FOLDERS]);
    match(await Deno.readTextFile(`${folder}/mine/.gitignore`), /^\*\.part$/m);
    strictEqual((await Deno.stat(`${folder}/mine/.env`)).mode! & 0o777, 0o600);
    const first = await runCommand([Deno.execPath(), "task", "first"], { cwd: `${folder}/mine` });
    strictEqual(first.code, 0, first.stderr);
    match(first.stdout, /US\$\nAlder [^]*SAMPLE DATA/);
    match(await Deno.readTextFile(`${folder}/mine/out/fees.svg`), /^<svg/);
    const { tasks } = JSON.parse(await Deno.readTextFile(`${folder}/mine/deno.json`));
    strictEqual(tasks.first.command, "deno run -A first.ts");
    for (
      const [name, script] of [["fetch", "fetch.ts"], ["verify", "verify.ts"], [
        "mcp",
        "mcp.ts",
      ]] as const
    ) {
      const flags = firstLine(script).join(" ").replace(/(-E=\S+|(?<=-c )\S+)/g, '"$1"');
      ok(tasks[name].command.startsWith(`deno ${flags} file://`), tasks[name].command);
    }
    const mcp = await runCommand([Deno.execPath(), "task", "mcp", "--version"], {
      cwd: `${folder}/mine`,
    });
    match(mcp.stdout, /^mcp\.ts \d/, mcp.stderr);
    const own = `${folder}/mine/own.csv`;
    await Deno.writeTextFile(own, "date,tree,fees\n2025-01-01,oak,3\n2025-01-01,elm,1\n");
    const pipe = [
      "task",
      "pipe",
      "own.csv",
      "+",
      "shares",
      "--field",
      "fees",
      "+",
      "select",
      "share",
    ];
    const piped = await runCommand([Deno.execPath(), ...pipe], { cwd: `${folder}/mine` });
    deepStrictEqual([piped.code, piped.stdout], [0, "share\n0.75\n0.25\n"], piped.stderr);
    // The tasks keep the colors of ids that they draw.
    await Deno.writeTextFile(`${folder}/mine/colors.json`, '{"market_sector_id":{"lending":3}}');
    const args = ["task", "retention", "--by", "market_sector_id", "--out", "out/sectors.svg"];
    const drawn = await runCommand([Deno.execPath(), ...args], { cwd: `${folder}/mine` });
    strictEqual(drawn.code, 0, drawn.stderr);
    const colors = JSON.parse(await Deno.readTextFile(`${folder}/mine/colors.json`));
    strictEqual(colors.market_sector_id.lending, 3);
    ok(Object.keys(colors.market_sector_id).length > 3);
  }));

Deno.test("init.ts keeps existing files with a notice, and works next to and below a package.json", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/package.json`, "{}");
    await Deno.mkdir(`${folder}/mine`);
    await Deno.writeTextFile(`${folder}/mine/package.json`, "{}");
    await Deno.writeTextFile(`${folder}/mine/first.ts`, "console.log('mine')\n");
    const { code, stderr } = await runScript(INIT, [`${folder}/mine`]);
    strictEqual(code, 0);
    match(stderr, /^kept: .*\/mine\/first\.ts$/m);
    match(stderr, /^.*\/mine\/package\.json: Deno also reads this file\./m);
    strictEqual(await Deno.readTextFile(`${folder}/mine/first.ts`), "console.log('mine')\n");
    const own =
      'import { pl } from "@chainframe/chainframe"; console.log(pl.DataFrame({ a: [6] }).width);';
    await Deno.writeTextFile(`${folder}/mine/own.ts`, own);
    const options = { cwd: `${folder}/mine` };
    const ran = await runCommand([Deno.execPath(), "run", "-A", "own.ts"], options);
    deepStrictEqual([ran.code, ran.stdout], [0, "1\n"]);
  }));

Deno.test("init.ts prints one line for wrong arguments", async () => {
  for (
    const [args, told] of [
      [[], "FOLDER: is required, such as my-research"],
      [["a", "b"], "FOLDER: expected one; got also b"],
    ] as const
  ) {
    const { code, stderr } = await runScript(INIT, args);
    deepStrictEqual([code, stderr], [2, `init.ts: ${told}\n`]);
  }
});

testEveryOption(INIT);
