import { GROUP_BYS } from "../../schema/vocabulary.ts";
import { type Grouping, GROUPINGS } from "./metric.ts";

const NOTHING = "CAST(NULL AS VARCHAR)";

/** The select list of the three ids, from a table that has the columns of a cell. */
export function groupingKeys({ data_id, chain_id, product_id }: Grouping): string {
  return `${data_id} AS data_id, ${chain_id ?? NOTHING} AS chain_id, ` +
    `${product_id ?? NOTHING} AS product_id`;
}

/**
 * SQL of the users of each group and day, from the sets that touch some cells on some days.
 *
 * @param keys a table that says the group of each cell, in the columns `cell` and `group_no`
 */
export function usersOfSets(keys: string, during: string): string {
  // A set that touches a group in several cells counts once; a set of one cell has nothing to look for.
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

// A set touches a product on a chain, which is a cell, once.
function usersOfAll(grouping: Grouping): string {
  return grouping.data_id === "product_id" && grouping.chain_id !== null
    ? "SELECT cell AS group_no, day, sum(users)::BIGINT AS users FROM data.user_set GROUP BY cell, day"
    : usersOfSets(firstCells(grouping), "true");
}

/**
 * Keeps the users of every group and day, which questions about whole groups are answered from. A
 * group goes by the first of its cells.
 */
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
 * SQL of the users of each group and day, where the cells of `keys` are all that their groups have.
 *
 * @param keys a table that says the group of each cell, in the columns `cell` and `group_no`
 */
export function usersOfGroups(grouping: Grouping, keys: string, during: string): string {
  const group_by = GROUP_BYS.find((name) => GROUPINGS[name] === grouping);
  return `SELECT group_no, day, users FROM data.group_users JOIN ${keys} USING (cell)
    WHERE group_by = '${group_by}' AND ${during}`;
}
