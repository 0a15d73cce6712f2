import type { Database } from "../engine/duckdb.ts";
import { cohortCountsPart } from "./cohort_counts.ts";
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

/**
 * Reads the raw activity, wherever it is, into three tables of the schema `work`, which everything
 * else is built from: `contract_daily`, `user_set` and `cohort_count`, with the columns of their
 * parts. Contracts are called `chain_id,account_address` there, cells `product_id,chain_id`.
 */
export type ReadActivity = (database: Database) => Promise<void>;

/** Reads the activity in the table `facts.activity`: all of it is here, so each part is the sum. */
export async function readActivityHere(database: Database): Promise<void> {
  await database.run(CLICKHOUSE_NAMES);
  const activity = "facts.activity";
  await database.run(`CREATE TABLE work.contract_daily AS ${contractDaysPart(activity)}`);
  await database.run(`CREATE TABLE work.user_set AS ${userSetsPart(activity)}`);
  await database.run(`CREATE TABLE work.cohort_count AS ${cohortCountsPart(activity)}`);
}
