import type { Endpoint } from "../schema/endpoints.ts";
import { type Reader, valueOf } from "../table/columns/cell_values.ts";
import { columnsFromRows, frameOfColumns, recordRows } from "../table/columns/frame_from_rows.ts";
import { pl } from "../table/columns/polars.ts";
import type { CheckedQuery } from "./check_query.ts";

/** A row, the index of its response, and its index within that response. */
export interface Placed {
  readonly value: unknown;
  readonly part: number;
  readonly index: number;
}

/** Removes rows that an earlier response also has, because a row can match ids from two requests. */
function once(rows: readonly Placed[]): Placed[] {
  const first = new Map<string, number>();
  return rows.filter(({ value, part }) => {
    const text = JSON.stringify(value);
    const seen = first.get(text);
    if (seen === undefined) first.set(text, part);
    return seen === undefined || seen === part;
  });
}

/**
 * Sorts the rows of several responses as a single response would be sorted, and keeps at most `limit` rows. If
 * `order_by` is given, sorts by this field, then by the ids. Nulls come last, even in descending order. If `order_by`
 * is not given, sorts by the ids if each response is sorted by them. Otherwise keeps the order of the requests.
 */
export function mergeRows(
  placed: readonly Placed[],
  { record, sortedBy }: Endpoint,
  { params: { order_by, order_direction, limit }, reject }: CheckedQuery & Pick<Reader, "reject">,
): readonly Placed[] {
  const names = [...new Set([order_by ?? [], sortedBy].flat())];
  const known = record.map(({ name }) => name);
  const rows = recordRows(placed.map(({ value }) => value), known, reject)
    .map((row) => Object.fromEntries(names.map((name) => [name, valueOf(row, name)])));
  const fields = record.filter(({ name }) => names.includes(name));
  const ignore = () => {};
  const quiet = { reject, noNumber: ignore, note: ignore };
  const columns = columnsFromRows(rows, fields, quiet);
  const sorts = frameOfColumns(
    names.map((name) => columns.find((column) => column.name === name)!),
  );
  // polars reads some column names as patterns, so the columns are renamed to their indexes.
  const by = names.map((_, index) => `${index}`);
  sorts.columns = by;
  const frame = sorts.withColumns(
    pl.Series("part", placed.map(({ part }) => part), pl.Float64),
    pl.Series("place", placed.map((_, place) => place), pl.Float64),
  );
  const isDescending = order_by !== undefined && order_direction === "desc";
  const sorted = (...keys: string[]) => {
    const descending = keys.map((key) => isDescending && key === "0");
    const made = frame.sort({
      by: [...keys, "place"],
      descending: [...descending, false],
      nullsLast: true,
    });
    return made.getColumn("place").toArray() as number[];
  };
  const isInOrder = () => sorted("part", ...by).every((place, index) => place === index);
  const places = order_by !== undefined || isInOrder() ? sorted(...by) : placed.keys();
  return once([...places].map((place) => placed[place]!))
    .slice(0, limit === undefined ? Infinity : Number(limit));
}
