import fc from "fast-check";
import { deepStrictEqual as equal } from "node:assert/strict";
import { loadShards } from "../../lib/service/cluster/load_shards.ts";
import { buildData, writeSample } from "../../lib/service/mod.ts";
import { arbitraryFacts } from "../service/arbitrary_facts.ts";
import { type Facts, writeFacts } from "../service/facts_model.ts";
import { ACCOUNT, ask, irregularFacts, writeShardList } from "./loaded_facts.ts";
import { sameData } from "./same_data.ts";
import { HAS_CLICKHOUSE, type Shard, withShards } from "./shards.ts";

function tests(name: string, fn: (shards: readonly Shard[], folder: string) => Promise<void>) {
  Deno.test({
    name,
    ignore: !HAS_CLICKHOUSE,
    fn: async () => {
      const folder = await Deno.makeTempDir();
      try {
        await withShards({ count: 2, ...ACCOUNT }, (shards) => fn(shards, folder));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** Loads facts, builds with both engines, and compares. Of the shards' build, activity is not there. */
async function buildBoth(facts: string, list: string, out: string): Promise<void> {
  await loadShards({ facts, shards: list });
  const { rounded: _rounded, ...here } = await buildData({ facts, out: `${out}.here` });
  for (const ending of ["parquet", "csv"]) {
    await Deno.remove(`${facts}/activity.${ending}`).catch(() => {});
  }
  const { rounded: _small, ...there } = await buildData({ facts, out, shards: list });
  equal(there, here);
  await sameData(out, `${out}.here`);
}

async function databasesOf(shards: readonly Shard[]): Promise<string[]> {
  const texts = await Promise.all(shards.map((shard) => ask(shard, "SHOW DATABASES")));
  return texts.map((text) => text.trim().split("\n").join(" "));
}

tests(
  "buildData makes of the sample on shards what it makes of it here",
  async (shards, folder) => {
    await writeSample({ out: `${folder}/facts` });
    const list = await writeShardList(folder, shards);
    await buildBoth(`${folder}/facts`, list, `${folder}/data.duckdb`);
    equal(await databasesOf(shards), ["default facts system", "default facts system"]);
    const files = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
    equal(files, ["data.duckdb", "data.duckdb.here", "facts", "password", "shards.json"]);
  },
);

tests("buildData makes the same of irregular facts with either engine", async (shards, folder) => {
  let runs = 0;
  const both = async (facts: Facts) => {
    const name = `facts_${runs++}`;
    await writeFacts(`${folder}/${name}`, facts);
    const list = await writeShardList(folder, shards, { database: name });
    await buildBoth(`${folder}/${name}`, list, `${folder}/${name}.duckdb`);
  };
  await both(irregularFacts(70, { users: 30 }));
  await both({ ...irregularFacts(1), contract_events: [], project_daily: [], chain_daily: [] });
  await fc.assert(fc.asyncProperty(arbitraryFacts, both), {
    numRuns: 8,
    seed: 20261121,
    endOnFailure: true,
  });
});
