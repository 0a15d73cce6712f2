import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { sampleFolder } from "../../lib/service/sample/sample_file.ts";
import { firstLine, inFolder, runCommand } from "../scripts/run_script.ts";

const ROOT = new URL("../../", import.meta.url);
const MOD = new URL("mod.ts", ROOT).href;
const PAGE = await Deno.readTextFile(new URL("docs/permissions.md", ROOT));
const ALWAYS = ["--allow-ffi", "--allow-sys", "--allow-read"];

/** The rows of the table: a command, and its flags. */
const ROWS = new Map(
  [...PAGE.matchAll(/^\| `?(.+?)`? +\| (.+?) +\|$/gm)].slice(2)
    .map(([, command, flags]) => [
      command!,
      [...flags!.matchAll(/`(--[^`]+)`/g)].map(([, flag]) => flag!),
    ]),
);

const FRAME = 'const frame = cf.pl.DataFrame({ place: ["a", "b"], fees: [1, 2] });';
const ASK = "console.log((await cf.blockchainComparison({}, connection)).height);";
const CONNECTED = (options: string) =>
  `const connection = cf.connect({ baseUrl, token: "t", ${options} }); ${ASK}`;

/** A program for each row that is code, or the arguments of a script. It prints its last line. */
const PROGRAMS: Readonly<Record<string, { readonly code?: string; readonly prints: RegExp }>> = {
  'openFrame("fees.csv")': {
    code: 'console.log((await cf.openFrame("fees.csv")).height);',
    prints: /^2$/,
  },
  "plotComparison(frame).png()": {
    code: `${FRAME} console.log((await cf.plotComparison(frame).png()).length > 0);`,
    prints: /^true$/,
  },
  'save(frame, "out/fees.csv")': {
    code:
      `${FRAME} for (const force of [false, true]) await cf.save(frame, "out/fees.csv", { force });
      console.log("saved");`,
    prints: /^saved$/,
  },
  'connect({ lock: "out/data.lock" })': {
    code: CONNECTED('lock: "out/data.lock"'),
    prints: /^1$/,
  },
  'connect({ cache: { dir: "out" } })': {
    code: CONNECTED('cache: { dir: "out", maxAge: 0 }') + ASK,
    prints: /^1$/,
  },
  "connect({ baseUrl, token })": { code: CONNECTED(""), prints: /^1$/ },
  "connect()": {
    code: `const connection = cf.connect(); ${ASK}`,
    prints: /^1$/,
  },
  "sample data": {
    code: "const connection = cf.connect({ envFile: false }); " +
      "console.log((await cf.cohortAnalysis({ limit: 3 }, connection)).height);",
    prints: /^3$/,
  },
  "scripts/check.ts fees.csv": { prints: /^place,field/ },
  "scripts/pipe.ts fees.csv + head 3": { prints: /^b,2$/ },
  "scripts/verify.ts june.html": { prints: /^not computed again/ },
  "scripts/fetch.ts blockchain_comparison --out out/chains.csv": { prints: /^$/ },
  "scripts/archive.ts out --verify": { prints: /\d/ },
};

Deno.test("every row of the table of permissions is run", () => {
  deepStrictEqual([...ROWS.keys()], Object.keys(PROGRAMS));
});

for (const [command, flags] of ROWS) {
  const { code, prints } = PROGRAMS[command] ?? { prints: /^/ };
  Deno.test(`permissions: ${command} needs no more than the page says`, () =>
    inFolder(async (cwd) => {
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        () => Response.json({ data: [{ chain_id: "a", ecosystem_fees_1d_sum: 1 }] }),
      );
      const host = `127.0.0.1:${server.addr.port}`;
      try {
        await Deno.mkdir(`${cwd}/out`);
        await Deno.writeTextFile(`${cwd}/fees.csv`, "place,fees\na,1\nb,2\n");
        await Deno.writeTextFile(`${cwd}/june.html`, "<title>June</title>");
        await Deno.writeTextFile(
          `${cwd}/own.ts`,
          `import * as cf from "${MOD}";\nconst baseUrl = "http://${host}";\n${code}`,
        );
        const given = flags.map((flag) =>
          flag.replace("HOST", host).replace("CACHE", sampleFolder()!)
        );
        const [script, ...args] = command.split(" ");
        const words = code === undefined ? [new URL(script!, ROOT).pathname, ...args] : ["own.ts"];
        const env: Record<string, string> = command === "sample data"
          ? {}
          : { CHAINFRAME_BASE_URL: `http://${host}`, CHAINFRAME_TOKEN: "t" };
        const { code: ended, stdout, stderr } = await runCommand(
          [Deno.execPath(), "run", "--no-prompt", "--no-check", ...ALWAYS, ...given, ...words],
          { cwd, env },
        );
        const isFound = command.includes("verify.ts");
        strictEqual(ended, isFound ? 1 : 0, stderr);
        match(stdout.trim().split("\n").at(command.includes("check") ? 0 : -1)!, prints, stderr);
        strictEqual(/NotCapable|Requires/.test(stderr), false, stderr);
      } finally {
        await server.shutdown();
      }
    }));
}

Deno.test("verify.ts is given neither network nor write access; check.ts gives both up for a file", () =>
  inFolder(async (cwd) => {
    deepStrictEqual(firstLine("verify.ts").filter((word) => /^-[WN]/.test(word)), []);
    await Deno.writeTextFile(`${cwd}/fees.csv`, "place,fees\na,1\n");
    // A module that is loaded before the script stands for code that a file would run.
    await Deno.writeTextFile(
      `${cwd}/watch.ts`,
      `addEventListener("unload", () => {
        for (const name of ["net", "write"] as const) {
          console.error(name, Deno.permissions.querySync({ name }).state);
        }
      });`,
    );
    const states = async (...args: string[]) => {
      const words = ["run", "--preload", "watch.ts", ...firstLine("check.ts").slice(1)];
      const script = new URL("scripts/check.ts", ROOT).pathname;
      const { stderr } = await runCommand([Deno.execPath(), ...words, script, ...args], { cwd });
      return [...stderr.matchAll(/^(?:net|write) (\w+)$/gm)].map(([, state]) => state);
    };
    // A revoked permission could be given again in a terminal. The first line has --no-prompt.
    deepStrictEqual(await states("fees.csv"), ["prompt", "prompt"]);
    deepStrictEqual(await states("fees.csv", "--out", "found.csv"), ["prompt", "granted"]);
    deepStrictEqual(await states("nothing"), ["granted", "granted"]);
  }));
