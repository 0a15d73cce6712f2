import type { OrderDirection } from "../schema/vocabulary.ts";

/**
 * Lets `order_by` be a known field, which an editor completes, or a plain `string` variable, since
 * the interface does not list the allowed values; a literal that is no known field does not compile.
 *
 * @category Operations
 */
export type CheckedOrder<Given extends string, Known extends string> = string extends Given
  ? unknown
  : [Given] extends [Known] ? unknown
  : { readonly order_by: Known };

/**
 * The query of every dataset besides its lists of ids.
 *
 * @category Operations
 */
export interface DatasetQuery<Field extends string, OrderBy extends string = Field> {
  /** The response field to sort by. */
  readonly order_by?: OrderBy | Field;
  /**
   * The direction of that sort.
   *
   * @default {"asc"}
   */
  readonly order_direction?: OrderDirection;
  /** The largest number of rows to return. */
  readonly limit?: number;
}
