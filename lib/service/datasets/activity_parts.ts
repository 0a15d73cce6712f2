import { COHORT_MONTHS } from "../../schema/vocabulary.ts";
import { AMOUNTS } from "../facts/fact_layout.ts";

// Only the statements in this file read raw activity. Each table has two statements. The first statement computes a
// part of the table from the rows of one machine. Both ClickHouse and DuckDB can run this statement. The second
// statement adds up the parts in DuckDB, and has the columns of the first statement. All rows of a user are on one
// machine, so counts of users and of addresses can be added up.

/** Defines DuckDB macros for the ClickHouse functions in the statements, so that DuckDB can run the statements. */
export const CLICKHOUSE_NAMES = `
CREATE OR REPLACE MACRO toInt64(number) AS CAST(number AS BIGINT);
CREATE OR REPLACE MACRO toRelativeMonthNum(day) AS year(day) * 12 + month(day);
CREATE OR REPLACE MACRO groupUniqArray(x) AS
  CASE WHEN count(*) = 1 THEN list(x) ELSE list_distinct(list(x)) END;
CREATE OR REPLACE MACRO arraySort(list) AS
  CASE WHEN len(list) = 1 THEN list ELSE list_sort(list) END;
CREATE OR REPLACE MACRO has(list, x) AS list_contains(list, x);
`;

// Columns of integers that are summed by contract and day.
const COUNTS = ["transaction_count", "gas_used"];

/** Columns that are sums of amounts in US dollars. */
export const MONEY_SUMS: readonly string[] = [...AMOUNTS, "net_flows"].map((name) => `${name}_sum`);

/**
 * Returns SQL of the totals per contract and day.
 *
 * A user has one row per contract and day, so the number of rows is the number of distinct addresses.
 *
 * @param activity the table of activity: `contract`, `day`, amounts and counts
 */
export function contractDaysPart(activity: string): string {
  return `SELECT contract, day,
  ${COUNTS.map((name) => `toInt64(sum(${name})) AS ${name}_sum`).join(",\n  ")},
  ${AMOUNTS.map((name) => `sum(${name}) AS ${name}_sum`).join(",\n  ")},
  sum(inflows - outflows) AS net_flows_sum,
  toInt64(count(*)) AS addresses
FROM ${activity}
GROUP BY contract, day`;
}

/** Returns SQL that adds up the results of {@linkcode contractDaysPart} from all machines. */
export function contractDaysSum(parts: string): string {
  const total = (name: string) =>
    MONEY_SUMS.includes(name) ? `sum(${name})` : `toInt64(sum(${name}))`;
  const columns = [...COUNTS.map((name) => `${name}_sum`), ...MONEY_SUMS, "addresses"];
  return `SELECT contract, day,
  ${columns.map((name) => `${total(name)} AS ${name}`).join(",\n  ")}
FROM ${parts}
GROUP BY contract, day`;
}

/**
 * Returns SQL that counts, for each day and each set of cells, the addresses that used exactly this set on this day. A
 * cell is a product on a chain.
 *
 * Counts of distinct addresses do not add up over cells, because an address can use several cells. Counts by set of
 * cells add up: an address has exactly one set per day. The count for a selection of cells is the sum over all sets
 * that contain at least one of these cells.
 *
 * @param activity the table of activity: `day`, `user_address`, `cell`
 */
export function userSetsPart(activity: string): string {
  return `SELECT day, cells, toInt64(count(*)) AS users
FROM (
  SELECT day, user_address, arraySort(groupUniqArray(cell)) AS cells
  FROM ${activity}
  GROUP BY day, user_address
) AS sets
GROUP BY day, cells`;
}

/** Returns SQL that adds up the results of {@linkcode userSetsPart} from all machines. */
export function userSetsSum(parts: string): string {
  return `SELECT day, cells, toInt64(sum(users)) AS users FROM ${parts} GROUP BY day, cells`;
}

/**
 * Returns SQL that counts the users of each project by the month of their first activity. `first_month` is this month,
 * counted from year 0. `seen_k` is the number of these users who were also active k months later.
 *
 * @param activity the table of activity: `day`, `user_address`, `project_id`
 */
export function cohortCountsPart(activity: string): string {
  const seen = COHORT_MONTHS.map((k) =>
    `toInt64(sum(CASE WHEN has(months, first_month + ${k}) THEN 1 ELSE 0 END)) AS seen_${k}`
  );
  return `SELECT project_id, first_month, toInt64(count(*)) AS users,
  ${seen.join(",\n  ")}
FROM (
  SELECT project_id, months, months[1] AS first_month
  FROM (
    SELECT project_id, user_address,
      arraySort(groupUniqArray(toInt64(toRelativeMonthNum(day)))) AS months
    FROM ${activity}
    GROUP BY project_id, user_address
  ) AS users_seen
) AS users_first_seen
GROUP BY project_id, first_month`;
}

/** Returns SQL that adds up the results of {@linkcode cohortCountsPart} from all machines. */
export function cohortCountsSum(parts: string): string {
  const counts = ["users", ...COHORT_MONTHS.map((k) => `seen_${k}`)];
  return `SELECT project_id, first_month,
  ${counts.map((name) => `toInt64(sum(${name})) AS ${name}`).join(",\n  ")}
FROM ${parts}
GROUP BY project_id, first_month`;
}
