import fc from "fast-check";
import { deepStrictEqual as equal } from "node:assert/strict";
import { dirname } from "node:path";
import { loadShards } from "../../lib/service/cluster/load_shards.ts";
import { buildData } from "../../lib/service/mod.ts";
import { ACCOUNT, irregularFacts, writeShardList } from "../slow/cluster/loaded_facts.ts";
import { sameData } from "../slow/cluster/same_data.ts";
import { arbitraryFacts } from "../service/arbitrary_facts.ts";
import { type Facts, writeFacts } from "../service/facts_model.ts";
import { HAS_CHDB } from "./chdb.ts";

const SERVER = new URL("serve_chdb.ts", import.meta.url).pathname;
const CONFIG = new URL("deno.json", import.meta.url).pathname;

/** A server in a separate process: the library supports one database per process. */
async function startServer(folder: string): Promise<{ url: string; end(): Promise<void> }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--config", CONFIG],
      ...[SERVER, folder, ACCOUNT.user, ACCOUNT.password],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const port = new TextDecoder().decode(value).trim();
  return {
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

/** A test with two servers that hold nothing, and a folder. */
function tests(name: string, fn: (urls: readonly string[], folder: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !HAS_CHDB,
    fn: async () => {
      const folder = await Deno.makeTempDir();
      await using ending = new AsyncDisposableStack();
      ending.defer(() => Deno.remove(folder, { recursive: true }));
      const urls: string[] = [];
      for (const shard of ["one", "two"]) {
        const { url, end } = await startServer(`${folder}/${shard}`);
        ending.defer(end);
        urls.push(url);
      }
      await fn(urls, folder);
    },
  });
}

/** Loads facts, and builds them with both engines: the files hold the same. */
async function buildBoth(urls: readonly string[], facts: string): Promise<void> {
  const database = facts.split("/").at(-1)!;
  const shards = await writeShardList(dirname(facts), [], { shards: urls, database });
  await loadShards({ facts, shards, prune: true });
  const there = await buildData({ facts, out: `${facts}.there`, shards });
  const here = await buildData({ facts, out: `${facts}.here` });
  equal(there.rows, here.rows);
  await sameData(`${facts}.there`, `${facts}.here`);
}

tests(
  "loadShards and buildData work with a current ClickHouse: days are restated and removed",
  async (urls, folder) => {
    const facts = irregularFacts(70, { users: 30 });
    await writeFacts(`${folder}/facts`, facts);
    await buildBoth(urls, `${folder}/facts`);
    facts.activity = facts.activity.filter(({ day }) => day !== "2026-03-11");
    for (const row of facts.activity) if (row.day === "2026-02-01") row.fees_usd = 0.000000001;
    await writeFacts(`${folder}/facts`, facts);
    const shards = await writeShardList(folder, [], { shards: urls, database: "facts" });
    const loaded = await loadShards({ facts: `${folder}/facts`, shards, prune: true });
    equal([loaded.restated, loaded.unchanged, loaded.others], [1, 68, ["2026-03-11"]]);
    await buildBoth(urls, `${folder}/facts`);
  },
);

tests(
  "buildData gives the same result for random facts with a current ClickHouse",
  async (urls, folder) => {
    let runs = 0;
    const both = async (facts: Facts) => {
      const name = `${folder}/facts_${runs++}`;
      await writeFacts(name, facts);
      await buildBoth(urls, name);
    };
    await fc.assert(fc.asyncProperty(arbitraryFacts, both), {
      numRuns: 8,
      seed: 20261121,
      endOnFailure: true,
    });
  },
);
