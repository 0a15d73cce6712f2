import { dayOf } from "../../schema/period.ts";
import { GROUP_BYS, INTERVALS, ORDER_DIRECTIONS } from "../../schema/vocabulary.ts";
import type { Dataset } from "../query/read_dataset.ts";
import { z } from "./hono.ts";

/** The descriptions of the parameters that are lists of ids, for the OpenAPI document. */
const LIST_DESCRIPTIONS = {
  project_ids: "Projects to select.",
  product_ids: "Products to select.",
  chain_ids: "Chains to select.",
  market_sector_ids: "Market sectors to select.",
  metric_ids: "Metrics to return.",
} as const;

type ListName = keyof typeof LIST_DESCRIPTIONS;

/** Returns the schema of an object with no other keys than those of `shape`, so that misspelled names are errors. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  const allowed = names.length === 0 ? "there are none" : `known: ${names.join(", ")}`;
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? `is not a parameter; ${allowed}` : undefined,
  });
}

const ID = /^\S([\s\S]*\S)?$/;

/** The schema of an id. The id may be unknown. */
export const id = z.string()
  .regex(ID, "must not contain an empty id, or an id with blanks at an end");

function splitAll(given: unknown): unknown {
  if (given === undefined) return undefined;
  return [given].flat().flatMap((text) => typeof text === "string" ? text.split(",") : [text]);
}

/** Returns the schema of an optional, repeatable query parameter with ids that are separated by commas. */
function idList(name: ListName) {
  return z.preprocess(splitAll, z.array(id).optional())
    .openapi({
      param: { name, in: "query", required: false, style: "form", explode: false },
      type: "array",
      items: { type: "string", minLength: 1, pattern: ID.source },
      minItems: 1,
      description: `${LIST_DESCRIPTIONS[name]} Comma separated; a repeated parameter adds ` +
        "ids. `all` or nothing selects all.",
    });
}

const MAX_LIMIT = 999_999_999;
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`;

/** Returns the schema of the query of a dataset operation. */
export function datasetQuery({ fields, filters, ids }: Dataset) {
  const names = fields.map(({ name }) => name);
  return strictObject({
    ...Object.fromEntries(filters.map((list) => [list, idList(list)])),
    order_by: z.enum(names).optional().openapi({
      description: "The response field by which the rows are sorted. Nulls are last in both " +
        `directions; ties are in ascending order of ${ids.join(", ")}.`,
    }),
    order_direction: z.enum(ORDER_DIRECTIONS).optional().openapi({
      description: "The direction of the sort on `order_by`; `asc` by default.",
    }),
    limit: z.coerce.number().int(LIMIT_RULE).min(1, LIMIT_RULE).max(MAX_LIMIT, LIMIT_RULE)
      .optional().openapi({
        param: { name: "limit", in: "query", required: false },
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        description: "Maximum number of rows; by default all.",
      }),
  });
}

/** The query of the metric aggregations. */
export const aggregationsQuery = strictObject({
  project_ids: idList("project_ids"),
  metric_ids: idList("metric_ids"),
});

function day(description: string) {
  return z.string().refine(
    (text) => !Number.isNaN(dayOf(text)),
    "must be a date that exists, as YYYY-MM-DD",
  ).openapi({ format: "date", description });
}

function ids(description: string) {
  return z.array(id).min(1, "must have at least one id").max(10_000).openapi({ description });
}

/** Returns the schema of a field that can be missing or null. Clients in Python, R and Java send null for no value. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The body of the metric breakdown. */
export const breakdownBody = strictObject({
  metric_ids: ids("Metrics to return."),
  interval: z.enum(INTERVALS).openapi({
    description: "The window, which ends with the last day of the data.",
  }),
  group_by: z.enum(GROUP_BYS).openapi({
    description: "The entity of one item.",
  }),
  project_ids: optional(ids(LIST_DESCRIPTIONS.project_ids)),
  product_ids: optional(ids(LIST_DESCRIPTIONS.product_ids)),
  chain_ids: optional(ids(LIST_DESCRIPTIONS.chain_ids)),
  market_sector_ids: optional(ids(LIST_DESCRIPTIONS.market_sector_ids)),
  start: optional(day("The first day, included; replaces the interval.")),
  end: optional(day("The last day, included; replaces the interval.")),
}).refine(
  ({ start, end }) => start === undefined || end === undefined || start <= end,
  { path: ["start"], message: "must not be after end" },
).openapi("MetricBreakdownQuery", {
  example: { metric_ids: ["fees", "active_users"], interval: "30d", group_by: "chains" },
});
