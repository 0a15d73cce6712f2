/**
 * How many addresses used exactly the same cells (a product on a chain each) on a day, from the rows
 * of activity that one machine holds, as SQL that ClickHouse runs as well. Distinct addresses do not
 * add up over cells, but these counts do: an address is in one set a day. So the exact number for any
 * selection of cells is the sum over the sets that touch it.
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

/**
 * The parts of all machines put together, as SQL of DuckDB with the columns of a part. No user has
 * rows on two machines, so users add up.
 *
 * @param parts the table of the parts' rows
 */
export function userSetsSum(parts: string): string {
  return `SELECT day, cells, toInt64(sum(users)) AS users FROM ${parts} GROUP BY day, cells`;
}
