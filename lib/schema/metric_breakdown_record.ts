import type { Field } from "./field.ts";

/**
 * The text fields of a metric breakdown item (INTERFACE 2.1). Its `metrics` object is no column:
 * it becomes one Float64 column per metric or per metric and aggregation.
 */
export const METRIC_BREAKDOWN_RECORD: readonly Field<"data_id" | "chain_id" | "product_id">[] = [
  { name: "data_id", dtype: "String" },
  { name: "chain_id", dtype: "String" },
  { name: "product_id", dtype: "String" },
];
