/**
 * The names of the six operations of the service.
 *
 * @category Vocabulary
 */
export const OPERATIONS = [
  "metric_breakdown",
  "metric_aggregations",
  "blockchain_comparison",
  "project_contracts",
  "cohort_analysis",
  "project",
] as const;

/**
 * The name of an operation.
 *
 * @category Vocabulary
 */
export type Operation = typeof OPERATIONS[number];

/**
 * The groupings that the metric breakdown accepts (INTERFACE 4.1).
 *
 * @category Vocabulary
 */
export const GROUP_BYS = [
  "projects",
  "chains",
  "chain-project",
  "chain-product",
  "chain-market-sector",
  "market-sector",
  "product",
] as const;

/**
 * A grouping of the metric breakdown: the kind of entity that each row describes.
 *
 * @category Vocabulary
 */
export type GroupBy = typeof GROUP_BYS[number];

/**
 * Intervals of the metric breakdown (INTERFACE 4.1).
 *
 * @category Vocabulary
 */
export const INTERVALS = ["24h", "7d", "30d", "90d", "180d", "365d", "ytd", "max"] as const;

/**
 * An interval of the metric breakdown. `ytd` begins on 1 January, and `max` begins on the first day of the data.
 *
 * @category Vocabulary
 */
export type MetricInterval = typeof INTERVALS[number];

/**
 * The trailing windows in the fields of the blockchain comparison (INTERFACE 2.4).
 *
 * @category Vocabulary
 */
export const WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"] as const;

/**
 * A trailing window that ends with the last day of the data.
 *
 * @category Vocabulary
 */
export type Window = typeof WINDOWS[number];

/**
 * The directions in which `order_by` can sort rows. The default of the service is `asc` (INTERFACE 8).
 *
 * @category Vocabulary
 */
export const ORDER_DIRECTIONS = ["asc", "desc"] as const;

/**
 * The direction in which `order_by` sorts rows.
 *
 * @category Vocabulary
 */
export type OrderDirection = typeof ORDER_DIRECTIONS[number];

/**
 * The known aggregations of a breakdown metric, in the order of their columns. The columns of other aggregations come
 * after the columns of known aggregations. INTERFACE 2.1 does not list the aggregations.
 */
export const AGGREGATIONS = ["sum", "avg", "latest", "change", "trend", "days"] as const;

/** Name of a known aggregation. */
export type Aggregation = typeof AGGREGATIONS[number];

/**
 * The months of a cohort record. Month 0 is the month of first use.
 *
 * @category Vocabulary
 */
export const COHORT_MONTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;

/** The default of the option `washout`, in months. */
export const WASHOUT = 3;
