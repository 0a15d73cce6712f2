import { GROUP_BYS } from "../../schema/vocabulary.ts";
import { type Grouping, GROUPINGS } from "./metric.ts";

const NOTHING = "CAST(NULL AS VARCHAR)";

/** The select list of the three ids, from a table that has the columns of a cell. */
export function groupingKeys({ data_id, chain_id, product_id }: Grouping): string {
  return `${data_id} AS data_id, ${chain_id ?? NOTHING} AS chain_id, ` +
    `${product_id ?? NOTHING} AS product_id`;
}

function keysOf(grouping: Grouping, cells: string): string {
  return `(SELECT cell, ${groupingKeys(grouping)} FROM ${cells} AS cells) AS keys`;
}

/** SQL of the users of each group and day, from the sets that touch some cells on some days. */
export function usersOfSets(grouping: Grouping, cells: string, during: string): string {
  // A set that touches a group in several cells counts once.
  return `SELECT data_id, chain_id, product_id, day, sum(users)::BIGINT AS users
    FROM (
      SELECT DISTINCT day, set_no, users, data_id, chain_id, product_id
      FROM data.user_set JOIN ${keysOf(grouping, cells)} USING (cell)
      WHERE ${during}
    ) AS touched
    GROUP BY data_id, chain_id, product_id, day`;
}

/** Keeps the users of every group and day, which questions about whole groups are answered from. */
export const GROUP_USERS = `
CREATE TABLE data.group_users AS
  ${
  GROUP_BYS.map((group_by) =>
    `SELECT '${group_by}' AS group_by, *
    FROM (${usersOfSets(GROUPINGS[group_by], "data.cell", "true")}) AS users`
  ).join("\n  UNION ALL ")
}
  ORDER BY group_by, day, data_id, chain_id;
`;

/** SQL of the users of each group that has one of some cells, where those are all of its cells. */
export function usersOfGroups(grouping: Grouping, cells: string, during: string): string {
  const group_by = GROUP_BYS.find((name) => GROUPINGS[name] === grouping);
  const kept = `SELECT data_id, chain_id, product_id, day, users FROM data.group_users
    WHERE group_by = '${group_by}' AND ${during}`;
  if (cells === "data.cell") return kept;
  return `SELECT kept.* FROM (${kept}) AS kept
    SEMI JOIN ${keysOf(grouping, cells)}
      ON kept.data_id = keys.data_id AND kept.chain_id IS NOT DISTINCT FROM keys.chain_id`;
}
