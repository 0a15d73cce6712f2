import { deepStrictEqual as equal, match, ok, rejects, strictEqual } from "node:assert/strict";
import { buildData } from "../../../lib/service/mod.ts";
import { commandOf, environmentOf } from "../../scripts/run_script.ts";
import { writeFacts } from "../../service/facts_model.ts";
import {
  ACCOUNT,
  ask,
  clusterTest,
  eventually,
  irregularFacts,
  loadActivity,
  writeShardList,
} from "./loaded_facts.ts";
import { sameData } from "./same_data.ts";
import { type ShardProxy, startShardProxy } from "./shard_proxy.ts";
import type { Shard } from "./shards.ts";

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
  /** Running statements and new files after a failed build. */
  left(): Promise<{ statements: string[]; files: string[] }>;
}

const NOTHING = { statements: [], files: [] };

async function statementsOn(shard: Shard): Promise<string[]> {
  const ids = await ask(shard, "SELECT query_id FROM system.processes");
  return ids.trim().split("\n").filter((id) => id.startsWith("chainframe"));
}

function tests(name: string, fn: (given: SetUp) => Promise<void>) {
  clusterTest(name, async (shards, folder) => {
    await using stack = new AsyncDisposableStack();
    const setUp: Partial<SetUp> & Pick<SetUp, "inTheMiddle"> = { inTheMiddle: null };
    const proxies = shards.map((shard, index): ShardProxy =>
      stack.use(startShardProxy(shard.url, async (text) => {
        if (index !== 1 || !text.includes("groupUniqArray%28cell%29")) return;
        const act = setUp.inTheMiddle;
        setUp.inTheMiddle = null;
        await act?.();
      }))
    );
    const facts = `${folder}/facts`;
    await writeFacts(facts, irregularFacts(12));
    const list = await writeShardList(folder, proxies);
    await loadActivity(shards, { facts });
    const out = `${folder}/data.duckdb`;
    const had = ["data.duckdb", "facts", "shards.json"];
    await fn(Object.assign(setUp, {
      shards,
      folder,
      list,
      urls: proxies.map(({ url }) => url),
      build: (options: object = {}) => buildData({ facts, out, shards: list, ...options }),
      left: async () => {
        const statements = await Promise.all(shards.map(statementsOn));
        const files = Array.from(Deno.readDirSync(folder), ({ name }) => name);
        return {
          statements: statements.flat(),
          files: files.filter((name) => !had.includes(name)),
        };
      },
    }));
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
  await rejects(build(), {
    name: "ClusterError",
    message: `shard ${urls[1]}: does not answer: no response for 15 s`,
  });
  ok(seconds() < 30);
  equal(await exists(`${folder}/data.duckdb`), false);
  shards[1]!.signal("SIGCONT");
  await nothingLeft(left);
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
        env: environmentOf({
          NO_COLOR: "1",
          CHAINFRAME_CLICKHOUSE_PASSWORD: ACCOUNT.password,
        }),
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

tests("a build fails if the password is wrong, or the rows change", async (given) => {
  const { shards, urls, build, left } = given;
  const PASSWORD = "CHAINFRAME_CLICKHOUSE_PASSWORD";
  Deno.env.set(PASSWORD, "wrong");
  await rejects(build(), {
    name: "ClusterError",
    message: /^shard .*: refuses the user "builder" or its password$/,
  });
  Deno.env.set(PASSWORD, ACCOUNT.password);
  given.inTheMiddle = () =>
    ask(shards[1]!, "ALTER TABLE facts.activity DROP PARTITION '2026-01-05'");
  await rejects(build(), {
    name: "ClusterError",
    message: `shard ${urls[1]}: the rows of 2026-01-05 changed during the build; build again`,
  });
  await nothingLeft(left);
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
      /^shard http:\S+: \d+ rows of \S+ to \S+ refer to no known contract: c1,0xb is not in contracts$/,
    );
    return urls.some((url) => error.message.startsWith(`shard ${url}: `));
  });
  await nothingLeft(left);
  await Deno.writeTextFile(contracts, text);
  await endsRight(given);
});
