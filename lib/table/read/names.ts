import type { DataFrame } from "../build/polars.ts";
import { type Names, namesOf, responseOf } from "../track/provenance.ts";

/** The columns of ids that have names in the API. */
const NAMED = ["project_id", "chain_id", "market_sector_id"];

/** Returns the column of names that belongs to a column of ids. */
export function nameColumn(ids: string): string {
  return ids.replace(/_id$/, "_name");
}

/** Returns the names that a frame contains beside their ids. */
export function namesIn(frame: DataFrame, from: string): Names {
  const names = new Map<string, Map<string, string>>();
  for (const ids of NAMED) {
    if (!frame.columns.includes(ids) || !frame.columns.includes(nameColumn(ids))) continue;
    const pairs = frame.select(ids, nameColumn(ids)).unique({ maintainOrder: true }).rows();
    const known = pairs.filter((pair): pair is [string, string] =>
      pair[0] !== null && String(pair[1] ?? "").trim() !== ""
    );
    names.set(ids, new Map(known.toReversed()));
  }
  return { from, names };
}

/** The names that calls on a connection have fetched, by connection. */
const shared = new WeakMap<object, Names[]>();

/** Returns the list of names of a connection. Frames of the connection keep this list, so that it can grow. */
export function sharedNames(connection: object): Names[] {
  const names = shared.get(connection) ?? [];
  shared.set(connection, names);
  return names;
}

/** Keeps the names that a frame of a response has, so that other frames of the connection show them. */
export function rememberNames(connection: object, frame: DataFrame): void {
  const all = sharedNames(connection);
  for (const { from, names } of namesOf(frame)) {
    const known = all.find((each) => each.from === from)?.names;
    if (known === undefined) all.push({ from, names });
    for (const [kind, pairs] of known === undefined ? [] : names) {
      const merged = new Map([...known?.get(kind) ?? [], ...pairs]);
      (known as Map<string, ReadonlyMap<string, string>>).set(kind, merged);
    }
  }
}

/**
 * Returns the kind of the ids in a column of a frame, as the name of a column: `chain_id` for `data_id` of a breakdown by
 * chain. Returns undefined for other columns.
 */
export function idsIn(frame: DataFrame, column: string): string | undefined {
  if (column !== "data_id" && !NAMED.includes(column)) return undefined;
  const query = frame.columns.includes("data_id") ? responseOf(frame)?.query : undefined;
  const groupBy = typeof query?.group_by === "string" ? query.group_by : undefined;
  if (column === "data_id") {
    return groupBy && `${groupBy.replace(/^chain-|s$/g, "").replaceAll("-", "_")}_id`;
  }
  // In a breakdown that is not by chain, `chain_id` is null in every row.
  if (column === "chain_id" && groupBy?.startsWith("chain") === false) return undefined;
  return column;
}

/**
 * Returns the texts that readers see for ids of a column: their names, or the ids if no name is known or the frame has a
 * column of the names. The name of several ids is followed by the id, so that different ids stay different.
 */
export function shownIds(
  frame: DataFrame,
  column: string,
  ids: readonly (string | null)[],
): readonly (string | null)[] {
  const kind = idsIn(frame, column);
  if (kind === undefined || frame.columns.includes(nameColumn(kind))) return ids;
  const known = namesOf(frame).flatMap(({ names }) => names.get(kind) ?? []);
  if (known.length === 0) return ids;
  const nameOf = (id: string) => known.find((names) => names.has(id))?.get(id);
  const present = new Set(ids);
  const names = new Map([...present].map((id) => [id, id === null ? null : nameOf(id) ?? id]));
  const times = Map.groupBy(names.values(), (name) => name);
  return ids.map((id) => {
    const name = names.get(id)!;
    if (id === name) return id;
    return times.get(name)!.length > 1 ? `${name} · ${id}` : name;
  });
}
