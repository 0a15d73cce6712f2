import fc from "fast-check";
import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { dirname } from "node:path";
import { shardActivity } from "../../../lib/service/cluster/read_shards.ts";
import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { loadFacts } from "../../../lib/service/facts/load_facts.ts";
import { buildData, writeSample } from "../../../lib/service/mod.ts";
import { arbitraryFacts } from "../../service/arbitrary_facts.ts";
import { type Facts, writeFacts } from "../../service/facts_model.ts";
import {
  activityCsv,
  ask,
  clusterTest,
  dayOf,
  eventually,
  irregularFacts,
  loadActivity,
  statementsOfPage,
  writeShardList,
} from "./loaded_facts.ts";
import { sameData } from "./same_data.ts";
import type { Shard } from "./shards.ts";

/** Loads facts, builds with both engines, and compares: the build of the shards is given all but the activity. */
async function buildBoth(
  shards: readonly Shard[],
  { facts, database = "facts" }: { facts: string; database?: string },
): Promise<void> {
  await loadActivity(shards, { facts, database });
  const list = await writeShardList(dirname(facts), shards, { database });
  const small = `${facts}.small`;
  await Deno.mkdir(small);
  for await (const { name } of Deno.readDir(facts)) {
    if (!name.startsWith("activity.")) await Deno.copyFile(`${facts}/${name}`, `${small}/${name}`);
  }
  const [there, here] = await Promise.all([
    buildData({ facts: small, out: `${facts}.there`, shards: list }),
    buildData({ facts, out: `${facts}.here` }),
  ]);
  equal(there, here);
  await sameData(`${facts}.there`, `${facts}.here`);
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

clusterTest(
  "buildData of the sample on shards equals the local build",
  async (shards, folder) => {
    await writeSample({ out: `${folder}/facts` });
    await buildBoth(shards, { facts: `${folder}/facts` });
    for (const shard of shards) {
      equal(
        await ask(shard, "SELECT name FROM system.tables WHERE database = 'facts'"),
        "activity\n",
      );
    }
    const files = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
    equal(files, ["facts", "facts.here", "facts.small", "facts.there", "shards.json"]);
  },
);

clusterTest(
  "buildData gives the same result for irregular facts with either engine, on one to three shards",
  async (shards, folder) => {
    let runs = 0;
    const both = async (facts: Facts) => {
      const database = `facts_${runs++}`;
      await writeFacts(`${folder}/${database}`, facts);
      await buildBoth(shards.slice(runs % 3), { facts: `${folder}/${database}`, database });
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
  "the Distributed table of the page puts each user on the shard that a build expects",
  async (shards, folder) => {
    const facts = `${folder}/facts`;
    await writeFacts(facts, irregularFacts(12));
    const [createDatabase, createTable, distributed, drop] = statementsOfPage("facts");
    for (const shard of shards) {
      await ask(shard, createDatabase!);
      await ask(shard, createTable!);
    }
    await shards[0]!.addCluster("facts", shards);
    await ask(shards[0]!, distributed!);
    const insert = async () => {
      const text = await activityCsv(facts);
      await ask(shards[0]!, `INSERT INTO facts.all_activity FORMAT CSV\n${text}`);
      // A current clickhouse-client waits with --insert_distributed_sync 1.
      const rows = `${text.split(/\r?\n(?=\d{4}-)/).length}\n`;
      await eventually(async () =>
        equal(await ask(shards[0]!, "SELECT count() FROM facts.all_activity"), rows)
      );
    };
    await insert();
    const list = await writeShardList(folder, shards);
    const build = () => buildData({ facts, out: `${folder}/data.duckdb`, shards: list });
    await build();
    await buildData({ facts, out: `${folder}/here.duckdb` });
    await sameData(`${folder}/data.duckdb`, `${folder}/here.duckdb`);

    const turned = await writeShardList(folder, [...shards].reverse());
    await rejects(buildData({ facts, out: `${folder}/data.duckdb`, shards: turned }), {
      name: "ClusterError",
      message:
        /^shard http:\S+: \d+ rows of 2026-01-01 to 2026-01-12 are of users of another shard: cityHash64\(user_address\) % 2 = [01] must hold$/,
    });
    await writeShardList(folder, shards);
    const { activity, ...rest } = irregularFacts(12);
    await writeFacts(facts, { ...rest, activity: activity.slice(0, 3) });
    await ask(shards[0]!, `INSERT INTO facts.all_activity FORMAT CSV\n${await activityCsv(facts)}`);
    await eventually(() =>
      rejects(build(), {
        name: "ClusterError",
        message: /^shard http:\S+: \d rows of \S+ to \S+ repeat a user, contract and day$/,
      })
    );
    for (const shard of shards) {
      for (let day = 0; day < 12; day++) await ask(shard, drop!.replace("2026-06-17", dayOf(day)));
    }
    await rejects(build(), {
      name: "ClusterError",
      message: "the shards have no rows of activity",
    });
    await writeFacts(facts, irregularFacts(12));
    await insert();
    await build();
    await sameData(`${folder}/data.duckdb`, `${folder}/here.duckdb`);
  },
);

clusterTest(
  "buildData refuses tables and rows that the facts would not allow",
  async (shards, folder) => {
    const facts = `${folder}/facts`;
    const { activity: [row], ...rest } = irregularFacts(1);
    const write = async (rows: object[]) => {
      const activity = rows.map((change) => ({ ...row!, ...change }));
      await writeFacts(facts, { ...rest, activity });
      for (const shard of shards) await ask(shard, "DROP DATABASE IF EXISTS facts");
      await loadActivity(shards, { facts });
    };
    const list = await writeShardList(folder, shards);
    const refused = (message: RegExp) =>
      rejects(buildData({ facts, out: `${folder}/data.duckdb`, shards: list }), {
        name: "ClusterError",
        message,
      });
    await refused(
      /^shard http:\S+: facts.activity: day must be a column of the type Date; got none$/,
    );
    const wrong =
      /: 1 rows of 2026-01-01 to 2026-01-01 have no user, or a count or an amount out of range$/;
    for (
      const [change, message] of [
        [{ transaction_count: -1 }, wrong],
        [{ gas_used: 2 ** 60 }, wrong],
        [{ fees_usd: 2e15 }, wrong],
        [{ inflows_usd: -1 }, wrong],
        [{ revenue_usd: -2e15 }, wrong],
        [{ account_address: "0xc" }, /: 1 rows of .* refer to no known contract: c1,0xc is not in/],
      ] as [object, RegExp][]
    ) {
      await write([change]);
      await refused(message);
    }
    await write([{ revenue_usd: -1e15, fees_usd: 1e15, gas_used: Number.MAX_SAFE_INTEGER }]);
    await buildData({ facts, out: `${folder}/data.duckdb`, shards: list });
    const users = Array.from({ length: 1_200 }, (_, user) => ({
      user_address: `u${user}`,
      gas_used: Number.MAX_SAFE_INTEGER,
    }));
    await write(users);
    await refused(/^activity on the shards: gas_used adds up to more than 9e18$/);
    await ask(shards[1]!, "ALTER TABLE facts.activity MODIFY COLUMN gas_used Nullable(Float64)");
    await refused(
      /activity: gas_used must be a column of the type Nullable\(Int64\); got Nullable\(Float64\)$/,
    );
  },
);

clusterTest(
  "days that are grouped in several steps equal those grouped at once",
  async (shards, folder) => {
    const facts = `${folder}/facts`;
    await writeFacts(facts, irregularFacts(12));
    const list = await writeShardList(folder, shards);
    await loadActivity(shards, { facts });
    const groups = async (most: number) => {
      const database = await openDuckdb();
      const options = { folder: `${folder}/parts`, most };
      const { lastDay, readActivity } = await shardActivity(list, options);
      await loadFacts(database, facts, lastDay);
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
