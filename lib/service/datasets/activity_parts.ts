import { COHORT_MONTHS } from "../../schema/vocabulary.ts";

// The statements that read raw activity, of which there are no others: a part over the rows that one machine
// holds, as SQL that ClickHouse and DuckDB both run, and a sum over the parts of all machines, as SQL of DuckDB
// with the columns of a part. No user has rows on two machines, so users and addresses add up.

/** The functions of ClickHouse that the parts call, as DuckDB macros: the same text runs on both. */
export const CLICKHOUSE_NAMES = `
CREATE OR REPLACE MACRO toInt64(number) AS CAST(number AS BIGINT);
CREATE OR REPLACE MACRO toRelativeMonthNum(day) AS year(day) * 12 + month(day);
CREATE OR REPLACE MACRO groupUniqArray(x) AS
  CASE WHEN count(*) = 1 THEN list(x) ELSE list_distinct(list(x)) END;
CREATE OR REPLACE MACRO arraySort(list) AS
  CASE WHEN len(list) = 1 THEN list ELSE list_sort(list) END;
CREATE OR REPLACE MACRO has(list, x) AS list_contains(list, x);
`;

// What is added up of the activity of a contract on a day, and the type of the sums.
const COUNTS = ["transaction_count", "gas_used"];
const AMOUNTS = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];

/** The columns of a part that are sums of money. */
export const MONEY_SUMS: readonly string[] = [...AMOUNTS, "net_flows"].map((name) => `${name}_sum`);

/**
 * What happened in each contract on each day. A user has one row of a contract and day, so rows are
 * distinct addresses.
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

/** The contract days of all machines, from the table of their parts. */
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
 * How many addresses used exactly the same cells (a product on a chain each) on a day. Distinct
 * addresses do not add up over cells, but these counts do: an address is in one set a day. So the exact
 * number for any selection of cells is the sum over the sets that touch it.
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

/** The user sets of all machines, from the table of their parts. */
export function userSetsSum(parts: string): string {
  return `SELECT day, cells, toInt64(sum(users)) AS users FROM ${parts} GROUP BY day, cells`;
}

/**
 * How many users of a project were first seen in a month (`first_month`, counted from year 0), and
 * how many of them were seen again k months later (`seen_k`).
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

/** The cohort counts of all machines, from the table of their parts. */
export function cohortCountsSum(parts: string): string {
  const counts = ["users", ...COHORT_MONTHS.map((k) => `seen_${k}`)];
  return `SELECT project_id, first_month,
  ${counts.map((name) => `toInt64(sum(${name})) AS ${name}`).join(",\n  ")}
FROM ${parts}
GROUP BY project_id, first_month`;
}
