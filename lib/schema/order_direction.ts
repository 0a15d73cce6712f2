/** The directions of `order_by`; the service takes `asc` when none is given (INTERFACE 8). */
export const ORDER_DIRECTIONS = ["asc", "desc"] as const;

/** The direction of the sort on `order_by`. */
export type OrderDirection = typeof ORDER_DIRECTIONS[number];
