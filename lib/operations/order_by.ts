/**
 * Lets `order_by` be a known field, which an editor completes, or a plain `string` variable, since
 * the interface does not list the allowed values; a literal that is no known field does not compile.
 */
export type CheckedOrder<Given extends string, Known extends string> = string extends Given
  ? unknown
  : [Given] extends [Known] ? unknown
  : { readonly order_by: Known };
