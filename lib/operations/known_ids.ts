import type { Connection } from "../http/connection.ts";
import { closest } from "./query/closest.ts";

/** The ids that a connection's catalog holds, by the query field that takes them. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

const known = new WeakMap<Connection, KnownIds>();

/** Keeps the ids of a catalog, once it is there. */
export function rememberIds(connection: Connection, ids: KnownIds): void {
  known.set(connection, ids);
}

/**
 * The known id that is nearest to one that was not found; undefined when the connection's catalog
 * has not been fetched. It never fetches.
 */
export function nearestKnown(
  connection: Connection,
  field: string,
  value: string,
): string | undefined {
  const ids = known.get(connection);
  const list = ids !== undefined && Object.hasOwn(ids, field) ? ids[field]! : [];
  return closest(value, list);
}
