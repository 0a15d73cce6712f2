import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";

/** A frame of columns with a dtype each: `{ id: ["String", "a", null] }`. */
export function frameOf(
  columns: Readonly<Record<string, readonly [keyof typeof pl & string, ...unknown[]]>>,
): DataFrame {
  return pl.DataFrame(
    Object.entries(columns).map(([name, [dtype, ...values]]) =>
      pl.Series(name, values as string[], pl[dtype])
    ),
  );
}
