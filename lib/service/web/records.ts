import { AGGREGATIONS } from "../../schema/aggregation.ts";
import { ERROR_RECORD } from "../../schema/error_record.ts";
import type { Field } from "../../schema/field.ts";
import { METRIC_AGGREGATIONS_RECORD } from "../../schema/metric_aggregations_record.ts";
import { z } from "./openapi_hono.ts";

function fieldSchema({ dtype, name }: Field) {
  if (dtype === "Float64") return z.number().nullable();
  // What names a row is always there; what describes it may be unknown.
  return /_id$|^cohort$|_address$/.test(name) ? z.string() : z.string().nullable();
}

/** The schema of a flat record, every field of it required. */
export function recordSchema(name: string, fields: readonly Field[]) {
  return z.object(Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])))
    .openapi(name);
}

/** An entity error of INTERFACE 2.2, and an item of a failed request alike. */
export const errorItem = z.object(
  Object.fromEntries(ERROR_RECORD.map(({ name }) => [name, z.string()])),
).openapi("Error");

/** The body of a failed request. */
export const failureBody = z.object({ message: z.string(), errors: z.array(errorItem) })
  .openapi("Failure");

/** An item of the metric breakdown. */
export const breakdownItem = z.object({
  data_id: z.string(),
  chain_id: z.string().nullable(),
  product_id: z.string().nullable(),
  metrics: z.record(
    z.string(),
    z.object(Object.fromEntries(AGGREGATIONS.map((name) => [name, z.number().nullable()]))),
  ),
}).openapi("MetricBreakdownItem");

/** An item of the metric aggregations. */
export const aggregationItem = z.object(
  Object.fromEntries(METRIC_AGGREGATIONS_RECORD.map(({ name }) => [name, z.string()])),
).openapi("MetricAggregationItem");

const definitions = z.array(z.object({ metric_id: z.string(), definition: z.string() }));

/** The project record. */
export const projectRecord = z.object({
  name: z.string(),
  project_id: z.string(),
  symbol: z.string().nullable(),
  description: z.object({
    what: z.string().nullable(),
    how: z.string().nullable(),
    who: z.string().nullable(),
  }),
  market_sectors: z.array(z.string()),
  chains: z.array(z.string()),
  links: z.array(z.object({ summary: z.string(), url: z.string() })),
  aggregate_by_options: z.record(z.string(), z.array(z.string())),
  metric_availability: z.record(z.string(), z.boolean()),
  metric_definitions: definitions,
  metric_sources: definitions,
}).openapi("Project");
