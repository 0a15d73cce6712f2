/**
 * The common fields of every dataset query, besides its lists of ids.
 *
 * The interface does not list the values of `order_by`. Known fields and variables of type `string` are accepted. Any
 * other literal does not compile.
 *
 * @category Operations
 */
export interface DatasetQuery<Field extends string, OrderBy extends string = never> {
  /** The response field to sort by. */
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
