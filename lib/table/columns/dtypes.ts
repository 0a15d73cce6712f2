import type { DataFrame } from "./polars.ts";

/** Returns whether a dtype is numeric. Displays align numeric columns on the right. */
export function isNumeric(dtype: string): boolean {
  return /^(U?Int|Float|Decimal)/.test(dtype);
}

/** Returns whether a dtype is a text, or a category with a text. */
export function isText(dtype: string): boolean {
  return /^(String|Categorical|Enum)/.test(dtype);
}

/** Returns whether a dtype is a list, an array or a struct. */
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

/** Returns the dtypes of a frame's columns as `dtypeNames` does, with the zones of times: `Datetime(UTC)`. */
export function zonedDtypeNames(frame: DataFrame): string[] {
  const zones = frame.dtypes.map((dtype) => {
    const { variant, inner } = dtype as unknown as { variant: string; inner?: unknown };
    return variant === "Datetime" && Array.isArray(inner) ? inner[1] : undefined;
  });
  return dtypeNames(frame).map((name, at) => zones[at] ? `${name}(${zones[at]})` : name);
}

/** Returns the dtypes of a frame's columns, in order, as texts such as `Float64` and `List(String)`. */
export function dtypeNames(frame: DataFrame): string[] {
  return frame.dtypes.map(partsOf);
}
