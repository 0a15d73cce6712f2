import type { Field } from "../schema/records.ts";
import { numberOf, type Row, saysNoNumber, textOf, valueOf } from "../table/columns.ts";

/** A row, the index of its response, and its index within that response. */
export interface Placed {
  readonly value: unknown;
  readonly part: number;
  readonly index: number;
}

/** How the rows of one unsplit response are sorted and limited. */
interface RowOrder {
  readonly fields: readonly Field[];
  /** Fields that identify a row. Rows are sorted by them, ascending, within ties and without `order_by`. */
  readonly keys: readonly string[];
  readonly order_by?: string | undefined;
  /** Whether `order_by` is descending. */
  readonly descending?: boolean;
  /** Infinity or undefined for no limit. */
  readonly limit?: number;
}

type Sortable = number | string | null;

/** Compares texts by code point, as databases do. JavaScript's operators compare UTF-16 code units. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // A surrogate is half of a code point above 0xFFFF, which sorts after all characters of one unit.
    const [high, higher] = [left >= 0xd800 && left <= 0xdfff, right >= 0xd800 && right <= 0xdfff];
    return high === higher ? left - right : high ? 1 : -1;
  }
  return a.length - b.length;
}

/** Compares two values. Nulls come last in both directions. */
function compare(a: Sortable, b: Sortable, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "string" && typeof b === "string") return sign * compareTexts(a, b);
  return typeof a === typeof b ? sign * (Number(a) - Number(b)) : typeof a === "number" ? -1 : 1;
}

/** Returns the value of a field to sort by; undefined if the value has an invalid type. */
function sortable(row: Row, name: string, fields: readonly Field[]): Sortable | undefined {
  const value = valueOf(row, name);
  if (value === null) return null;
  const dtype = fields.find((field) => field.name === name)?.dtype;
  if (dtype === "Float64") return saysNoNumber(value) ? null : numberOf(value);
  if (dtype === undefined && typeof value === "number") return value;
  return textOf(value);
}

interface Candidate extends Placed {
  readonly sort: Sortable;
  readonly keys: readonly Sortable[];
}

/** Returns null if a row cannot be sorted. */
function candidateOf(placed: Placed, order: RowOrder): Candidate | null {
  const { value } = placed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const row = value as Row;
  const sort = order.order_by === undefined ? null : sortable(row, order.order_by, order.fields);
  const keys = order.keys.map((key) => sortable(row, key, order.fields));
  if (sort === undefined || keys.includes(undefined)) return null;
  return { ...placed, sort, keys: keys as Sortable[] };
}

function compareKeys(a: Candidate, b: Candidate): number {
  for (let index = 0; index < a.keys.length; index++) {
    const difference = compare(a.keys[index]!, b.keys[index]!, 1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether each response is sorted by the keys. If so, the service sorts by them. */
function followsKeys(rows: readonly Candidate[]): boolean {
  return rows.every((row, index) => {
    const before = rows[index - 1];
    return before?.part !== row.part || compareKeys(before, row) <= 0;
  });
}

/** Removes rows that an earlier response has as well, because ids in two requests can select the same row. */
function once(rows: readonly Candidate[]): Candidate[] {
  const first = new Map<string, number>();
  return rows.filter(({ value, part }) => {
    const text = JSON.stringify(value);
    const seen = first.get(text);
    if (seen === undefined) first.set(text, part);
    return seen === undefined || seen === part;
  });
}

/**
 * Merges the rows of several responses in the order of a single response, and cuts them to `limit`. With `order_by`,
 * sorts by that field, nulls last in both directions, and then by the ids. Without `order_by`, sorts by the ids if
 * each response is sorted by them; otherwise concatenates the responses in the order of the requested ids. If a row
 * cannot be sorted, the order is unchanged, and reading the row throws.
 */
export function mergeRows(
  parts: readonly (readonly unknown[])[],
  order: RowOrder | null,
): readonly Placed[] {
  const placed = parts.flatMap((rows, part) =>
    rows.map((value, index) => ({ value, part, index }))
  );
  if (parts.length < 2 || order === null) return placed;
  const candidates: Candidate[] = [];
  for (const each of placed) {
    const candidate = candidateOf(each, order);
    if (candidate === null) return placed;
    candidates.push(candidate);
  }
  const rows = once(candidates);
  const sign = order.descending ? -1 : 1;
  if (order.order_by !== undefined || followsKeys(rows)) {
    rows.sort((a, b) => compare(a.sort, b.sort, sign) || compareKeys(a, b));
  }
  return rows.slice(0, order.limit);
}

type EntityError = Readonly<Record<string, unknown>>;

function memberOf(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? (error as EntityError)[name] : undefined;
}

/** Returns the fields in order of appearance, those of the response with the most fields first. */
function fieldOrder(parts: readonly (readonly unknown[])[]): unknown[] {
  const named = parts.map((part) => [...new Set(part.map((error) => memberOf(error, "field")))]);
  return [...new Set(named.sort((a, b) => b.length - a.length).flat())];
}

/**
 * Merges the entity errors of several responses, without duplicates and in the order of a single response: by field,
 * then by requested id.
 */
export function mergeEntityErrors(
  parts: readonly (readonly unknown[])[],
  query: object,
): readonly Placed[] {
  const once = new Set<string>();
  const placed: Placed[] = [];
  parts.forEach((errors, part) =>
    errors.forEach((value, index) => {
      const text = JSON.stringify(value);
      if (once.has(text)) return;
      once.add(text);
      placed.push({ value, part, index });
    })
  );
  if (parts.filter((part) => part.length > 0).length < 2) return placed;

  const fields = fieldOrder(parts);
  const asked = new Map<unknown, Map<unknown, number>>(
    Object.entries(query).map(([name, ids]) => [
      name,
      new Map(Array.isArray(ids) ? ids.map((id, index) => [String(id).trim(), index]) : []),
    ]),
  );
  const rank = ({ value: error }: Placed): readonly [number, number] => {
    const field = memberOf(error, "field");
    const position = asked.get(field)?.get(memberOf(error, "value"));
    return [fields.indexOf(field), position ?? Infinity];
  };
  return placed.map((each) => ({ each, rank: rank(each) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || (a.rank[1] === b.rank[1] ? 0 : a.rank[1] - b.rank[1]))
    .map(({ each }) => each);
}
