import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { withCluster } from "../../../lib/service/cluster/cluster.ts";
import { loadShards } from "../../../lib/service/cluster/load_shards.ts";
import { requireWhole } from "../../../lib/service/cluster/manifest.ts";
import { readShardList } from "../../../lib/service/cluster/shard_list.ts";
import { writeFacts } from "../../service/facts_model.ts";
import {
  ask,
  clusterTest,
  dayOf,
  irregularFacts,
  OURS,
  rowsOfFacts,
  rowsOnShards,
  tablesOn,
  writeShardList,
} from "./loaded_facts.ts";

async function whole(list: string): Promise<string[]> {
  const days = await withCluster(await readShardList(list), requireWhole);
  return [...days.keys()];
}

clusterTest(
  "loadShards loads every row to one shard, and none twice",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    await writeFacts(facts, irregularFacts(6));
    const rows = await rowsOfFacts(facts);
    const told: [number, number][] = [];
    const result = await loadShards({
      facts,
      shards: list,
      onProgress: (rows, of) => told.push([rows, of]),
    });
    equal(result, {
      rows: rows.length,
      added: 6,
      restated: 0,
      unchanged: 0,
      others: [],
      rounded: 0,
    });
    equal(told, [[rows.length, rows.length]]);
    equal(await rowsOnShards(shards), rows);
    equal(await tablesOn(shards), [OURS, OURS]);
    equal(await whole(list), [0, 1, 2, 3, 4, 5].map(dayOf));
    const again = await loadShards({ facts, shards: list });
    equal(again, { ...result, rows: 0, added: 0, unchanged: 6 });
    equal(await rowsOnShards(shards), rows);
  },
);

clusterTest(
  "loadShards appends days, replaces restated ones, and lists removed ones",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    const load = async (options: object = {}) => {
      const { added, restated, unchanged, others } = await loadShards({
        facts,
        shards: list,
        ...options,
      });
      return { added, restated, unchanged, others };
    };
    const first = irregularFacts(3);
    await writeFacts(facts, first);
    await load();
    const other = irregularFacts(4, { seed: 2 });
    const on = (day: number, { activity }: typeof first) =>
      activity.filter((row) => row.day === dayOf(day));
    // The second day is restated, the fourth is new.
    const second = {
      ...first,
      activity: [...on(0, first), ...on(1, other), ...on(2, first), ...on(3, other)],
    };
    await writeFacts(facts, second);
    equal(await load(), { added: 1, restated: 1, unchanged: 2, others: [] });
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));

    // A day of fewer rows, all of one user: the other shard has none of it then.
    const one = on(2, first).filter(({ user_address }, _, rows) =>
      user_address === rows[0]!.user_address
    );
    await writeFacts(facts, { ...first, activity: [...on(1, other), ...one] });
    equal(await load({ from: dayOf(2) }), {
      added: 0,
      restated: 1,
      unchanged: 0,
      others: [dayOf(3)],
    });
    await writeFacts(facts, {
      ...second,
      activity: [...on(0, first), ...on(1, other), ...one, ...on(3, other)],
    });
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));

    await writeFacts(facts, { ...first, activity: [...on(1, other), ...one] });
    equal(await load({ prune: true }), {
      added: 0,
      restated: 0,
      unchanged: 2,
      others: [dayOf(0), dayOf(3)],
    });
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));
    equal(await whole(list), [dayOf(1), dayOf(2)]);
    equal(await tablesOn(shards), [OURS, OURS]);
  },
);

clusterTest(
  "loadShards loads and removes more days than one batch",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    await writeFacts(facts, irregularFacts(104, { users: 12 }));
    const told: number[] = [];
    const onProgress = (rows: number) => told.push(rows);
    const { rows, added } = await loadShards({ facts, shards: list, onProgress });
    equal([added, told.length, told.at(-1)], [104, 2, rows]);
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));
    await writeFacts(facts, irregularFacts(3, { users: 12 }));
    const { unchanged, others } = await loadShards({ facts, shards: list, prune: true });
    equal([unchanged, others.length], [3, 101]);
    equal(await rowsOnShards(shards), await rowsOfFacts(facts));
    equal(await whole(list), [dayOf(0), dayOf(1), dayOf(2)]);
  },
);

clusterTest(
  "loadShards refuses facts that a build refuses, and changes no shard",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    const { activity: [row], ...rest } = irregularFacts(1);
    const load = (options: object = {}) => loadShards({ facts, shards: list, ...options });
    const cases: [object, RegExp][] = [
      [
        { account_address: "0xc" },
        /activity.csv, row 1: refers to no known contract: .* c1, 0xc is not in/,
      ],
      [{ day: "1969-12-31" }, /activity.csv, row 1: day is not within 1970-01-01 to/],
      [{ fees_usd: 2e15 }, /activity.csv, row 1: fees_usd is larger than 1e15/],
      [{ gas_used: 2 ** 60 }, /activity.csv, row 1: gas_used is larger than 9007199254740991/],
    ];
    for (const [change, message] of cases) {
      await writeFacts(facts, { ...rest, activity: [{ ...row!, ...change }] });
      await rejects(load(), { name: "FactsError", message });
    }
    await writeFacts(facts, { ...rest, activity: [row!] });
    await rejects(
      load({ from: "2030-01-01" }),
      /activity.csv from 2030-01-01 on: must have at least one row/,
    );
    await rejects(
      load({ from: "2026-02-30" }),
      /loadShards: from: must be a calendar day .*; got "2026-02-30"/,
    );
    equal(await tablesOn(shards), [[], []]);
  },
);

clusterTest(
  "loadShards keeps the days of a contract that moved to another product, since a build looks it up",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    const before = irregularFacts(2);
    await writeFacts(facts, before);
    await loadShards({ facts, shards: list });
    const contracts = before.contracts.map((contract) => ({ ...contract, product_id: "x2" }));
    await writeFacts(facts, { ...before, contracts });
    const { added, restated, unchanged } = await loadShards({ facts, shards: list });
    equal({ added, restated, unchanged }, { added: 0, restated: 0, unchanged: 2 });
  },
);

clusterTest(
  "requireWhole detects a day that a shard lost, and rows that no load wrote",
  async (shards, folder) => {
    const [facts, list] = [`${folder}/facts`, await writeShardList(folder, shards)];
    await rejects(withCluster(await readShardList(list), requireWhole), /Table .*exist|Database/);
    await writeFacts(facts, irregularFacts(3));
    await loadShards({ facts, shards: list });
    await ask(shards[1]!, `ALTER TABLE facts.activity DROP PARTITION '${dayOf(1)}'`);
    await rejects(whole(list), {
      name: "ClusterError",
      message:
        /^shard http.*: has 0 rows of 2026-01-02, and \d+ were loaded: load the same facts again$/,
    });
    await ask(
      shards[0]!,
      `INSERT INTO facts.manifest VALUES ('${dayOf(2)}', ${
        Date.now() * 2
      }, 'x', 'entering', 0, '0')`,
    );
    await rejects(whole(list), {
      message: "the load of 2026-01-03 is incomplete on some shards; load the same facts again",
    });
  },
);
