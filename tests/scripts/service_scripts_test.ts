import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { writeFacts } from "../service/facts_model.ts";
import { tinyFacts } from "../service/tiny_facts.ts";
import { inFolder, runScript, spawnScript, testEveryOption } from "./run_script.ts";
import { OTHER, requestChains, serve, TOKEN } from "./served.ts";

const SERVE = "serve.ts";
const BUILD = "build.ts";
const SAMPLE = "sample.ts";

Deno.test("sample.ts, build.ts and serve.ts make a service from facts, with every option", () =>
  inFolder(async (folder) => {
    const facts = `${folder}/facts`;
    const sample = await runScript(SAMPLE, ["--out", facts, "--scale", "0.001", "--format", "csv"]);
    deepStrictEqual([sample.code, sample.stderr], [0, ""]);
    const paths = sample.stdout.trim().split("\n");
    ok(paths.includes(`${facts}/chains.csv`) && paths.length > 5, sample.stdout);
    const again = await runScript(SAMPLE, ["--out", facts]);
    strictEqual(again.code, 2);
    match(
      again.stderr,
      /^sample\.ts: --out: the folder has other files, such as [^\n]*\n$/,
    );

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
    const built = await runScript(BUILD, ["--facts", facts, "--out", data, ...more]);
    deepStrictEqual([built.code, built.stdout], [0, ""], built.stderr);
    match(
      built.stderr,
      /^built: .*metrics\.duckdb: \d{4}-\d\d-\d\d to .*\nbuilt: blockchain_comparison: 24 rows\n/,
    );
    deepStrictEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
      "facts",
      "metrics.duckdb",
      "tiny",
    ]);

    await Deno.writeTextFile(`${folder}/tokens`, `${TOKEN}\n${OTHER}\n`, { mode: 0o600 });
    const limits = ["--rate-limit", "2", "--host", "0.0.0.0"];
    const from = ["--data", data, "--token-file", `${folder}/tokens`];
    const service = await serve([...from, ...limits]);
    const url = service.url.replace("0.0.0.0", "127.0.0.1");
    ok(!service.told.includes(TOKEN) && service.told.includes(`data of ${data}`), service.told);
    const first = await requestChains(url, TOKEN);
    strictEqual((await first.json()).data.length, 24);
    const statuses = [];
    for (const token of [TOKEN, TOKEN, OTHER, "wrong"]) {
      const response = await requestChains(url, token);
      await response.body?.cancel();
      statuses.push(response.status);
    }
    deepStrictEqual(statuses, [200, 429, 200, 403]);
    const { code, told } = await service.stop();
    strictEqual(code, 0);
    ok(told.includes('"status":429') && !told.includes(TOKEN), told);

    const random = await serve(["--data", data]);
    const token = /serve\.ts: token (\w{20,})\n/.exec(random.told)![1]!;
    const response = await requestChains(random.url, token);
    await response.body?.cancel();
    strictEqual(response.status, 200);
    strictEqual((await random.stop()).code, 0);

    const given = await serve(["--data", data, "--quiet"], {
      CHAINFRAME_SERVICE_TOKENS: `${TOKEN},${OTHER}`,
    });
    ok(!given.told.includes("token"), given.told);
    strictEqual((await (await requestChains(given.url, OTHER)).json()).data.length, 24);
    deepStrictEqual(await given.stop(), {
      code: 0,
      told: "serve.ts: SIGINT: stopping after running requests\n",
    });

    // A port is refused by the permissions of a process.
    const refused = await spawnScript(SERVE, [
      "--data",
      data,
      "--port",
      "0",
      "--host",
      "127.0.0.2",
    ]);
    strictEqual(refused.code, 2);
    match(refused.stderr, /^serve\.ts: --host: cannot listen on 127\.0\.0\.2:0[^\n]*\n$/);
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
