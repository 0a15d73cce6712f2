import { deepStrictEqual as equal, ok } from "node:assert/strict";
import {
  CLICKHOUSE_NAMES,
  cohortCountsPart,
  cohortCountsSum,
  contractDaysPart,
  contractDaysSum,
  userSetsPart,
  userSetsSum,
} from "../../lib/service/datasets/activity_parts.ts";
import { type Database, openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { HAS_CLICKHOUSE, withShards } from "./shards.ts";

const STATEMENTS = [
  { name: "contract days", part: contractDaysPart, sum: contractDaysSum },
  { name: "user sets", part: userSetsPart, sum: userSetsSum },
  { name: "cohort counts", part: cohortCountsPart, sum: cohortCountsSum },
];

const AMOUNTS = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];
const COLUMNS = [
  "day",
  "user_address",
  "contract",
  "cell",
  "project_id",
  "transaction_count",
  "gas_used",
  ...AMOUNTS,
];

// Gaps, nulls, fractions of a cent, negative revenue, users of several cells and months.
const ACTIVITY = `
CREATE TABLE activity AS
SELECT DATE '2024-11-20' + (h % 120)::INTEGER AS day, 'u' || (h // 7 % 900) AS user_address,
  'c' || (h // 11 % 2) || ',0x' || (h // 13 % 5) AS contract,
  'x' || (h // 13 % 5 % 3) || ',c' || (h // 11 % 2) AS cell, 'p' || (h // 13 % 5 % 2) AS project_id,
  (h // 17 % 9)::BIGINT AS transaction_count,
  CASE WHEN h // 19 % 4 > 0 THEN (h // 23 % 1000)::BIGINT END AS gas_used,
  ${
  AMOUNTS.map((name, index) =>
    `CASE WHEN h // ${29 + 2 * index} % 3 > 0
      THEN CAST((h // ${41 + index} % 2000000000 - ${
      name === "revenue" ? 1000000000 : 0
    })::BIGINT * 0.000000001 AS DECIMAL(38, 9)) END AS ${name}`
  ).join(",\n  ")
}
FROM (SELECT (hash(i) >> 2)::BIGINT AS h FROM range(3000) AS rows(i))
QUALIFY row_number() OVER (PARTITION BY day, user_address, contract ORDER BY h) = 1`;

async function activity(): Promise<Database> {
  const database = await openDuckdb();
  await database.run(CLICKHOUSE_NAMES + ACTIVITY);
  return database;
}

/** The rows of a statement, each as one text, in an order. */
async function rowsOf(database: Database, sql: string): Promise<string[]> {
  const rows = await database.rows(sql);
  return rows.map((row) => JSON.stringify(row)).sort();
}

function topLevel(list: string): string[] {
  const items: string[] = [];
  let depth = 0, from = 0;
  for (let at = 0; at <= list.length; at++) {
    if (list[at] === "(") depth++;
    else if (list[at] === ")") depth--;
    else if (at === list.length || (list[at] === "," && depth === 0)) {
      items.push(list.slice(from, at).trim());
      from = at + 1;
    }
  }
  return items;
}

Deno.test("no alias of a part is the name of a column, or of an alias that it is made from", () => {
  const collisions = (sql: string) =>
    [...sql.matchAll(/SELECT ([^]*?)\bFROM /g)].flatMap(([, list]) =>
      topLevel(list!).flatMap((item) => {
        const [, expression, alias] = /^([^]+) AS (\w+)$/.exec(item) ?? [];
        if (alias === undefined) return [];
        const words: string[] = expression!.match(/[a-z_]\w*/gi) ?? [];
        return COLUMNS.includes(alias) || words.includes(alias) ? [alias] : [];
      })
    );
  equal(collisions("SELECT day, sum(fees) AS fees FROM activity"), ["fees"]);
  equal(collisions("SELECT toInt64(sum(n)) AS n FROM (SELECT count(*) AS n FROM t)"), ["n"]);
  for (const part of STATEMENTS.map(({ part }) => part)) {
    equal([part.name, collisions(part("activity"))], [part.name, []]);
  }
});

Deno.test("the sum over parts of users on several machines is the part of all of them", async () => {
  const database = await activity();
  for (const { name, part, sum } of STATEMENTS) {
    const parts = [0, 1, 2].map((shard) =>
      part(`(SELECT * FROM activity WHERE hash(user_address) % 3 = ${shard}) AS activity`)
    );
    const whole = await rowsOf(database, part("activity"));
    equal(await rowsOf(database, sum(`(${parts.join(" UNION ALL ")}) AS parts`)), whole, name);
    ok(whole.length > 5, name);
  }
  database.close();
});

const TYPES = COLUMNS.map((name) => {
  if (name === "day") return "day Date";
  if (name === "transaction_count") return `${name} Int64`;
  if (name === "gas_used") return `${name} Nullable(Int64)`;
  return `${name} ${AMOUNTS.includes(name) ? "Nullable(Decimal(38, 9))" : "String"}`;
});

Deno.test({
  name: "parts on two ClickHouse servers, put together, are what DuckDB makes of all rows",
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
