import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { activity, AMOUNTS, COLUMNS, rowsOf, STATEMENTS } from "../../cluster/random_activity.ts";
import { HAS_CLICKHOUSE, withShards } from "./shards.ts";

const TYPES = COLUMNS.map((name) => {
  if (name === "day") return "day Date";
  if (name === "transaction_count") return `${name} Int64`;
  if (name === "gas_used") return `${name} Nullable(Int64)`;
  return `${name} ${AMOUNTS.includes(name) ? "Nullable(Decimal(38, 9))" : "String"}`;
});

Deno.test({
  name: "parts of two ClickHouse servers add up to DuckDB's result for all rows",
  ignore: !HAS_CLICKHOUSE,
  fn: () =>
    withShards({ count: 2, user: "builder", password: "secret" }, async (shards) => {
      const database = await activity();
      const ask = async (url: string, sql: string, body = "") => {
        const query = new URLSearchParams({ user: "builder", password: "secret", query: sql });
        const response = await fetch(`${url}/?${query}`, { method: "POST", body });
        const text = await response.text();
        ok(response.ok, `${sql}: ${text}`);
        return text;
      };
      for (const [shard, { url }] of shards.entries()) {
        await ask(
          url,
          `CREATE TABLE activity (${TYPES.join(", ")}) ENGINE = MergeTree
           PARTITION BY day ORDER BY (day, user_address)`,
        );
        const rows = await database.rows(
          `SELECT ${COLUMNS.map((name) => `CAST(${name} AS VARCHAR) AS ${name}`).join(", ")}
           FROM activity WHERE hash(user_address) % 2 = ${shard}`,
        );
        const lines = rows.map((row) => COLUMNS.map((name) => row[name] ?? "\\N").join("\t"));
        await ask(url, "INSERT INTO activity FORMAT TSV", lines.join("\n") + "\n");
      }
      const folder = await Deno.makeTempDir();
      for (const { name, part, sum } of STATEMENTS) {
        const table = name.replace(" ", "_");
        await database.run(`CREATE TABLE ${table} AS ${part("activity")} LIMIT 0`);
        for (const { url } of shards) {
          const text = await ask(url, `${part("activity")} FORMAT TSV`);
          // Arrays of names without a quote or a bracket in them.
          await Deno.writeTextFile(`${folder}/part.tsv`, text);
          await database.run(
            `INSERT INTO ${table} SELECT * FROM read_csv('${folder}/part.tsv', delim = '\\t',
               header = false, all_varchar = true, nullstr = '\\N', quote = '', escape = '')`,
          );
        }
        equal(
          await rowsOf(database, sum(table)),
          await rowsOf(database, part("activity")),
          name,
        );
      }
      await Deno.remove(folder, { recursive: true });
      database.close();
    }),
});
