import { deepStrictEqual as equal, match, ok, rejects } from "node:assert/strict";
import { withCluster } from "../../../lib/service/cluster/cluster.ts";
import { loadShards } from "../../../lib/service/cluster/load_shards.ts";
import { requireWhole } from "../../../lib/service/cluster/manifest.ts";
import { readShardList } from "../../../lib/service/cluster/shard_list.ts";
import { commandOf, environmentOf } from "../../scripts/run_script.ts";
import { writeFacts } from "../../service/facts_model.ts";
import { seededRandom } from "../../service/seeded_random.ts";
import {
  ask,
  clusterTest,
  eventually,
  irregularFacts,
  OURS,
  rowsOfFacts,
  rowsOnShards,
  tablesOn,
  writeShardList,
} from "./loaded_facts.ts";
import type { Shard } from "./shards.ts";

// More than the hundred that enter at once.
const DAYS = 104;

async function setUp(shards: readonly Shard[], folder: string, days = DAYS) {
  const facts = `${folder}/facts`;
  await writeFacts(facts, irregularFacts(days, { users: 12 }));
  const list = await writeShardList(folder, shards);
  const load = (options: object = {}) => loadShards({ facts, shards: list, ...options });
  const whole = async () => withCluster(await readShardList(list), requireWhole);
  return { facts, list, load, whole };
}

for (
  const { what, fail, heal, message } of [
    {
      what: "is killed",
      fail: (shard: Shard) => shard.kill(),
      heal: (shard: Shard) => shard.restart(),
      message: /^shard URL: (cannot be reached, or closed the connection|is down): /,
    },
    {
      what: "stalls",
      fail: (shard: Shard) => shard.signal("SIGSTOP"),
      heal: (shard: Shard) => shard.signal("SIGCONT"),
      message: /^shard URL: does not answer: no response for 5 s$/,
    },
    {
      what: "can write no more",
      fail: (shard: Shard) => shard.fill(true),
      heal: (shard: Shard) => shard.fill(false),
      message: /^shard URL: Cannot write to file .* File too large \(code 75\)$/,
    },
  ]
) {
  clusterTest(
    `a load fails with the name of a shard that ${what} in the middle, and the next load succeeds`,
    async (shards, folder) => {
      const { facts, load, whole } = await setUp(shards, folder);
      let failing: unknown;
      const loading = load({
        patience: 5_000,
        onProgress: () => failing ??= fail(shards[1]!),
      });
      await rejects(loading, (error: Error) => {
        match(error.message.replace(shards[1]!.url, "URL"), message);
        return error.name === "ClusterError";
      });
      await failing;
      await eventually(async () => equal(await tablesOn([shards[0]!]), [OURS]));
      await heal(shards[1]!);
      await rejects(whole(), /^ClusterError: the load of 2026-.* is incomplete on some shards/);
      const { added, restated, unchanged } = await load();
      // Days that are complete on both shards are kept.
      equal({ added, restated, unchanged }, { added: 0, restated: 4, unchanged: 100 });
      equal(await rowsOnShards(shards), await rowsOfFacts(facts));
      equal(await tablesOn(shards), [OURS, OURS]);
      equal((await whole()).size, DAYS);
    },
  );
}

clusterTest(
  "a load that another one overtakes fails, and its rows do not count",
  async (shards, folder) => {
    const { facts, load, whole } = await setUp(shards, folder);
    const begin = `INSERT INTO facts.manifest VALUES
    ('2026-01-01', ${Date.now() * 2}, 'other', 'entering', 0, '0')`;
    let begun: Promise<unknown> | undefined;
    await rejects(load({ onProgress: () => begun ??= ask(shards[1]!, begin) }), {
      name: "ClusterError",
      message: "another load started on these shards and ended this one",
    });
    await begun;
    await eventually(async () => equal(await tablesOn(shards), [OURS, OURS]));
    await load();
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));
    equal(await tablesOn(shards), [OURS, OURS]);
    equal((await whole()).size, DAYS);
  },
);

/** Number of rows of each day on each shard. */
async function counts(shards: readonly Shard[]): Promise<Map<string, string>> {
  const sql =
    "SELECT day, count(*), sum(transaction_count) FROM facts.activity GROUP BY day FORMAT TSV";
  const texts = await Promise.all(shards.map((shard) => ask(shard, sql)));
  return new Map(
    texts.flatMap((text, index) =>
      text.split("\n").filter((line) => line !== "").map((line) => {
        const [day, ...rest] = line.split("\t");
        return [`${index} ${day}`, rest.join(" ")];
      })
    ),
  );
}

clusterTest("a load killed 20 times at random counts everything once", async (shards, folder) => {
  const list = await writeShardList(folder, shards);
  const versions = [1, 2].map((seed) => ({ seed, facts: `${folder}/facts-${seed}` }));
  for (const { seed, facts } of versions) {
    await writeFacts(facts, irregularFacts(6, { seed, users: 20 }));
  }
  const start = (facts: string) => {
    const options = ["--facts", facts, "--engine", "clickhouse", "--shards", list];
    const [program, ...args] = commandOf("load.ts", options);
    return new Deno.Command(program!, {
      args,
      clearEnv: true,
      env: environmentOf({ TMPDIR: folder }),
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  };
  const steps = () => ask(shards[1]!, "SELECT max(step) FROM facts.manifest").catch(() => "");
  /** Waits until a load has begun to write, or has ended. */
  const begins = async (child: Deno.ChildProcess, before: string) => {
    let ended = false;
    child.status.then(() => ended = true);
    while (!ended && await steps() === before) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  // Rows of each version per day and shard, and the duration of a load.
  const known: Map<string, string>[] = [];
  let shortest = Infinity;
  for (const { facts } of versions) {
    const before = await steps();
    const child = start(facts);
    await begins(child, before);
    const from = performance.now();
    equal((await child.status).code, 0);
    shortest = Math.min(shortest, performance.now() - from);
    known.push(await counts(shards));
  }
  const random = seededRandom(20);
  // Those that were faster than their end, as the machine had less to do, are repeated.
  for (let time = 0, killed = 0; killed < 20; time++) {
    ok(time < 200, `${killed} of ${time} were killed`);
    const before = await steps();
    // Each would change every day, so that none has nothing to do.
    const child = start(versions[time % 2]!.facts);
    // Every fifth dies before it writes, wherever it is then.
    if (time % 5 > 0) await begins(child, before);
    const from = performance.now();
    const timer = setTimeout(() => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has just ended.
      }
    }, shortest * random());
    const { signal } = await child.status;
    clearTimeout(timer);
    if (signal === "SIGKILL") killed++;
    else shortest = Math.min(shortest, performance.now() - from);
    for (const [place, found] of await counts(shards)) {
      ok(known.some((version) => version.get(place) === found), `${place}: ${found}`);
    }
  }
  equal((await start(versions[0]!.facts).status).code, 0);
  equal(await rowsOnShards(shards), await rowsOfFacts(versions[0]!.facts));
  equal(await tablesOn(shards), [OURS, OURS]);
  equal((await withCluster(await readShardList(list), requireWhole)).size, 6);
});
