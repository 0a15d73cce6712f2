import type { DataFrame } from "../columns/polars.ts";

let watch: (from: DataFrame, rows: DataFrame) => void = () => {};

/** Calls a function for each frame that has some of the rows of another frame. */
export function watchRows(fn: typeof watch): void {
  watch = fn;
}

/** Steps that keep some of the rows. */
const STEPS: ReadonlySet<string> = new Set(
  "dropNulls filter head limit partitionBy sample slice tail where".split(" "),
);

/** The frames of which lazy frames are made, and whether rows were left out since. */
const sources = new WeakMap<object, { readonly from: DataFrame; readonly isLess: boolean }>();

/** Notes that a step made a frame, a lazy frame or a grouping from another one. */
export function noteRows(step: string, from: object, made: object): void {
  const tagOf = (stage: object) => (stage as Record<symbol, unknown>)[Symbol.toStringTag];
  const source = tagOf(from) === "DataFrame"
    ? { from: from as DataFrame, isLess: false }
    : sources.get(from);
  if (source === undefined) return;
  const isLess = source.isLess || STEPS.has(step);
  if (tagOf(made) === "LazyDataFrame") sources.set(made, { from: source.from, isLess });
  else if (tagOf(made) === "DataFrame" && isLess) watch(source.from, made as DataFrame);
}
