/**
 * Which variant of an open point responses show. Values are compared in memory: only verdicts leave this file.
 *
 * @module
 */
import { timesNamed } from "../../lib/schema/time_forms.ts";

/** A row of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** An open point of the interface: the variant that was seen, and the variant that chainframe expects. */
export interface Point {
  readonly point: string;
  readonly seen: string;
  readonly expected: string;
  readonly verdict: "agrees" | "differs" | "not seen";
}

const NOT_SEEN = "not seen";

/** Compares the variant that was seen with the expected one. Null means that the responses do not show it. */
export function pointOf(point: string, seen: string | null, expected: string): Point {
  const verdict = seen === null ? NOT_SEEN : seen === expected ? "agrees" : "differs";
  return { point, seen: seen ?? NOT_SEEN, expected, verdict };
}

/** Returns the number of a JSON value; null for texts that are no number, and all other values. */
export function numberIn(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

const FORMS: readonly (readonly [string, RegExp])[] = [
  ["YYYY-MM", /^\d{4}-\d{2}$/],
  ["YYYY-M", /^\d{4}-\d{1,2}$/],
  ["YYYY-MM-DD", /^\d{4}-\d{2}-\d{2}$/],
  ["date with time", /^\d{4}-\d{2}-\d{2}[T ]/],
  ["month and year in words", /^[A-Za-z]{3,9}\.?[ ,-]+\d{4}$/],
  ["six digits", /^\d{6}$/],
  ["milliseconds", /^\d{12,13}$/],
];

/** The format of `cohort`. */
export function cohortFormat(rows: readonly Row[]): string | null {
  const values = rows.map(({ cohort }) => cohort).filter((value) =>
    value !== null && value !== undefined
  );
  if (values.length === 0) return null;
  if (values.some((value) => typeof value === "object")) return 'object { "value" }';
  const texts = values.map(String);
  const form = FORMS.find(([, pattern]) => texts.every((text) => pattern.test(text)))?.[0];
  const { every, unread } = timesNamed(texts);
  const areRead = unread.length === 0 && (every === null || every === "month");
  return `${form ?? "another form"}${areRead ? "" : ", not read as months"}`;
}

/** The unit of `month_0`, which is 1, 100 or the size of the cohort. */
export function cohortUnit(rows: readonly Row[]): string | null {
  const pairs = rows.flatMap(({ month_0, initial_cohort_size }) => {
    const [value, size] = [numberIn(month_0), numberIn(initial_cohort_size)];
    return value === null || size === null || size === 0 ? [] : [[value, size] as const];
  });
  if (pairs.length === 0) return null;
  const units = [
    ["fraction", () => 1],
    ["percent", () => 100],
    ["count", (size: number) => size],
  ] as const;
  const fitting = units.filter(([, whole]) =>
    pairs.every(([value, size]) => Math.abs(value - whole(size)) < 1e-9 * whole(size))
  );
  return fitting.length === 1 ? fitting[0]![0] : fitting.length === 0 ? "another unit" : null;
}

/** Where rows without a value of a field are, in an order of this field. */
export function nullOrder(rows: readonly Row[], field: string): string | null {
  const missing = rows.map((row) => numberIn(row[field]) === null);
  if (!missing.includes(true) || !missing.includes(false)) return null;
  const sorted = (order: readonly boolean[]) =>
    order.every((each, at) => at === 0 || each >= order[at - 1]!);
  return sorted(missing) ? "last" : sorted(missing.toReversed()) ? "first" : "between values";
}

const near = (a: number, b: number) => Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

/** The sums of a metric by id. */
export type Sums = ReadonlyMap<string, number>;

/** Whether `interval` or the dates decide, from sums with both, and with the interval alone. */
export function intervalOrDates(both: Sums, alone: Sums): string | null {
  const pairs = [...both].flatMap(([id, sum]) =>
    alone.has(id) ? [[sum, alone.get(id)!] as const] : []
  );
  if (pairs.length === 0 || pairs.every(([a, b]) => a === 0 && b === 0)) return null;
  return pairs.every(([a, b]) => near(a, b)) ? "interval" : "dates";
}

/** The base of `change`: the sums of the last day, of the first day of the window, and of the day before it. */
export function changeBase(
  changes: Sums,
  { end, first, before }: { readonly end: Sums; readonly first: Sums; readonly before: Sums },
): string | null {
  const fits = { first: 0, before: 0, other: 0 };
  for (const [id, change] of changes) {
    const [last, ...bases] = [end, first, before].map((sums) => sums.get(id));
    if (last === undefined || bases.some((base) => !base) || near(bases[0]!, bases[1]!)) continue;
    const [isFirst, isBefore] = bases.map((base) => near(1 + change, last / base!));
    if (isFirst !== isBefore) fits[isFirst ? "first" : "before"] += 1;
    else fits.other += 1;
  }
  const [most] = Object.entries(fits).toSorted(([, a], [, b]) => b - a);
  if (most![1] === 0) return null;
  return {
    first: "first day of the window",
    before: "W days before the last day",
    other: "another base",
  }[most![0]]!;
}

/** The type and the share of null of each field. */
export function fieldsIn(rows: readonly Row[]) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((field) => {
    const values = rows.map((row) => row[field] ?? null);
    const known = values.filter((value) => value !== null);
    const types = known.map((value) => Array.isArray(value) ? "list" : typeof value);
    return {
      field,
      types: [...new Set(types)].toSorted().join(", ") || "null",
      null_share: Number(((values.length - known.length) / rows.length).toFixed(3)),
      examples: known.slice(0, 3),
    };
  });
}
