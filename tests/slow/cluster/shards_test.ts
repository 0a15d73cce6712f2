import { strictEqual } from "node:assert/strict";
import { HAS_CLICKHOUSE, withShards } from "./shards.ts";

Deno.test({
  name: "two servers start on loopback, crash, and restart with their data",
  ignore: !HAS_CLICKHOUSE,
  fn: () =>
    withShards({ count: 2, user: "builder", password: "secret" }, async (shards) => {
      const query = async (url: string, sql: string) => {
        const response = await fetch(`${url}/?user=builder&password=secret`, {
          method: "POST",
          body: sql,
        });
        return (await response.text()).trim();
      };
      for (const { url } of shards) {
        await query(url, "CREATE TABLE t (n Int64) ENGINE = MergeTree ORDER BY n");
        await query(url, "INSERT INTO t VALUES (1), (2)");
      }
      await shards[0]!.kill();
      await shards[0]!.restart();
      for (const { url } of shards) strictEqual(await query(url, "SELECT sum(n) FROM t"), "3");
    }),
});
