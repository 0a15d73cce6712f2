import { DATASETS } from "../query/read_dataset.ts";
import { type Format, MEDIA_TYPES } from "./read_request.ts";
import { createRoute, z } from "./hono.ts";
import { aggregationsQuery, breakdownBody, datasetQuery, id, strictObject } from "./parameters.ts";
import {
  aggregationItem,
  breakdownItem,
  entityErrors,
  failureBody,
  projectRecord,
  recordSchema,
} from "./schemas.ts";

/** A response of a route. `content` is optional, so that a handler can return a `Response` of bytes. */
interface RouteResponse {
  description: string;
  content?: Record<string, { schema: z.ZodType }>;
}

function json(schema: z.ZodType, description: string): RouteResponse {
  return { description, content: { [MEDIA_TYPES.json]: { schema } } };
}

function csvToo(response: RouteResponse): RouteResponse {
  const schema = z.string().openapi({
    description: "A header line, and a line for each row; null is an empty field.",
  });
  return { ...response, content: { ...response.content, [MEDIA_TYPES.csv]: { schema } } };
}

/** Returns the formats of a route's responses. */
export function formatsOf({ responses }: { responses: Record<number, RouteResponse> }): Format[] {
  const content = responses[200]?.content ?? {};
  return (["json", "csv"] as const).filter((format) => MEDIA_TYPES[format] in content);
}

function failed(description: string): RouteResponse {
  return json(failureBody, description);
}

const FAILURES = {
  400: failed("The request is wrong: the message names the field and lists what is allowed."),
  401: failed("The token is missing, or the header is malformed."),
  403: failed("Unknown token."),
  406: failed("The header Accept excludes the available types."),
  429: failed("Too many requests: see the header Retry-After."),
  500: failed("The service failed."),
};

const UNCHANGED = {
  304: { description: "The data is unchanged since the response that If-None-Match names." },
};

const SECURITY = { security: [{ bearer: [] }] };

/** The metric breakdown (INTERFACE 4.1). */
export const breakdownRoute = createRoute({
  method: "post",
  path: "/v2/metric-breakdown",
  tags: ["metrics"],
  operationId: "metricBreakdown",
  description: "Aggregations of metrics over a window, one item per group. Entities that do not " +
    "exist are reported in `errors`, the others are returned.",
  summary: "Metric breakdown",
  ...SECURITY,
  request: {
    query: strictObject({}),
    body: { required: true, content: { [MEDIA_TYPES.json]: { schema: breakdownBody } } },
  },
  responses: {
    200: json(
      z.strictObject({
        data: z.array(breakdownItem),
        errors: entityErrors(
          "metric_ids",
          "project_ids",
          "product_ids",
          "chain_ids",
          "market_sector_ids",
        ),
      }),
      "One item per group; entities that do not exist are reported in errors.",
    ),
    ...FAILURES,
    413: failed("The body is too large."),
    415: failed("The body is not JSON."),
  },
});

/** The metric aggregations (INTERFACE 4.6). */
export const aggregationsRoute = createRoute({
  method: "get",
  path: "/v2/metric-aggregations",
  tags: ["metrics"],
  operationId: "metricAggregations",
  description: "Every precomputed aggregation of the metrics of projects. A value is text: `NaN` " +
    "if it cannot be computed, `-` if the project has no such metric.",
  summary: "Metric aggregations",
  ...SECURITY,
  request: { query: aggregationsQuery },
  responses: {
    200: csvToo(json(
      z.strictObject({
        data: z.array(aggregationItem),
        errors: entityErrors("project_ids", "metric_ids"),
      }),
      "One item per project, metric and aggregation; unknown ids are reported in errors.",
    )),
    ...UNCHANGED,
    ...FAILURES,
  },
});

/** The project record (INTERFACE 4.5). */
export const projectRoute = createRoute({
  method: "get",
  path: "/v2/projects/{project_id}",
  tags: ["projects"],
  operationId: "project",
  description: "Description and available metrics of a project.",
  summary: "Project",
  ...SECURITY,
  request: { params: z.object({ project_id: id }), query: strictObject({}) },
  responses: {
    200: json(z.strictObject({ data: projectRecord }), "The description of the project."),
    ...UNCHANGED,
    ...FAILURES,
    308: { description: "The project was renamed: the header Location has its address." },
    404: failed("No such project."),
  },
});

/** One route per prebuilt dataset (INTERFACE 4.2, 4.3, 4.4). */
export const DATASET_ROUTES = DATASETS.map((dataset) => ({
  dataset,
  route: createRoute({
    method: "get",
    path: `/v2/datasets/${dataset.name}`,
    operationId: dataset.name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    tags: ["datasets"],
    description: "A prebuilt dataset; every window ends with the last day of the data.",
    summary: `${dataset.name.replaceAll("_", " ")} dataset`.replace(/^./, (c) => c.toUpperCase()),
    ...SECURITY,
    request: { query: datasetQuery(dataset) },
    responses: {
      200: csvToo(json(
        z.strictObject({ data: z.array(recordSchema(dataset)) }),
        "The rows that were selected; ids that do not exist select nothing.",
      )),
      ...UNCHANGED,
      ...FAILURES,
    },
  }),
}));
