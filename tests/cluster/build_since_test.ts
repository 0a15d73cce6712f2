import fc from "fast-check";
import { deepStrictEqual as equal, match } from "node:assert/strict";
import { loadShards } from "../../lib/service/cluster/load_shards.ts";
import { buildData } from "../../lib/service/mod.ts";
import { type Facts, writeFacts } from "../service/facts_model.ts";
import { ACCOUNT, ask, dayOf, irregularFacts, writeShardList } from "./loaded_facts.ts";
import { sameData } from "./same_data.ts";
import { HAS_CLICKHOUSE, type Shard, withShards } from "./shards.ts";

const DAYS = 66;
const VERSIONS = [1, 2, 3].map((seed) => irregularFacts(DAYS, { seed, users: 12 }));

/** Facts of some days, each of one of the versions. */
function factsOf(versions: readonly number[]): Facts {
  const [first] = VERSIONS as [Facts];
  const activity = VERSIONS.flatMap((facts, version) =>
    facts.activity.filter(({ day }) => versions.some((of, n) => of === version && day === dayOf(n)))
  );
  return { ...first, activity };
}

/** A build from shards beside a full one of DuckDB, in a folder of their own. */
function builder(folder: string, list: string) {
  const facts = `${folder}/facts`;
  const out = `${folder}/data.duckdb`;
  return async (state: Facts, options: object) => {
    await writeFacts(facts, state);
    const there = async () => {
      await loadShards({ facts, shards: list });
      return await buildData({ facts, out, shards: list, ...options });
    };
    const full = buildData({ facts, out: `${folder}/full.duckdb` });
    const [{ since, because }] = await Promise.all([there(), full]);
    await sameData(out, `${folder}/full.duckdb`);
    return { since, because };
  };
}

Deno.test({
  name: "a build of new and restated days from shards is a full one, row by row",
  ignore: !HAS_CLICKHOUSE,
  fn: () =>
    withShards({ count: 2, ...ACCOUNT }, async (shards) => {
      let runs = 0;
      const days = fc.record({
        first: fc.integer({ min: 20, max: 50 }),
        steps: fc.array(
          fc.record({
            since: fc.integer({ min: 0, max: DAYS }),
            more: fc.integer({ min: 0, max: 12 }),
            restated: fc.array(fc.tuple(fc.nat(DAYS), fc.nat(2)), { maxLength: 5 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      });
      await fc.assert(
        fc.asyncProperty(days, async ({ first, steps }) => {
          const folder = await Deno.makeTempDir();
          const list = await writeShardList(folder, shards, { database: `facts_${runs++}` });
          const build = builder(folder, list);
          let versions = Array.from({ length: first }, () => 0);
          equal(await build(factsOf(versions), { keep: true }), {
            since: undefined,
            because: undefined,
          });
          for (const { since, more, restated } of steps) {
            const next = Math.min(since, versions.length);
            versions = [...versions, ...Array.from({ length: more }, () => 1)].slice(0, DAYS);
            for (const [day, version] of restated) {
              if (day >= next && day < versions.length) versions[day] = version;
            }
            equal(await build(factsOf(versions), { since: dayOf(since) }), {
              since: dayOf(next),
              because: undefined,
            });
          }
          await Deno.remove(folder, { recursive: true });
        }),
        { numRuns: 5, seed: 20261121, endOnFailure: true },
      );
    }),
});

async function madeMonths(shard: Shard): Promise<string> {
  const sql = "SELECT month, count(*) FROM facts.user_month_made WHERE digest != '' " +
    "GROUP BY month ORDER BY month FORMAT TSV";
  return (await ask(shard, sql)).trim().replaceAll("\t", " ").replaceAll("\n", ", ");
}

Deno.test({
  name: "months of users stay on the shards, and those of other loads or projects are made again",
  ignore: !HAS_CLICKHOUSE,
  fn: () =>
    withShards({ count: 2, ...ACCOUNT }, async (shards) => {
      const folder = await Deno.makeTempDir();
      const build = builder(folder, await writeShardList(folder, shards));
      const versions = Array.from({ length: 64 }, () => 0);
      await build(factsOf(versions), { keep: true });
      equal(await madeMonths(shards[0]!), "202601 1, 202602 1, 202603 1");
      versions[60] = 1;
      equal((await build(factsOf(versions), { since: dayOf(60) })).since, dayOf(60));
      equal(await madeMonths(shards[0]!), "202601 1, 202602 1, 202603 2");
      versions[1] = 2;
      await build(factsOf(versions), { since: dayOf(1) });
      equal(await madeMonths(shards[1]!), "202601 2, 202602 1, 202603 2");
      const facts = factsOf(versions);
      facts.contracts[1]!.product_id = "x1";
      // The contract is of another project now: all days are loaded again, with all months.
      await ask(shards[0]!, "DROP DATABASE facts");
      await ask(shards[1]!, "DROP DATABASE facts");
      const { since, because } = await build(facts, { since: dayOf(60) });
      equal(since, null);
      match(String(because), /^contracts, products or projects have changed: c1,0xb was of x2, p2/);
      // What was made while a build died is of nobody.
      await ask(
        shards[1]!,
        "INSERT INTO facts.user_month_made SELECT 202602, max(step) + 1, '', 0 " +
          "FROM facts.user_month_made",
      );
      await ask(shards[1]!, "ALTER TABLE facts.user_month DROP PARTITION 202602");
      await ask(shards[0]!, "ALTER TABLE facts.user_month DROP PARTITION 202601");
      equal((await build(facts, { since: dayOf(63) })).since, dayOf(63));
      equal(await madeMonths(shards[0]!), "202601 2, 202602 1, 202603 1");
      equal(await madeMonths(shards[1]!), "202601 1, 202602 2, 202603 1");
      await Deno.remove(`${folder}/data.duckdb.kept`);
      match(String((await build(facts, { since: dayOf(63) })).because), /^there is no /);
      // A build from the folder cannot go on from here.
      const here = { facts: `${folder}/facts`, out: `${folder}/data.duckdb`, since: dayOf(63) };
      match(String((await buildData(here)).because), /is of a build from shards/);
      await Deno.remove(folder, { recursive: true });
    }),
});
