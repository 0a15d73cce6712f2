import { ENDPOINTS } from "../schema/endpoints.ts";
import { dateColumn, float64, momentColumn, type Row, utf8 } from "../table/columns/cell_values.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { responseOf } from "../table/track/provenance.ts";

/** The columns that `timeline` computes, and that are therefore not compared. */
const OURS = ["until", "complete"];

/** A change of a row or of a field. */
export interface CellChange {
  readonly keys: readonly unknown[];
  readonly change: "changed" | "new" | "gone";
  readonly field?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly when: Date;
}

type Rows = Map<string, { readonly keys: readonly unknown[]; readonly row: Row }>;

/** Returns the columns that identify a row of the frame of an operation. */
export function keysOf(frame: DataFrame): readonly string[] {
  const keys = ["date", ...ENDPOINTS[responseOf(frame)!.operation].keys];
  return keys.filter((key) => frame.columns.includes(key));
}

/** Converts a value to a number or a text, so that values can be compared. */
function plain(value: unknown): number | string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "string") return value;
  return value instanceof Date ? value.toISOString().slice(0, 10) : JSON.stringify(value);
}

/** Returns the rows of a frame by their keys. */
export function rowsBy(frame: DataFrame, keys: readonly string[]): Rows {
  const rows: Rows = new Map();
  for (const row of frame.toRecords() as Row[]) {
    const values = keys.map((key) => row[key] ?? null);
    const text = JSON.stringify(values);
    if (rows.has(text)) {
      throw new RangeError(
        `restatements: ${keys.join(", ")} do not tell two rows apart: ${text}`,
      );
    }
    rows.set(text, { keys: values, row });
  }
  return rows;
}

/** Yields the changes from earlier rows to later ones. */
export function* changesBetween(before: Rows, after: Rows, when: Date): Generator<CellChange> {
  for (const [text, { keys, row }] of after) {
    const was = before.get(text)?.row;
    if (was === undefined) {
      yield { keys, change: "new", when };
      continue;
    }
    for (const field of new Set([...Object.keys(was), ...Object.keys(row)])) {
      if (OURS.includes(field)) continue;
      const [old, now] = [plain(was[field]), plain(row[field])];
      if (old !== now) yield { keys, change: "changed", field, before: old, after: now, when };
    }
  }
  for (const [text, { keys }] of before) {
    if (!after.has(text)) yield { keys, change: "gone", when };
  }
}

function numbers(name: string, values: readonly unknown[]): Series {
  return float64(name, values.map((value) => typeof value === "number" ? value : null));
}

function texts(name: string, values: readonly unknown[]): Series {
  return utf8(name, values.map((value) => typeof value === "string" ? value : null));
}

function keyColumn(name: string, values: readonly unknown[]): Series {
  return values.some((value) => value instanceof Date)
    ? dateColumn(name, values as Date[])
    : utf8(name, values.map((value) => value === null ? null : String(value)));
}

/** Returns changes as a frame. `names` are the columns that identify a row. */
export function changesFrame(names: readonly string[], changes: readonly CellChange[]): DataFrame {
  return pl.DataFrame([
    ...names.map((name, index) => keyColumn(name, changes.map(({ keys }) => keys[index] ?? null))),
    utf8("change", changes.map(({ change }) => change)),
    utf8("field", changes.map(({ field = null }) => field)),
    numbers("before", changes.map(({ before }) => before)),
    numbers("after", changes.map(({ after }) => after)),
    texts("before_text", changes.map(({ before }) => before)),
    texts("after_text", changes.map(({ after }) => after)),
    momentColumn("when", changes.map(({ when }) => when)),
  ]);
}
