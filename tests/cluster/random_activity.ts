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

/** The statements that read raw activity: the part of a shard, and the sum of all parts. */
export const STATEMENTS = [
  { name: "contract days", part: contractDaysPart, sum: contractDaysSum },
  { name: "user sets", part: userSetsPart, sum: userSetsSum },
  { name: "cohort counts", part: cohortCountsPart, sum: cohortCountsSum },
];

export const AMOUNTS = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];
export const COLUMNS = [
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

/** Opens a database with 3 000 random rows in the table `activity`. */
export async function activity(): Promise<Database> {
  const database = await openDuckdb();
  await database.run(CLICKHOUSE_NAMES + ACTIVITY);
  return database;
}

/** The rows of a statement, each as one text, in an order. */
export async function rowsOf(database: Database, sql: string): Promise<string[]> {
  const rows = await database.rows(sql);
  return rows.map((row) => JSON.stringify(row)).sort();
}
