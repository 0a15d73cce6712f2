import type { Database } from "../engine/duckdb.ts";
import {
  CLICKHOUSE_NAMES,
  cohortCountsPart,
  cohortCountsSum,
  contractDaysPart,
  MONEY_SUMS,
  userSetsPart,
} from "./activity_parts.ts";
import { USD } from "../facts/amounts.ts";

/**
 * Reads the raw activity into the tables `contract_daily`, `user_set` and `cohort_count` of the schema
 * `work`.
 *
 * All datasets are built from these tables. The key of a contract is `chain_id,account_address`. A cell is a product
 * on a chain, and its key is `product_id,chain_id`.
 */
export type ReadActivity = (database: Database) => Promise<void>;

// Returns how many rows a query may group at most. Grouping creates lists, which DuckDB cannot spill to disk.
async function rowsAtOnce(database: Database): Promise<number> {
  const [row] = await database.rows(
    "SELECT parse_formatted_bytes(current_setting('memory_limit')) AS bytes",
  );
  return Math.min(4_000_000, Math.ceil(Number(row?.bytes) / 1_000));
}

// Uses numbers in place of the addresses of users, because distinct numbers are faster to count.
function activity(columns: string, where = "true"): string {
  return `(SELECT ${columns}, user_no AS user_address FROM facts.numbered_activity
    WHERE ${where}) AS activity`;
}

async function readContractDays(database: Database): Promise<void> {
  const sums = MONEY_SUMS.map((name) => `CAST(${name} AS ${USD}) AS ${name}`);
  await database.run(
    `CREATE TABLE work.contract_daily AS SELECT * REPLACE (${sums.join(", ")})
     FROM (${contractDaysPart(activity("*"))}) AS parts`,
  );
}

// A user has exactly one set of cells per day, so the days can be divided among several queries.
async function readUserSets(database: Database, most: number): Promise<void> {
  const parts = await database.rows(
    `SELECT min(day) AS first, max(day) AS last
     FROM (SELECT day, sum(count(*)) OVER (ORDER BY day) // ${most} AS part
       FROM facts.numbered_activity GROUP BY day)
     GROUP BY part ORDER BY part`,
  );
  await database.run(
    `CREATE TABLE work.user_set AS ${userSetsPart(activity("day, cell", "false"))}`,
  );
  for (const { first, last } of parts) {
    const where = `day >= DATE '${first}' AND day <= DATE '${last}'`;
    await database.run(
      `INSERT INTO work.user_set ${userSetsPart(activity("day, cell", where))}`,
    );
  }
}

// DuckDB cannot spill lists of months to disk, so each query counts only some of the users: about `most` rows.
async function readCohorts(database: Database, most: number): Promise<void> {
  const [row] = await database.rows("SELECT count(*) AS rows FROM facts.numbered_activity");
  const parts = Math.max(1, Math.ceil(Number(row?.rows) / most));
  for (let part = 0; part < parts; part++) {
    const users = activity("day, project_id", `user_no % ${parts} = ${part}`);
    await database.run(
      `${part === 0 ? "CREATE TABLE work.cohort_part AS" : "INSERT INTO work.cohort_part"}
       ${cohortCountsPart(users)}`,
    );
  }
  await database.run(
    `CREATE TABLE work.cohort_count AS ${cohortCountsSum("work.cohort_part")};
     DROP TABLE work.cohort_part`,
  );
}

/**
 * Reads the activity from `facts.numbered_activity`, in which users are numbers, and then drops this table.
 */
export async function readActivityHere(database: Database): Promise<void> {
  await database.run(CLICKHOUSE_NAMES);
  const most = await rowsAtOnce(database);
  await readContractDays(database);
  await readUserSets(database, most);
  await readCohorts(database, most);
  await database.run("DROP TABLE facts.numbered_activity");
}
