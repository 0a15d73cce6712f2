import { GROUP_BYS } from "../../schema/vocabulary.ts";
import { type Grouping, GROUPINGS } from "./metric.ts";

const NOTHING = "CAST(NULL AS VARCHAR)";

/**
 * Returns the select list of the three ids, from a table with the columns of `data.cell`. A cell is a product on a
 * chain.
 */
export function groupingKeys({ data_id, chain_id, product_id }: Grouping): string {
  return `${data_id} AS data_id, ${chain_id ?? NOTHING} AS chain_id, ` +
    `${product_id ?? NOTHING} AS product_id`;
}

/**
 * Returns SQL of the users of each group and day, from `data.user_set`, which has the number of users of each set of
 * cells. The users of a group are those of all sets that contain at least one of its cells.
 *
 * @param keys a table with the group of each cell, in the columns `cell` and `group_no`
 */
export function usersOfSets(keys: string, during: string): string {
  // A set with several cells of a group must count once, so DISTINCT is needed. Sets with one cell do not need it.
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

// If each group is a single cell, a set contains the group at most once, so its users are added without DISTINCT.
function usersOfAll(grouping: Grouping): string {
  return grouping.data_id === "product_id" && grouping.chain_id !== null
    ? "SELECT cell AS group_no, day, sum(users)::BIGINT AS users FROM data.user_set GROUP BY cell, day"
    : usersOfSets(firstCells(grouping), "true");
}

/** Stores the users of every whole group and day. A group is identified by the number of its first cell. */
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
 * Returns SQL of the users of each group and day from `data.group_users`. `keys` must contain all cells of each
 * group.
 *
 * @param keys a table with the group of each cell, in the columns `cell` and `group_no`
 */
export function usersOfGroups(grouping: Grouping, keys: string, during: string): string {
  const group_by = GROUP_BYS.find((name) => GROUPINGS[name] === grouping);
  return `SELECT group_no, day, users FROM data.group_users JOIN ${keys} USING (cell)
    WHERE group_by = '${group_by}' AND ${during}`;
}
