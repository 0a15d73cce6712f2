import type { Database } from "../engine/duckdb.ts";
import { cohortCountsPart, cohortCountsSum, userMonthsPart } from "./cohort_counts.ts";
import { contractDaysPart, MONEY_SUMS } from "./contract_days.ts";
import { USD } from "./metric.ts";
import { userSetsPart } from "./user_sets.ts";

/**
 * The functions of ClickHouse that the statements over raw activity call, as DuckDB macros: the same
 * text runs on both.
 */
export const CLICKHOUSE_NAMES = `
CREATE OR REPLACE MACRO toInt64(number) AS CAST(number AS BIGINT);
CREATE OR REPLACE MACRO toRelativeMonthNum(day) AS year(day) * 12 + month(day);
CREATE OR REPLACE MACRO groupUniqArray(x) AS
  CASE WHEN count(*) = 1 THEN list(x) ELSE list_distinct(list(x)) END;
CREATE OR REPLACE MACRO arraySort(list) AS
  CASE WHEN len(list) = 1 THEN list ELSE list_sort(list) END;
CREATE OR REPLACE MACRO has(list, x) AS list_contains(list, x);
`;

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

/** Some rows of users, by a condition on `user_no`, as a table whose `user_address` is a number. */
type UserRows = (where: string) => string;

async function readCohorts(database: Database, rows: UserRows, most: number): Promise<void> {
  const [{ count } = {}] = await database.rows(`SELECT count(*) AS count FROM ${rows("true")}`);
  const parts = Math.max(1, Math.ceil(Number(count) / most));
  for (let part = 0; part < parts; part++) {
    const counts = cohortCountsPart(rows(parts === 1 ? "true" : `user_no % ${parts} = ${part}`));
    await database.run(
      `${
        part === 0 ? "CREATE TABLE work.cohort_part AS" : "INSERT INTO work.cohort_part"
      } ${counts}`,
    );
  }
  await database.run(
    `CREATE TABLE work.cohort_count AS ${cohortCountsSum("work.cohort_part")};
     DROP TABLE work.cohort_part`,
  );
}

const monthsOfUsers: UserRows = (where) =>
  `(SELECT project_id, user_no AS user_address, day FROM work.user_month WHERE ${where}) AS months`;

const NEW_MONTHS = userMonthsPart(activity("day, project_id"));

const ALL_MONTHS = `
CREATE TABLE work.user_number AS FROM facts.users;
CREATE TABLE work.user_month AS
  SELECT project_id, user_address AS user_no, first_seen AS day FROM (${NEW_MONTHS}) AS months;
`;

// Users go by the numbers they had; months before the one of the first day that is read stay as they
// are kept.
function monthsSince(since: string): string {
  const month = `date_trunc('month', DATE '${since}')`;
  const kept = "SELECT CAST(project_id AS facts.project_key) AS project_id, user_no, day " +
    "FROM kept.user_month";
  const rows = `(
    SELECT project_id, user_no AS user_address, day FROM (${kept}) AS months
      WHERE day >= ${month} AND day < DATE '${since}'
    UNION ALL
    SELECT project_id, known.user_no AS user_address, first_seen AS day
      FROM (${NEW_MONTHS}) AS months JOIN facts.users ON users.user_no = months.user_address
        JOIN work.user_number AS known ON known.user_address = users.user_address
  ) AS seen`;
  return `
CREATE TABLE work.user_number AS FROM kept.user_number;
INSERT INTO work.user_number
  SELECT user_address,
    coalesce((SELECT max(user_no) FROM kept.user_number), 0) + row_number() OVER () AS user_no
  FROM facts.users ANTI JOIN kept.user_number USING (user_address);
CREATE TABLE work.month_again AS
  SELECT project_id, user_address AS user_no, first_seen AS day
  FROM (${userMonthsPart(rows)}) AS months;
CREATE VIEW work.user_month AS
  ${kept} WHERE day < ${month} UNION ALL SELECT * FROM work.month_again;
`;
}

// What nothing else reads: more than all the rest.
const LET_GO = `
DROP VIEW IF EXISTS facts.activity;
DROP TABLE IF EXISTS facts.users;
DROP TABLE facts.numbered_activity;
`;

/**
 * Reads the activity in the table `facts.numbered_activity`, which is `facts.activity` with numbers for
 * users, and lets go of it: all of it from `since` on is here, so each part is the sum. What is kept for
 * the next build is `work.user_month`, by the numbers of `work.user_number`; what was kept by the last one is
 * `kept.user_month`, by those of `kept.user_number`.
 */
export async function readActivityHere(
  database: Database,
  { since = null, keep = false }: ActivityDays = {},
): Promise<void> {
  await database.run(CLICKHOUSE_NAMES);
  const most = await rowsAtOnce(database);
  await readContractDays(database);
  await readUserSets(database, most);
  if (since === null && !keep) {
    const rows: UserRows = (where) => activity("day, project_id", where);
    await readCohorts(database, rows, most);
  } else {
    await database.run(since === null ? ALL_MONTHS : monthsSince(since));
    await readCohorts(database, monthsOfUsers, most);
  }
  await database.run(LET_GO);
}
