import type { Field } from "./field.ts";

const NAMES = [
  "project_name",
  "project_id",
  "metric_id",
  "metric_aggregation_name",
  "value",
] as const;

/** The name of a field of a metric aggregation item. */
export type MetricAggregationsField = typeof NAMES[number];

/** The fields of a metric aggregation item (INTERFACE 2.3): `value` is text on the wire. */
export const METRIC_AGGREGATIONS_RECORD: readonly Field<MetricAggregationsField>[] = NAMES.map(
  (name) => ({ name, dtype: "String" }),
);
