/**
 * The aggregations that a breakdown metric is known to come as, in the order their columns stand.
 * INTERFACE 2.1 does not show them: other names are kept, after these.
 */
export const AGGREGATIONS = ["sum", "avg", "latest", "change", "trend"] as const;

/** The name of an aggregation that is known beforehand. */
export type Aggregation = typeof AGGREGATIONS[number];
