import type { Database } from "../engine/duckdb.ts";

/** The request fields that are lists of ids. For each field, the table and the column that have all known ids. */
export const ENTITY_LISTS = {
  project_ids: { table: "data.project", id: "project_id" },
  product_ids: { table: "data.product", id: "product_id" },
  chain_ids: { table: "data.chain", id: "chain_id" },
  market_sector_ids: { table: "data.market_sector", id: "market_sector_id" },
} as const;

/** The name of a request field that is a list of ids. */
export type EntityList = keyof typeof ENTITY_LISTS;

/** The names of all request fields that are lists of ids. */
export const ENTITY_LIST_NAMES = Object.keys(ENTITY_LISTS) as EntityList[];

/** Ids of all entities. */
export type KnownIds = Readonly<Record<EntityList, ReadonlySet<string>>>;

/** An unknown entity of a request (INTERFACE 2.2). */
export interface EntityError {
  readonly code: "NOT_FOUND";
  readonly field: string;
  readonly value: string;
}

/** Returns the known ids, and one error for each unknown id. Keeps the order of the ids, and removes duplicates. */
export function splitKnown(
  field: string,
  ids: readonly string[],
  known: { has(id: string): boolean },
): { found: string[]; errors: EntityError[] } {
  const unique = [...new Set(ids)];
  return {
    found: unique.filter((id) => known.has(id)),
    errors: unique.filter((id) => !known.has(id)).map((value) => (
      { code: "NOT_FOUND", field, value }
    )),
  };
}

/** Reads the ids of all entities of the data. */
export async function readKnownIds(database: Database): Promise<KnownIds> {
  const entries = Object.entries(ENTITY_LISTS).map(async ([list, { table, id }]) => {
    const rows = await database.rows(`SELECT ${id} AS id FROM ${table}`);
    return [list, new Set(rows.map((row) => String(row.id)))];
  });
  return Object.fromEntries(await Promise.all(entries)) as KnownIds;
}
