import type { DataFrame } from "../table/polars.ts";

const NUMERIC = /^(U?Int|Float)\d+$|^(Decimal|Null)$/;

/** The columns that an analysis function needs, and where they come from. */
export interface Requirement {
  /** The name of the function that asks. */
  readonly asker: string;
  /** What kind of frame has these columns. */
  readonly source: string;
  /** Columns that have to be there, whatever they hold. */
  readonly columns?: readonly string[];
  /** Columns that have to be there and hold numbers. */
  readonly numbers?: readonly string[];
}

/** The name of a column's dtype. */
export function dtypeOf(frame: DataFrame, name: string): string {
  return String((frame.schema as Record<string, { variant: string }>)[name]?.variant);
}

/** Tells whether a column holds numbers; a column of nulls without a dtype does. */
export function isNumeric(frame: DataFrame, name: string): boolean {
  return NUMERIC.test(dtypeOf(frame, name));
}

/**
 * Checks that a frame has the columns that a function works on.
 *
 * @throws {RangeError} when columns are missing: names all of them.
 * @throws {TypeError} when a column that has to hold numbers does not: names it and its dtype.
 */
export function requireColumns(
  frame: DataFrame,
  { asker, source, columns = [], numbers = [] }: Requirement,
): void {
  const there = new Set(frame.columns);
  const missing = [...columns, ...numbers].filter((name) => !there.has(name));
  if (missing.length > 0) {
    throw new RangeError(
      `${asker}: it works on ${source}; this frame lacks ${missing.join(", ")} and has ${
        frame.columns.join(", ") || "no columns"
      }`,
    );
  }
  for (const name of numbers) {
    if (isNumeric(frame, name)) continue;
    throw new TypeError(
      `${asker}: column ${name} has to hold numbers, and its dtype is ${dtypeOf(frame, name)}`,
    );
  }
}
