import { GROUP_BYS } from "../../schema/vocabulary.ts";
import { type Grouping, GROUPINGS } from "./metric.ts";

const NOTHING = "CAST(NULL AS VARCHAR)";

/** Select list of the three ids, from a table with the columns of a cell. */
export function groupingKeys({ data_id, chain_id, product_id }: Grouping): string {
  return `${data_id} AS data_id, ${chain_id ?? NOTHING} AS chain_id, ` +
    `${product_id ?? NOTHING} AS product_id`;
}

/**
 * Returns SQL of the users of each group and day, from the sets that contain some of its cells.
 *
 * @param keys a table with the group of each cell, in the columns `cell` and `group_no`
 */
export function usersOfSets(keys: string, during: string): string {
  // A set with several cells of a group counts once. A set with one cell needs no lookup.
  const touched = (which: string, sets: string) =>
    `SELECT ${which} users, day, group_no FROM data.user_set JOIN ${keys} USING (cell)
      WHERE ${during} AND ${sets}`;
  return `SELECT group_no, day, sum(users)::BIGINT AS users
    FROM (
      ${touched("", "set_no < 0")} UNION ALL BY NAME
      SELECT * EXCLUDE (set_no) FROM (${touched("DISTINCT set_no,", "set_no > 0")})
    ) AS touched
    GROUP BY group_no, day`;
}

function firstCells({ data_id, chain_id }: Grouping): string {
  const ids = chain_id === null || chain_id === data_id ? data_id : `${data_id}, ${chain_id}`;
  return `(SELECT cell, min(cell) OVER (PARTITION BY ${ids}) AS group_no FROM data.cell) AS keys`;
}

// A set contains a cell at most once.
function usersOfAll(grouping: Grouping): string {
  return grouping.data_id === "product_id" && grouping.chain_id !== null
    ? "SELECT cell AS group_no, day, sum(users)::BIGINT AS users FROM data.user_set GROUP BY cell, day"
    : usersOfSets(firstCells(grouping), "true");
}

/** Stores the users of every whole group and day. A group is identified by its first cell. */
export const GROUP_USERS = `
CREATE TABLE data.group_users (group_by VARCHAR, cell INTEGER, day DATE, users BIGINT);
${
  [...GROUP_BYS].sort().map((group_by) =>
    `INSERT INTO data.group_users
  SELECT '${group_by}', group_no, day, users
  FROM (${usersOfAll(GROUPINGS[group_by])}) AS users ORDER BY day, group_no;`
  ).join("\n")
}
`;

/**
 * Returns SQL of the users of each group and day, if `keys` contains all cells of its groups.
 *
 * @param keys a table with the group of each cell, in the columns `cell` and `group_no`
 */
export function usersOfGroups(grouping: Grouping, keys: string, during: string): string {
  const group_by = GROUP_BYS.find((name) => GROUPINGS[name] === grouping);
  return `SELECT group_no, day, users FROM data.group_users JOIN ${keys} USING (cell)
    WHERE group_by = '${group_by}' AND ${during}`;
}
