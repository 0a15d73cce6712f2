import type { DataFrame } from "./polars.ts";

/** Returns whether a column of this dtype has numbers, which are right-aligned. */
export function isNumeric(dtype: string): boolean {
  return /^(U?Int|Float|Decimal)/.test(dtype);
}

/** Returns whether a column of this dtype has lists or structs. */
export function isNested(dtype: string): boolean {
  return /^(List|Array|Struct)/.test(dtype);
}

function partsOf(dtype: unknown): string {
  // The declared types of polars omit these members.
  const { variant, inner } = dtype as { readonly variant: string; readonly inner?: unknown };
  if (variant === "List" && Array.isArray(inner)) return `List(${partsOf(inner[0])})`;
  if (variant === "Struct" && Array.isArray(inner)) {
    const fields = inner.flat() as readonly { name: string }[];
    return `Struct(${fields.map(({ name }) => name).join(", ")})`;
  }
  return variant === "Utf8" ? "String" : variant;
}

/** Returns the dtypes of a frame, by column, in the notation of polars: `Float64`, `List(String)`. */
export function dtypeNames(frame: DataFrame): string[] {
  return frame.dtypes.map(partsOf);
}
