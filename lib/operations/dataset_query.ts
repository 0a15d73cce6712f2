/**
 * The fields that all dataset queries have in common.
 *
 * The API does not list the values of `order_by`. The type accepts the names of known fields, and variables of type
 * `string`. Other string literals do not compile.
 *
 * @category Operations
 */
export interface DatasetQuery<Field extends string, OrderBy extends string = never> {
  /**
   * The response field to sort by. If long lists of ids are split among several requests, the merged rows are sorted
   * again: numbers by value, texts by code point, equal values by id, nulls last. Without it, rows are sorted by the ids
   * if those of each response are, else stacked in the order of the ids.
   */
  readonly order_by?: Field | (string extends OrderBy ? OrderBy : never);
  /**
   * The direction of the sort.
   *
   * @default {"asc"}
   */
  readonly order_direction?: "asc" | "desc";
  /** Maximum number of rows to return. */
  readonly limit?: number;
}
