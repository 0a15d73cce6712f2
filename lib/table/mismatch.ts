/** A place where an answer is not of the promised shape. */
export interface Mismatch {
  /** The index of the row; null when the whole answer is meant. */
  readonly row: number | null;
  /** The name of the field. */
  readonly field: string;
  /** What was promised there. */
  readonly expected: string;
  /** What stood there. */
  readonly got: unknown;
}

/** Is called at the first mismatch, and throws the caller's error. */
export type Reject = (mismatch: Mismatch) => never;

/** A row as it came. */
export type Row = Readonly<Record<string, unknown>>;

/** The value of a field, with a missing key as null: only a row's own keys count. */
export function valueOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] ?? null : null;
}
