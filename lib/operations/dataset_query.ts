import type { OrderDirection } from "../schema/vocabulary.ts";

/**
 * Accepts known fields, which an editor completes, and variables of type `string`, because the interface does not list
 * the allowed values. A literal that is not a known field does not compile.
 *
 * @category Operations
 */
export type CheckedOrder<Given extends string, Known extends string> = string extends Given
  ? unknown
  : [Given] extends [Known] ? unknown
  : { readonly order_by: Known };

/**
 * The common fields of every dataset query, besides its lists of ids.
 *
 * @category Operations
 */
export interface DatasetQuery<Field extends string, OrderBy extends string = Field> {
  /** The response field to sort by. */
  readonly order_by?: OrderBy | Field;
  /**
   * The direction of the sort.
   *
   * @default {"asc"}
   */
  readonly order_direction?: OrderDirection;
  /** Maximum number of rows to return. */
  readonly limit?: number;
}
