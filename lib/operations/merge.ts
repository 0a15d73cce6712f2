import type { Field } from "../schema/records.ts";
import { numberOf, type Row, saysNoNumber, textOf, valueOf } from "../table/columns.ts";

/** A row, and where it stood: the answer and the place in it. */
export interface Placed {
  readonly value: unknown;
  readonly part: number;
  readonly index: number;
}

/** How the rows of one unsplit answer are ordered and cut. */
interface RowOrder {
  readonly fields: readonly Field[];
  /** Fields that identify a row: the order of ties, and of rows without `order_by`; ascending. */
  readonly keys: readonly string[];
  readonly order_by?: string | undefined;
  /** Whether `order_by` is descending. */
  readonly descending?: boolean;
  /** Infinity, or not given, for all. */
  readonly limit?: number;
}

type Sortable = number | string | null;

/** Orders by code point: JavaScript's own order is by UTF-16 unit, which no database keeps. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // A surrogate is half of a character beyond all that are one unit long.
    const [high, higher] = [left >= 0xd800 && left <= 0xdfff, right >= 0xd800 && right <= 0xdfff];
    return high === higher ? left - right : high ? 1 : -1;
  }
  return a.length - b.length;
}

/** Nulls come last in both directions. */
function compare(a: Sortable, b: Sortable, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "string" && typeof b === "string") return sign * compareTexts(a, b);
  return typeof a === typeof b ? sign * (Number(a) - Number(b)) : typeof a === "number" ? -1 : 1;
}

/** The value of a field to order by; undefined when it is not what the field may hold. */
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

/** null where a row cannot be ordered. */
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

/** Whether each part is in the order of the keys, so that the service must have put them in it. */
function followsKeys(rows: readonly Candidate[]): boolean {
  return rows.every((row, index) => {
    const before = rows[index - 1];
    return before?.part !== row.part || compareKeys(before, row) <= 0;
  });
}

/** Leaves out rows that an earlier part has brought already, since two of the ids lead to the same one. */
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
 * Makes one list of the rows of several answers, as the service would have sent them in one: ordered by
 * `order_by` again, nulls last in both directions, ties by the ids, and cut to `limit` again. Without
 * `order_by` it is ordered by the ids where each answer is; where one is not, the service has an order of
 * its own, and the answers follow each other as the ids were asked for. A row that cannot be ordered
 * leaves all as it came, and is refused when the rows are read.
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

/** The fields in the order in which one answer names them; the answer that names most of them decides. */
function fieldOrder(parts: readonly (readonly unknown[])[]): unknown[] {
  const named = parts.map((part) => [...new Set(part.map((error) => memberOf(error, "field")))]);
  return [...new Set(named.sort((a, b) => b.length - a.length).flat())];
}

/**
 * Makes one list of the entity errors of several answers: each once, and in the order of one answer, which
 * is field by field and in each field as the ids were asked for.
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
