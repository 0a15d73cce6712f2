import type { Database } from "../engine/duckdb.ts";
import { cohortCountsPart, userMonthsPart } from "./cohort_counts.ts";
import { contractDaysPart } from "./contract_days.ts";
import { userSetsPart } from "./user_sets.ts";

/**
 * The functions of ClickHouse that the statements over raw activity call, as DuckDB macros: the same
 * text runs on both.
 */
export const CLICKHOUSE_NAMES = `
CREATE OR REPLACE MACRO toInt64(number) AS CAST(number AS BIGINT);
CREATE OR REPLACE MACRO toRelativeMonthNum(day) AS year(day) * 12 + month(day);
CREATE OR REPLACE MACRO groupUniqArray(x) AS list(DISTINCT x);
CREATE OR REPLACE MACRO arraySort(list) AS list_sort(list);
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

// Months before the one of the first day that is read stay as they are kept.
function userMonths(since: string | null): string {
  const activity = "(SELECT project_id, user_address, day FROM facts.activity) AS activity";
  if (since === null) return userMonthsPart(activity);
  const kept = "SELECT project_id, user_address, day FROM kept.user_month";
  const month = `date_trunc('month', DATE '${since}')`;
  const changed = `(${kept} WHERE day >= ${month} AND day < DATE '${since}'
    UNION ALL SELECT project_id, user_address, day FROM facts.activity) AS activity`;
  return `${kept} WHERE day < ${month} UNION ALL ${userMonthsPart(changed)}`;
}

/**
 * Reads the activity in the table `facts.activity`: all of it from `since` on is here, so each part is
 * the sum. What is kept for the next build is the table `work.user_month`; what was kept by the last
 * one is `kept.user_month`.
 */
export async function readActivityHere(
  database: Database,
  { since = null, keep = false }: ActivityDays = {},
): Promise<void> {
  await database.run(CLICKHOUSE_NAMES);
  const activity = "facts.activity";
  await database.run(`CREATE TABLE work.contract_daily AS ${contractDaysPart(activity)}`);
  await database.run(`CREATE TABLE work.user_set AS ${userSetsPart(activity)}`);
  const months = since !== null || keep;
  if (months) {
    await database.run(
      `CREATE TABLE work.user_month (project_id VARCHAR, user_address VARCHAR, day DATE);
       INSERT INTO work.user_month ${userMonths(since)}`,
    );
  }
  const seen = months ? "work.user_month" : activity;
  await database.run(`CREATE TABLE work.cohort_count AS ${cohortCountsPart(seen)}`);
}
