import { GROUP_BYS } from "../../schema/vocabulary.ts";
import { METRIC_AGGREGATIONS_RECORD } from "../../schema/records.ts";
import { aggregationsOf, METRICS } from "../datasets/metric.ts";
import { summaryAggregations } from "../datasets/project_summary.ts";
import type { ENTITY_LISTS } from "../query/entity_list.ts";
import type { Dataset } from "../query/read_dataset.ts";
import { z } from "./hono.ts";

const METRIC_IDS = METRICS.map(({ metric_id }) => metric_id);

/** The schema of an id or name, which must not be empty. */
const text = z.string().min(1);

/** Returns an object with one member per metric. The value of every member is `schema`. */
function ofMetrics<Schema extends z.ZodType>(schema: Schema) {
  return Object.fromEntries(METRIC_IDS.map((id) => [id, schema]));
}

// Returns the schema of a column of numbers. The schema depends on the name of the column.
function numberSchema(name: string) {
  if (/^month_\d+$|share_1d_avg$/.test(name)) return z.number().min(0).max(1).nullable();
  if (name === "initial_cohort_size") return z.int().min(1);
  if (/count(_\w+_sum|_latest|_max)?$/.test(name)) return z.number().min(0).nullable();
  return z.number().nullable();
}

function fieldSchema({ dtype, name }: Dataset["fields"][number], ids: readonly string[]) {
  if (dtype === "Float64") return numberSchema(name);
  if (name === "cohort") return z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);
  if (name === "account_creation_timestamp") return z.iso.datetime().nullable();
  // Ids are never null. Descriptions can be null.
  return ids.includes(name) || name.endsWith("_id") ? text : z.string().nullable();
}

/** Returns the schema of a row of a dataset. All fields are required. */
export function recordSchema({ name, fields, ids }: Dataset) {
  return z.strictObject(Object.fromEntries(fields.map((f) => [f.name, fieldSchema(f, ids)])))
    .openapi(`${name}_record`);
}

/** Returns the schema of entity errors (INTERFACE 2.2). `lists` are the fields of a request that contain ids. */
export function entityErrors(...lists: (keyof typeof ENTITY_LISTS | "metric_ids")[]) {
  return z.array(z.strictObject({
    code: z.literal("NOT_FOUND"),
    field: z.enum(lists),
    value: text,
  })).min(1).optional();
}

/** The body of an error response. */
export const failureBody = z.strictObject({
  message: text,
  errors: z.array(z.strictObject({ code: text, field: z.string(), value: z.string() })).min(1).max(
    20,
  ),
}).openapi("Failure");

/** An item of the metric breakdown. */
export const breakdownItem = z.strictObject({
  data_id: text,
  chain_id: text.nullable(),
  product_id: text.nullable(),
  metrics: z.strictObject(Object.fromEntries(METRICS.map(({ metric_id, kind }) => [
    metric_id,
    z.strictObject(
      Object.fromEntries(aggregationsOf(kind).map((name) => [name, z.number().nullable()])),
    ).optional(),
  ]))).openapi({ minProperties: 1 }),
}).openapi("MetricBreakdownItem");

const SUMMARY_NAMES = [...new Set(METRICS.flatMap(summaryAggregations).map(({ name }) => name))];

/** The schemas of those fields of a metric aggregation that do not allow every text. */
const AGGREGATION_TEXTS: Readonly<Record<string, z.ZodType>> = {
  metric_id: z.enum(METRIC_IDS),
  metric_aggregation_name: z.enum(SUMMARY_NAMES),
  value: z.string().regex(/^(-|NaN|-?\d+(\.\d+)?(e[+-]\d+)?)$/),
};

/** An item of the metric aggregations. */
export const aggregationItem = z.strictObject(
  Object.fromEntries(
    METRIC_AGGREGATIONS_RECORD.map(({ name }) => [name, AGGREGATION_TEXTS[name] ?? text]),
  ),
).openapi("MetricAggregationItem");

const definitions = z.array(z.strictObject({ metric_id: z.enum(METRIC_IDS), definition: text }));

/** The project record. */
export const projectRecord = z.strictObject({
  name: text,
  project_id: text,
  symbol: z.string().nullable(),
  description: z.strictObject({
    what: z.string().nullable(),
    how: z.string().nullable(),
    who: z.string().nullable(),
  }),
  market_sectors: z.array(text).length(1),
  chains: z.array(text),
  links: z.array(z.strictObject({ summary: text, url: text })),
  aggregate_by_options: z.strictObject(ofMetrics(z.array(z.enum(GROUP_BYS)).min(1).optional())),
  metric_availability: z.strictObject(ofMetrics(z.boolean())),
  metric_definitions: definitions,
  metric_sources: definitions,
}).openapi("Project");
