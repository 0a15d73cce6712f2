import { ok } from "node:assert/strict";
import { buildData } from "../../../lib/service/mod.ts";
import { writeGrowingFacts } from "./growing_facts.ts";
import { clusterTest, loadActivity, writeShardList } from "./loaded_facts.ts";
import { startShardProxy } from "./shard_proxy.ts";

interface Growth {
  readonly rows: number;
  readonly bytes: number;
}

function power(one: Growth, other: Growth): number {
  return Math.log(other.bytes / one.bytes) / Math.log(other.rows / one.rows);
}

clusterTest(
  "downloads from shards grow by less than the square root of the rows, as users grow",
  async (shards, folder) => {
    await using stack = new AsyncDisposableStack();
    const proxies = shards.map(({ url }) => stack.use(startShardProxy(url)));
    const received = () => proxies.reduce((sum, proxy) => sum + proxy.received(), 0);
    const found = [];
    for (const users of [1_000, 4_000, 16_000]) {
      const facts = `${folder}/facts_${users}`;
      const rows = await writeGrowingFacts(facts, users);
      const database = `facts_${users}`;
      await loadActivity(shards, { facts, database });
      const list = await writeShardList(folder, proxies, { database });
      const before = received();
      await buildData({ facts, out: `${folder}/${users}.duckdb`, shards: list });
      found.push({ rows, bytes: received() - before });
    }
    const [first, second, last] = found as [Growth, Growth, Growth];
    const told = JSON.stringify(found);
    ok(last.rows > 15 * first.rows, told);
    ok(first.bytes > 100_000, told);
    ok(power(first, last) < 0.5, told);
    // It comes to an end, as there are only so many groups.
    ok(power(second, last) < power(first, second), told);
  },
);
