import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { writeFacts } from "../service/facts_model.ts";
import { tinyFacts } from "../service/tiny_facts.ts";
import { inFolder, runScript, testEveryOption } from "./run_script.ts";
import { OTHER, requestChains, serve, TOKEN } from "./served.ts";

const SERVE = "serve.ts";
const BUILD = "build.ts";
const SAMPLE = "sample.ts";

Deno.test("build.ts and serve.ts make a service from facts", () =>
  inFolder(async (folder) => {
    const data = `${folder}/metrics.duckdb`;
    await writeFacts(`${folder}/tiny`, tinyFacts());
    const tiny = ["--facts", `${folder}/tiny`, "--out", data];
    strictEqual((await runScript(BUILD, tiny)).code, 0);
    const kept = await runScript(BUILD, tiny);
    deepStrictEqual([kept.code, kept.stderr], [
      2,
      `build.ts: --out: the file exists; pass --force to replace it: ${data}\n`,
    ]);
    const more = ["--force", "--carry-days", "5", "--memory", "1GB"];
    strictEqual((await runScript(BUILD, [...tiny, ...more])).code, 0);
    await Deno.writeTextFile(`${folder}/tokens`, `${TOKEN}\n${OTHER}\n`, { mode: 0o600 });
    const limits = ["--rate-limit", "2", "--host", "0.0.0.0", "--quiet"];
    const service = await serve(["--data", data, "--token-file", `${folder}/tokens`, ...limits]);
    ok(!service.told.includes(TOKEN), service.told);
    const url = service.url.replace("0.0.0.0", "127.0.0.1");
    const statuses = [];
    for (const token of [TOKEN, TOKEN, TOKEN, OTHER, "wrong"]) {
      const response = await requestChains(url, token);
      await response.body?.cancel();
      statuses.push(response.status);
    }
    deepStrictEqual(statuses, [200, 200, 429, 200, 403]);
    strictEqual((await service.stop()).code, 0);
  }));

Deno.test("the service's scripts print one line for wrong arguments, and exit with 2 or 1", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/open`, TOKEN);
    await Deno.chmod(`${folder}/open`, 0o640);
    await Deno.writeTextFile(`${folder}/short`, `${TOKEN}\n${"x".repeat(15)}`, { mode: 0o600 });
    const cases: readonly (readonly [script: string, args: string, code: number, told: string])[] =
      [
        [SERVE, "now", 2, "serve.ts: takes options only; got now; see --help"],
        [
          SERVE,
          "--port http",
          2,
          'serve.ts: --port: must be a whole number from 0 to 65535; got "http"',
        ],
        [
          SERVE,
          "--port 0 --rate-limit 0",
          2,
          "serve.ts: --rate-limit: must be a whole number from 1 to",
        ],
        [
          SERVE,
          "--token t",
          2,
          "serve.ts: --token: unknown option (nearest: --token-file)",
        ],
        [SERVE, `--token-file ${folder}/open`, 2, "others can read it (mode 640); run chmod 600"],
        [
          SERVE,
          `--token-file ${folder}/short`,
          2,
          "serve.ts: --token-file: a token must have at least 16 characters; " +
          "token 2 of 2 has 15",
        ],
        [SERVE, "--data no.duckdb", 1, "no.duckdb"],
        [BUILD, "--out a", 2, "build.ts: --facts: is required"],
        [BUILD, "--facts a --out b --memory lots", 2, "build.ts: --memory: must be an amount"],
        [BUILD, "--facts a", 2, "build.ts: --out: is required"],
        [
          BUILD,
          `--facts a --out ${folder}/no/a`,
          2,
          `build.ts: --out: the folder ${folder}/no does not exist`,
        ],
        [
          BUILD,
          "--facts a --out b --shards c",
          2,
          "build.ts: --shards: requires --engine clickhouse",
        ],
        [BUILD, "--facts a --out b --engine clickhouse", 2, "build.ts: --shards: is required"],
        [
          BUILD,
          "--facts a --out b --engine click",
          2,
          'build.ts: --engine: must be one of duckdb, clickhouse (nearest: clickhouse); got "click"',
        ],
        [SAMPLE, "", 2, "sample.ts: --out: is required"],
        [
          SAMPLE,
          "--out a --format xlsx",
          2,
          "sample.ts: --format: must be one of parquet, csv",
        ],
        [
          SAMPLE,
          "--out a --scale much",
          2,
          'sample.ts: --scale: must be from 0.0001 to 1000; got "much"',
        ],
      ];
    for (const [script, args, expected, told] of cases) {
      const words = args === "" ? [] : args.split(" ");
      const { code, stdout, stderr } = await runScript(script, words, { cwd: folder });
      ok(
        code === expected && stdout === "" && stderr.includes(told) &&
          stderr.trim().split("\n").length === 1,
        `${script} ${args} -> ${code} ${stderr}`,
      );
      ok(!stderr.includes(TOKEN));
    }
    await Deno.mkdir(`${folder}/facts`);
    const bad = await runScript(BUILD, ["--facts", `${folder}/facts`, "--out", `${folder}/a`]);
    strictEqual(bad.code, 1);
    match(
      bad.stderr,
      /^chains: .*\n(.*\n)+build\.ts: nothing was built: \d+ problems in the facts of .*\n$/,
    );
    for (const script of [SERVE, BUILD, SAMPLE]) {
      const { stderr } = await runScript(script, ["x", "--debug"]);
      match(stderr, /\nUsageError: .*\n\s+at /);
    }
  }));

for (const script of [SERVE, BUILD, SAMPLE]) {
  testEveryOption(script);
}
