import type { Database } from "../engine/duckdb.ts";
import { CLICKHOUSE_NAMES, contractDaysPart, MONEY_SUMS, userSetsPart } from "./activity_parts.ts";
import { USD } from "../facts/amounts.ts";
import { readCohorts, readMonths } from "./read_cohorts.ts";

/** Which days of activity are read. */
export interface ActivityDays {
  /**
   * The first day that is read, as the days before are kept; null is every day.
   * @default null
   */
  readonly since?: string | null;
  /**
   * Whether what the next build needs of these days is kept.
   * @default false
   */
  readonly keep?: boolean;
}

/**
 * Reads the raw activity, wherever it is, into three tables of the schema `work`, which everything
 * else is built from: `contract_daily`, `user_set` and `cohort_count`, with the columns of their
 * parts. Contracts are called `chain_id,account_address` there, cells `product_id,chain_id`.
 *
 * With `since`, `contract_daily` and `user_set` get the days from that one on: the build puts the days
 * before beside them, which it kept. `cohort_count` is about all days: what it is counted from, the
 * rows of `userMonthsPart` of each month, is kept where the activity is, and the months from `since`
 * on are made again, of what is kept of days before `since` and of the activity from it on.
 */
export type ReadActivity = (database: Database, days: ActivityDays) => Promise<void>;

// How many rows are grouped at once: the lists of their groups cannot spill.
async function rowsAtOnce(database: Database): Promise<number> {
  const [row] = await database.rows(
    "SELECT parse_formatted_bytes(current_setting('memory_limit')) AS bytes",
  );
  return Math.min(4_000_000, Math.ceil(Number(row?.bytes) / 1_000));
}

// Users go by numbers here, which are counted as quickly as addresses.
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

// A user of a day is in one set: what days have adds up to nothing.
async function readUserSets(database: Database, most: number): Promise<void> {
  const days = await database.rows(
    "SELECT day, count(*) AS rows FROM facts.numbered_activity GROUP BY day ORDER BY day",
  );
  let rows = Infinity;
  const starts: string[] = [];
  for (const { day, rows: more } of days) {
    rows += Number(more);
    if (rows <= most) continue;
    starts.push(String(day));
    rows = Number(more);
  }
  await database.run(
    `CREATE TABLE work.user_set AS ${userSetsPart(activity("day, cell", "false"))}`,
  );
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1];
    const where = `day >= DATE '${start}'${end === undefined ? "" : ` AND day < DATE '${end}'`}`;
    await database.run(
      `INSERT INTO work.user_set ${userSetsPart(activity("day, cell", where))}`,
    );
  }
}

// What nothing else reads: more than all the rest.
const LET_GO = `
DROP VIEW IF EXISTS facts.activity;
DROP TABLE IF EXISTS facts.users;
DROP TABLE facts.numbered_activity;
`;

/**
 * Reads the activity in the table `facts.numbered_activity`, which is `facts.activity` with numbers for
 * users, and lets go of it: all of it from `since` on is here, so each part is the sum. What was kept
 * by the last build is in the schema `kept`.
 */
export async function readActivityHere(
  database: Database,
  { since = null, keep = false }: ActivityDays = {},
): Promise<void> {
  await database.run(CLICKHOUSE_NAMES);
  const most = await rowsAtOnce(database);
  await readContractDays(database);
  await readUserSets(database, most);
  if (since === null && !keep) await readCohorts(database, most);
  else await readMonths(database, since, most);
  await database.run(LET_GO);
}
