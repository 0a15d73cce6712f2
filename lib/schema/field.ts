/**
 * How a field of the interface becomes a column.
 *
 * - `String`, `Float64`, `List(String)`: the polars dtype of that name.
 * - `Json`: a String column of JSON text, for values whose shape is not promised.
 * - `TextOrJson`: a String column: text as it came, anything else as JSON text.
 * - `{ struct: [...] }`: a List(Struct) column whose members are all String.
 */
export type Dtype =
  | "String"
  | "Float64"
  | "List(String)"
  | "Json"
  | "TextOrJson"
  | { readonly struct: readonly string[] };

/** One field of a record: its name on the wire, which is its name as a column, and its dtype. */
export interface Field<Name extends string = string> {
  readonly name: Name;
  readonly dtype: Dtype;
}
