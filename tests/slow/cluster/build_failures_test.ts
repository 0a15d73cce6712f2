import { deepStrictEqual as equal, match, ok, rejects, strictEqual } from "node:assert/strict";
import { loadShards } from "../../../lib/service/cluster/load_shards.ts";
import { buildData } from "../../../lib/service/mod.ts";
import { commandOf, environmentOf } from "../../scripts/run_script.ts";
import { writeFacts } from "../../service/facts_model.ts";
import { ACCOUNT, ask, eventually, irregularFacts, writeShardList } from "./loaded_facts.ts";
import { sameData } from "./same_data.ts";
import { type ShardProxy, startShardProxy } from "./shard_proxy.ts";
import { HAS_CLICKHOUSE, type Shard, withShards } from "./shards.ts";

/** Two shards with facts, behind proxies that stop at a statement. */
interface SetUp {
  readonly shards: readonly Shard[];
  readonly folder: string;
  readonly list: string;
  /** Their names in messages. */
  readonly urls: readonly string[];
  /** Is called before the second shard gets the statement of the user sets. */
  inTheMiddle: (() => Promise<unknown> | void) | null;
  build(options?: object): Promise<unknown>;
  /** Databases and files before a failed build, and after it. */
  left(): Promise<{ databases: string[]; files: string[] }>;
}

const NOTHING = { databases: [], files: [] };

async function databasesOn(shard: Shard): Promise<string[]> {
  const all = (await ask(shard, "SHOW DATABASES")).trim().split("\n");
  return all.filter((name) => name.startsWith("chainframe_build"));
}

function tests(name: string, fn: (given: SetUp) => Promise<void>) {
  Deno.test({
    name,
    ignore: !HAS_CLICKHOUSE,
    fn: () =>
      withShards({ count: 2, ...ACCOUNT }, async (shards) => {
        const folder = await Deno.makeTempDir();
        await using stack = new AsyncDisposableStack();
        stack.defer(() => Deno.remove(folder, { recursive: true }));
        const setUp: Partial<SetUp> & Pick<SetUp, "inTheMiddle"> = { inTheMiddle: null };
        const proxies = shards.map((shard, index): ShardProxy =>
          stack.use(startShardProxy(shard.url, async (text) => {
            if (index !== 1 || !/CREATE TABLE \w+\.user_set /.test(text)) return;
            const act = setUp.inTheMiddle;
            setUp.inTheMiddle = null;
            await act?.();
          }))
        );
        const facts = `${folder}/facts`;
        await writeFacts(facts, irregularFacts(12));
        const list = await writeShardList(folder, shards, {
          shards: proxies.map(({ url }) => url),
        });
        await loadShards({ facts, shards: list });
        const out = `${folder}/data.duckdb`;
        const had = ["data.duckdb", "facts", "password", "shards.json"];
        await fn(Object.assign(setUp, {
          shards,
          folder,
          list,
          urls: proxies.map(({ url }) => url),
          build: (options: object = {}) => buildData({ facts, out, shards: list, ...options }),
          left: async () => {
            const databases = await Promise.all(shards.map(databasesOn));
            const files = Array.from(Deno.readDirSync(folder), ({ name }) => name);
            return {
              databases: databases.flat(),
              files: files.filter((name) => !had.includes(name)),
            };
          },
        }));
      }),
  });
}

function nothingLeft(left: SetUp["left"]): Promise<void> {
  return eventually(async () => equal(await left(), NOTHING));
}

