import type { DataFrame } from "../columns/polars.ts";
import { BARE } from "../track/descriptions.ts";
import { addNames, type Names, namesOf, responseOf } from "../track/provenance.ts";

/** The columns of ids that have names in the API. */
const NAMED = ["project_id", "chain_id", "market_sector_id"];

/** Returns the column of names that belongs to a column of ids. */
export function nameColumn(ids: string): string {
  return ids.replace(/_id$/, "_name");
}

/** Returns the names that a frame contains beside their ids. */
export function namesIn(frame: DataFrame): Names {
  const there = NAMED.filter((ids) =>
    frame.columns.includes(ids) && frame.columns.includes(nameColumn(ids))
  );
  // The user does not get the pairs, so their steps are not tracked.
  const { [BARE]: bare = frame } = frame as { readonly [BARE]?: DataFrame };
  return new Map(there.map((ids) => {
    const pairs = bare.select(ids, nameColumn(ids)).unique({ maintainOrder: true }).rows();
    const known = pairs.filter((pair): pair is [string, string] =>
      pair[0] !== null && String(pair[1] ?? "").trim() !== ""
    );
    return [ids, new Map(known.toReversed())];
  }));
}

/** The names that calls on a connection have fetched, by connection. */
const shared = new WeakMap<object, Map<string, Map<string, string>>>();

/** Returns the names of a connection. Frames of the connection keep this map, which grows. */
export function sharedNames(connection: object): Map<string, Map<string, string>> {
  const names = shared.get(connection) ?? new Map();
  shared.set(connection, names);
  return names;
}

/** Keeps the names that a frame has for all frames of the connection, and gives the frame the names of the connection. */
export function shareNames(connection: object, frame: DataFrame): void {
  const all = sharedNames(connection);
  for (const [kind, names] of namesIn(frame)) {
    all.set(kind, new Map([...all.get(kind) ?? [], ...names]));
  }
  addNames(frame, all);
}

/**
 * Returns the kind of the ids in a column of a frame, as the name of a column: `chain_id` for `data_id` of a breakdown by
 * chain. Returns undefined for other columns.
 */
export function idsIn(frame: DataFrame, column: string): string | undefined {
  if (column !== "data_id" && !NAMED.includes(column)) return undefined;
  const response = frame.columns.includes("data_id") ? responseOf(frame) : undefined;
  const groupBy = response?.query.group_by as string | undefined;
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
  const known = namesOf(frame).flatMap((names) => names.get(kind) ?? []);
  const names = new Map([...new Set(ids)].map((id) => [
    id,
    id === null ? null : known.find((each) => each.has(id))?.get(id) ?? id,
  ]));
  const times = Map.groupBy(names.values(), (name) => name);
  return ids.map((id) => {
    const name = names.get(id)!;
    return id !== name && times.get(name)!.length > 1 ? `${name} · ${id}` : name;
  });
}
