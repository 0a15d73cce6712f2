// What is added up of the activity of a contract on a day, and the type of the sums.
const COUNTS = ["transaction_count", "gas_used"];
const AMOUNTS = ["fees", "revenue", "dex_trading_volume", "inflows", "outflows"];

/** The columns of a part that are sums of money. */
export const MONEY_SUMS: readonly string[] = [...AMOUNTS, "net_flows"].map((name) => `${name}_sum`);

/**
 * What happened in each contract on each day, from the rows of activity that one machine holds, as
 * SQL that ClickHouse runs as well. A user has one row of a contract and day, so rows are distinct
 * addresses.
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

/**
 * The parts of all machines put together, as SQL of DuckDB with the columns of a part. No user has
 * rows on two machines, so addresses add up.
 *
 * @param parts the table of the parts' rows
 */
export function contractDaysSum(parts: string): string {
  const total = (name: string) =>
    MONEY_SUMS.includes(name) ? `sum(${name})` : `toInt64(sum(${name}))`;
  const columns = [...COUNTS.map((name) => `${name}_sum`), ...MONEY_SUMS, "addresses"];
  return `SELECT contract, day,
  ${columns.map((name) => `${total(name)} AS ${name}`).join(",\n  ")}
FROM ${parts}
GROUP BY contract, day`;
}
