import fc from "fast-check";
import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { loadShards } from "../../../lib/service/cluster/load_shards.ts";
import { shardActivity } from "../../../lib/service/cluster/read_shards.ts";
import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { loadFacts } from "../../../lib/service/facts/load_facts.ts";
import { buildData, writeSample } from "../../../lib/service/mod.ts";
import { arbitraryFacts } from "../../service/arbitrary_facts.ts";
import { type Facts, writeFacts } from "../../service/facts_model.ts";
import { ask, clusterTest, dayOf, irregularFacts, writeShardList } from "./loaded_facts.ts";
import { sameData } from "./same_data.ts";
import type { Shard } from "./shards.ts";

/** Loads facts and builds from them: the shards' build is given all but the activity. */
async function buildThere(facts: string, list: string, out: string) {
  await loadShards({ facts, shards: list });
  const small = `${facts}.small`;
  await Deno.mkdir(small);
  for await (const { name } of Deno.readDir(facts)) {
    if (!name.startsWith("activity.")) await Deno.copyFile(`${facts}/${name}`, `${small}/${name}`);
  }
  return await buildData({ facts: small, out, shards: list });
}

/** Loads facts, builds with both engines, and compares. */
async function buildBoth(facts: string, list: string, out: string): Promise<void> {
  const [{ rounded: _small, ...there }, { rounded: _rounded, ...here }] = await Promise.all([
    buildThere(facts, list, out),
    buildData({ facts, out: `${out}.here` }),
  ]);
  equal(there, here);
  await sameData(out, `${out}.here`);
}

/** Facts whose ids and addresses hold what formats and SQL take for their own. */
function renamed(facts: Facts): Facts {
  const odd = (id: string) => `${id} '"\\\t${id} ü—\\N\n; DROP`;
  const contract = <T extends { account_address: string }>(row: T) => ({
    ...row,
    account_address: odd(row.account_address),
  });
  const product = <T extends { product_id: string }>(row: T) => ({
    ...row,
    product_id: odd(row.product_id),
  });
  return {
    ...facts,
    products: facts.products.map(product),
    contracts: facts.contracts.map(contract).map(product),
    activity: facts.activity.map(contract),
  };
}

async function databasesOf(shards: readonly Shard[]): Promise<string[]> {
  const texts = await Promise.all(shards.map((shard) => ask(shard, "SHOW DATABASES")));
  return texts.map((text) => text.trim().split("\n").join(" "));
}

clusterTest(
  "buildData of the sample on shards equals the local build",
  async (shards, folder) => {
    await writeSample({ out: `${folder}/facts` });
    const list = await writeShardList(folder, shards);
    await buildBoth(`${folder}/facts`, list, `${folder}/data.duckdb`);
    equal(await databasesOf(shards), ["default facts system", "default facts system"]);
    const files = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
    equal(files, [
      "data.duckdb",
      "data.duckdb.here",
      "facts",
      "facts.small",
      "password",
      "shards.json",
    ]);
  },
);

clusterTest(
  "buildData gives the same result for irregular facts with either engine, on one to three shards",
  async (shards, folder) => {
    let runs = 0;
    const both = async (facts: Facts) => {
      const name = `facts_${runs++}`;
      await writeFacts(`${folder}/${name}`, facts);
      const some = shards.slice(runs % 3);
      const list = await writeShardList(folder, some, { database: name });
      await buildBoth(`${folder}/${name}`, list, `${folder}/${name}.duckdb`);
    };
    await both(irregularFacts(70, { users: 30 }));
    await both(renamed(irregularFacts(3)));
    await both({ ...irregularFacts(1), contract_events: [], project_daily: [], chain_daily: [] });
    await fc.assert(fc.asyncProperty(arbitraryFacts, both), {
      numRuns: 9,
      seed: 20261121,
      endOnFailure: true,
    });
  },
  { count: 3 },
);

clusterTest(
  "buildData refuses counts that exceed 64 bits over several loads",
  async (shards, folder) => {
    const facts = irregularFacts(1);
    const list = await writeShardList(folder, shards);
    for (const day of [dayOf(0), dayOf(1)]) {
      const activity = Array.from({ length: 600 }, (_, user) => ({
        ...facts.activity[0]!,
        day,
        user_address: `u${user}`,
        gas_used: Number.MAX_SAFE_INTEGER,
      }));
      await writeFacts(`${folder}/facts`, { ...facts, activity });
      await loadShards({ facts: `${folder}/facts`, shards: list });
    }
    await rejects(
      buildData({ facts: `${folder}/facts`, out: `${folder}/data.duckdb`, shards: list }),
      {
        name: "ClusterError",
        message: "activity on the shards: gas_used adds up to more than 9e18",
      },
    );
  },
);

clusterTest(
  "days that are grouped in several steps equal those grouped at once",
  async (shards, folder) => {
    const facts = `${folder}/facts`;
    await writeFacts(facts, irregularFacts(12));
    const list = await writeShardList(folder, shards);
    await loadShards({ facts, shards: list });
    const groups = async (most: number) => {
      const database = await openDuckdb();
      const options = { folder: `${folder}/parts`, most };
      const { lastDay, readActivity } = await shardActivity(list, options);
      await loadFacts(database, facts, { lastDay, since: null });
      await database.run("CREATE SCHEMA work");
      await readActivity(database);
      const rows = ["contract_daily", "user_set", "cohort_count"].map((table) =>
        database.rows(`SELECT COLUMNS(*)::VARCHAR FROM work.${table} ORDER BY ALL`)
      );
      const found = await Promise.all(rows);
      database.close();
      return found;
    };
    const whole = await groups(1_000_000);
    equal(await groups(1), whole);
    equal(await groups(30), whole);
    equal(whole.map((rows) => rows.length > 0), [true, true, true]);
  },
);