/** Builds, and checks that it is what DuckDB makes of the facts. */
async function endsRight({ build, folder, left }: SetUp): Promise<void> {
  await build();
  await buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb.here` });
  await sameData(`${folder}/data.duckdb`, `${folder}/data.duckdb.here`);
  await Deno.remove(`${folder}/data.duckdb.here`);
  await nothingLeft(left);
}

/**
 * Counts seconds from the call on in tenths in which this process had its turn: a machine that is busy
 * with something else stops them as it stops the build.
 */
function ownSeconds(): () => number {
  let tenths = 0;
  const timer = setInterval(() => tenths++, 100);
  return () => {
    clearInterval(timer);
    return tenths / 10;
  };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

tests("a build fails with the name of a shard that is killed in the middle", async (given) => {
  const { shards, urls, folder, build } = given;
  let seconds = () => NaN;
  given.inTheMiddle = () => {
    seconds = ownSeconds();
    return shards[1]!.kill();
  };
  await rejects(build(), (error: Error) => {
    equal(error.name, "ClusterError");
    ok(error.message.startsWith(`shard ${urls[1]}: `), error.message);
    match(error.message, /cannot be reached, or closed the connection|is down/);
    return true;
  });
  ok(seconds() < 30);
  await eventually(async () => equal(await databasesOn(shards[0]!), []));
  equal(await exists(`${folder}/data.duckdb`), false);
  await shards[1]!.restart();
  await endsRight(given);
});

tests("a build fails with the name of a shard that stalls in the middle", async (given) => {
  const { shards, urls, folder, build, left } = given;
  let seconds = () => NaN;
  given.inTheMiddle = () => {
    seconds = ownSeconds();
    shards[1]!.signal("SIGSTOP");
  };
  await rejects(build({ patience: 5_000 }), {
    name: "ClusterError",
    message: `shard ${urls[1]}: does not answer: no response for 5 s`,
  });
  ok(seconds() < 30);
  await eventually(async () => equal(await databasesOn(shards[0]!), []));
  equal(await exists(`${folder}/data.duckdb`), false);
  shards[1]!.signal("SIGCONT");
  // Its part of the build was not dropped: the next build drops it when no other build can own it.
  equal((await left()).files, []);
  for (const database of await databasesOn(shards[1]!)) {
    // As old as it would be in a while; unless what it was told to drop is on its way.
    const older =
      `INSERT INTO ${database}.build_alive SELECT at - 20, facts FROM ${database}.build_alive`;
    await ask(shards[1]!, older).catch(() => {});
  }
  await endsRight(given);
});

tests("a build fails with the name of a shard that cannot write", async (given) => {
  const { shards: [, full], urls, folder, build, left } = given;
  given.inTheMiddle = () => full!.fill(true);
  await rejects(build(), (error: Error) => {
    ok(error.message.startsWith(`shard ${urls[1]}: `), error.message);
    match(error.message, /Cannot write to file .* File too large/);
    return true;
  });
  await nothingLeft(left);
  equal(await exists(`${folder}/data.duckdb`), false);
  await full!.fill(false);
  await endsRight(given);
});

tests("an aborted build leaves nothing", async (given) => {
  const { build, left } = given;
  const end = new AbortController();
  given.inTheMiddle = () => end.abort(new DOMException("enough", "AbortError"));
  await rejects(build({ signal: end.signal }), { name: "AbortError", message: "enough" });
  await nothingLeft(left);
  await endsRight(given);
});

tests(
  "Ctrl-C ends build.ts and leaves no files; the next build succeeds",
  async (given) => {
    const { folder, list, left } = given;
    const start = (without?: string) => {
      const options = ["--facts", `${folder}/facts`, "--out", `${folder}/data.duckdb`];
      const [program, ...args] = commandOf(
        "build.ts",
        [...options, "--engine", "clickhouse", "--shards", list],
        without,
      );
      return new Deno.Command(program!, {
        args,
        clearEnv: true,
        env: environmentOf({ NO_COLOR: "1" }),
        stdin: "null",
        stdout: "null",
        stderr: "piped",
      }).spawn();
    };
    const child = start();
    given.inTheMiddle = () => child.kill("SIGINT");
    strictEqual((await child.output()).code, 130);
    await nothingLeft(left);
    strictEqual((await start("--allow-net").output()).code, 1);
    const { code, stderr } = await start().output();
    match(
      new TextDecoder().decode(stderr),
      /^built: \S+data.duckdb: 2026-01-01 to 2026-01-12\nbuilt: blockchain_comparison: 1 rows\n/,
    );
    strictEqual(code, 0);
    await nothingLeft(left);
  },
);

tests("buildData refuses shards that changed after the load", async (given) => {
  const { shards, urls, folder, list, build, left } = given;
  const refused = async (message: RegExp, options: object = {}) => {
    await rejects(build(options), (error: Error) => {
      equal(error.name, "ClusterError");
      match(error.message, message);
      ok(!error.message.includes(ACCOUNT.password), error.message);
      return true;
    });
    await nothingLeft(left);
  };
  const text = await Deno.readTextFile(list);

  await Deno.writeTextFile(`${folder}/password`, "wrong");
  await refused(/^shard .*: refuses the user "builder" or its password$/);
  await Deno.writeTextFile(`${folder}/password`, ACCOUNT.password);

  for (const shard of shards) {
    await ask(shard, "CREATE DATABASE theirs");
    await ask(shard, "CREATE TABLE theirs.sales (n Int64) ENGINE = MergeTree ORDER BY n");
  }
  await Deno.writeTextFile(list, text.replace('"facts"', '"theirs"'));
  await refused(/^shard .*: chainframe did not create the database theirs/);
  await Deno.writeTextFile(list, text.replace('"facts"', '"nothing"'));
  await refused(/^shard .*: there are no facts in /);
  await Deno.writeTextFile(list, text);

  given.inTheMiddle = () =>
    ask(
      shards[0]!,
      "INSERT INTO facts.manifest SELECT day, step + 1, 'other', state, rows, digest " +
        "FROM facts.manifest WHERE day = '2026-01-03'",
    ).then(() =>
      ask(
        shards[1]!,
        "INSERT INTO facts.manifest SELECT day, step + 1, 'other', state, rows, digest " +
          "FROM facts.manifest WHERE day = '2026-01-03'",
      )
    );
  await refused(/^facts were loaded during the build: 2026-01-03 is from another load/);

  given.inTheMiddle = () =>
    ask(shards[1]!, "ALTER TABLE facts.activity DROP PARTITION '2026-01-05'");
  await refused(new RegExp(`^shard ${urls[1]}: has 0 rows of 2026-01-05`));
  await refused(new RegExp(`^shard ${urls[1]}: has 0 rows of 2026-01-05`));
  const { restated, unchanged } = await loadShards({ facts: `${folder}/facts`, shards: list });
  equal({ restated, unchanged }, { restated: 1, unchanged: 11 });
  await endsRight(given);
});

tests("a build drops leftovers of builds from the same facts, and nothing else", async (given) => {
  const { shards, left } = given;
  const id = "0".repeat(12);
  for (const shard of shards) await ask(shard, `CREATE DATABASE chainframe_build_facts_${id}`);
  await ask(
    shards[0]!,
    `CREATE TABLE chainframe_build_facts_${id}.user_set (n Int64) ENGINE = Log`,
  );
  const kept = [
    `chainframe_build_facts_2_${id}`,
    "chainframe_build_facts_mine",
    "chainframe_build_mine",
  ];
  for (const name of kept) await ask(shards[0]!, `CREATE DATABASE ${name}`);
  await given.build();
  equal((await left()).databases.sort(), kept);
});

tests("a second build ends the first", async (given) => {
  given.inTheMiddle = () => given.build();
  await rejects(given.build(), {
    name: "ClusterError",
    message: "another build started on these shards and ended this one",
  });
  await endsRight(given);
});

tests("activity of a contract that is not in the facts is refused with its name", async (given) => {
  const { folder, urls, build, left } = given;
  const contracts = `${folder}/facts/contracts.csv`;
  const text = await Deno.readTextFile(contracts);
  await Deno.writeTextFile(contracts, text.replace(/^.*0xb.*\n/m, ""));
  await rejects(build(), (error: Error) => {
    equal(error.name, "ClusterError");
    match(
      error.message,
      /^shard http:\S+ activity refers to no known contract: c1,0xb is not in contracts \(and so in \d+ more rows\)$/,
    );
    return urls.some((url) => error.message.startsWith(`shard ${url}: `));
  });
  await nothingLeft(left);
  await Deno.writeTextFile(contracts, text);
  await endsRight(given);
});
