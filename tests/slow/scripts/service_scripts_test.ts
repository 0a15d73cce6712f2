import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { writeFacts } from "../../service/facts_model.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";
import { inFolder, runScript, spawnScript } from "../../scripts/run_script.ts";
import { OTHER, requestChains, serve, TOKEN } from "../../scripts/served.ts";

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
