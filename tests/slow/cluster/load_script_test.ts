import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict";
import {
  commandOf,
  environmentOf,
  inFolder,
  runScript,
  testEveryOption,
} from "../../scripts/run_script.ts";
import { writeFacts } from "../../service/facts_model.ts";
import {
  ACCOUNT,
  ask,
  clusterTest,
  dayOf,
  eventually,
  irregularFacts,
  OURS,
  rowsOfFacts,
  rowsOnShards,
  tablesOn,
  writeShardList,
} from "./loaded_facts.ts";
import { startShardProxy } from "./shard_proxy.ts";

const LOAD = "load.ts";

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

clusterTest(
  "load.ts loads and prints the days, and loads nothing the second time",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    await writeFacts(facts, irregularFacts(4));
    const rows = await rowsOfFacts(facts);
    const where = ["--facts", facts, "--engine", "clickhouse", "--shards", list];
    const load = async (...more: string[]) => {
      const { code, stdout, stderr } = await runScript(LOAD, [...where, ...more]);
      return { code, stdout, told: stderr.trim().split("\n") };
    };
    equal(await load(), {
      code: 0,
      stdout: "",
      told: [`loaded: ${rows.length} rows: 4 days new, 0 days replaced, 0 days there already`],
    });
    equal(await rowsOnShards(shards), rows);
    const { activity, ...rest } = irregularFacts(4);
    await writeFacts(facts, { ...rest, activity: activity.filter(({ day }) => day === dayOf(1)) });
    equal((await load("--from", dayOf(1), "--memory", "512MB", "--spill", folder)).told, [
      "loaded: 0 rows: 0 days new, 0 days replaced, 1 day there already",
      "kept: 2 days that these facts do not have: 2026-01-03 to 2026-01-04; --prune removes them",
    ]);
    equal((await load("--from", dayOf(1), "--prune")).told.slice(1), [
      "removed: 2 days that these facts do not have: 2026-01-03 to 2026-01-04",
    ]);
    equal(await tablesOn(shards), [OURS, OURS]);
    equal(await namesIn(folder), ["facts", "password", "shards.json"]);
  },
);

clusterTest(
  "load.ts refuses a wrong password and a foreign database in one line, and changes nothing",
  async (shards, folder) => {
    const facts = `${folder}/facts`;
    await writeFacts(facts, irregularFacts(2));
    const list = await writeShardList(folder, shards, { password_file: undefined });
    const where = ["--facts", facts, "--engine", "clickhouse", "--shards", list];
    const PASSWORD = "CHAINFRAME_CLICKHOUSE_PASSWORD";
    const load = (password: string) => runScript(LOAD, where, { env: { [PASSWORD]: password } });
    const wrong = await load("wrong-secret");
    // Both refuse, at the same time.
    const refused = shards.map(({ url }) =>
      `load.ts: shard ${url}: refuses the user "builder" or its password\n`
    );
    equal([wrong.code, refused.includes(wrong.stderr)], [1, true], wrong.stderr);
    equal(await tablesOn(shards), [[], []]);
    await ask(shards[1]!, "CREATE DATABASE facts");
    await ask(shards[1]!, "CREATE TABLE facts.activity (day Date) ENGINE = MergeTree ORDER BY day");
    const foreign = await load(ACCOUNT.password);
    equal([foreign.code, foreign.stderr], [
      1,
      `load.ts: shard ${
        shards[1]!.url
      }: chainframe did not create the database facts: it has activity and no ` +
      "table chainframe_shard; it was not changed; choose another name\n",
    ]);
    equal(await tablesOn(shards), [[], ["activity"]]);
    await ask(shards[1]!, "DROP DATABASE facts");
    const right = await load(ACCOUNT.password);
    equal(right.code, 0, right.stderr);
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));
  },
);

clusterTest("load.ts ends soon after Ctrl-C, and leaves no files", async (shards, folder) => {
  let child: Deno.ChildProcess | null = null;
  await using first = startShardProxy(shards[0]!.url, async (text) => {
    if (child === null || !text.includes("INSERT INTO `facts`.staging_")) return;
    child.kill("SIGINT");
    // The rows come late: when the load has ended.
    await child.status;
  });
  const urls = [first.url, shards[1]!.url];
  const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards, { shards: urls })];
  await Deno.mkdir(`${folder}/spill`);
  await writeFacts(facts, irregularFacts(24, { users: 10 }));
  const words = ["--facts", facts, "--engine", "clickhouse", "--shards", list];
  const [program, ...args] = commandOf(LOAD, [...words, "--spill", `${folder}/spill`]);
  child = new Deno.Command(program!, {
    args,
    clearEnv: true,
    env: environmentOf(),
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  strictEqual((await child.status).code, 130);
  child = null;
  await eventually(async () => equal(await tablesOn(shards), [OURS, OURS]));
  equal(await namesIn(`${folder}/spill`), []);
  const { code, stderr } = await runScript(LOAD, words);
  equal(code, 0, stderr);
  equal(await rowsOnShards(shards), await rowsOfFacts(facts));
});

Deno.test("load.ts names wrong arguments, with exit code 2, and each problem of the facts", () =>
  inFolder(async (folder) => {
    const cases: [string[], RegExp][] = [
      [[], /^load.ts: --engine: is required/],
      [["--engine", "duckdb"], /^load.ts: --engine: must be one of clickhouse; got "duckdb"$/m],
      [["--engine", "clickhouse"], /^load.ts: --facts: is required/],
      [["--engine", "clickhouse", "--facts", folder], /^load.ts: --shards: is required/],
      [
        ["--engine", "clickhouse", "--facts", folder, "--shards", "s", "--from", "today"],
        /^load.ts: --from: must be a calendar day, .*; got "today"$/m,
      ],
      [["facts"], /^load.ts: takes options only; got facts/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runScript(LOAD, args);
      equal(code, 2, stderr);
      match(stderr, message);
    }
    const where = ["--engine", "clickhouse", "--facts", folder, "--shards", `${folder}/none.json`];
    const { code, stderr } = await runScript(LOAD, where);
    equal(code, 1);
    match(stderr, /^load.ts: .*none.json: the file of shards cannot be read \(ENOENT\)$/m);
  }));

testEveryOption(LOAD);
