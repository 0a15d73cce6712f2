import type { DataFrame } from "./polars.ts";

/** What polars' DataType objects hold; its declared types leave it out. */
interface DtypeParts {
  readonly variant: string;
  readonly inner?: unknown;
}

function partsOf(dtype: unknown): string {
  const { variant, inner } = dtype as DtypeParts;
  if (variant === "List" && Array.isArray(inner)) return `List(${partsOf(inner[0])})`;
  if (variant === "Struct" && Array.isArray(inner)) {
    const fields = inner.flat() as readonly { name: string }[];
    return `Struct(${fields.map(({ name }) => name).join(", ")})`;
  }
  return variant === "Utf8" ? "String" : variant;
}

/** The dtypes of a frame, by column, as polars writes them: `Float64`, `List(String)`. */
export function dtypeNames(frame: DataFrame): string[] {
  return frame.dtypes.map(partsOf);
}
