import { DATASETS } from "../query/read_dataset.ts";
import { createRoute, z } from "./hono.ts";
import {
  aggregationItem,
  aggregationsQuery,
  breakdownBody,
  breakdownItem,
  datasetQuery,
  errorItem,
  failureBody,
  id,
  projectRecord,
  recordSchema,
  strictObject,
} from "./schemas.ts";

const JSON_TYPE = "application/json";

/** A response of a route; that its content is optional lets a handler send bytes of its own. */
interface RouteResponse {
  description: string;
  content?: Record<string, { schema: z.ZodType }>;
}

function json(schema: z.ZodType, description: string): RouteResponse {
  return { description, content: { [JSON_TYPE]: { schema } } };
}

const FAILURES = {
  400: json(failureBody, "A parameter is wrong: the message names it and lists what is allowed."),
  401: json(failureBody, "The token is missing, or the header is malformed."),
  403: json(failureBody, "The token is not known here."),
  429: json(failureBody, "Too many requests: the header Retry-After says how long to wait."),
  500: json(failureBody, "The service failed."),
};

const SECURITY = { security: [{ bearer: [] }] };

/** The metric breakdown (INTERFACE 4.1). */
export const breakdownRoute = createRoute({
  method: "post",
  path: "/v2/metric-breakdown",
  tags: ["metrics"],
  operationId: "metricBreakdown",
  description: "Aggregations of metrics over a window, one item per group. Entities that do not " +
    "exist are reported in `errors`, the others are answered all the same.",
  summary: "Metric breakdown",
  ...SECURITY,
  request: {
    query: strictObject({}),
    body: { required: true, content: { [JSON_TYPE]: { schema: breakdownBody } } },
  },
  responses: {
    200: json(
      z.object({ data: z.array(breakdownItem), errors: z.array(errorItem).optional() }),
      "One item per group; entities that do not exist are reported in errors.",
    ),
    ...FAILURES,
    413: json(failureBody, "The body is too large."),
    415: json(failureBody, "The body is not JSON."),
  },
});

/** The metric aggregations (INTERFACE 4.6). */
export const aggregationsRoute = createRoute({
  method: "get",
  path: "/v2/metric-aggregations",
  tags: ["metrics"],
  operationId: "metricAggregations",
  description: "Every precomputed aggregation of the metrics of projects. A value is text: `NaN` " +
    "where it cannot be computed, `-` where the project has no such metric.",
  summary: "Metric aggregations",
  ...SECURITY,
  request: { query: aggregationsQuery },
  responses: {
    200: json(
      z.object({ data: z.array(aggregationItem), errors: z.array(errorItem).optional() }),
      "One item per project, metric and aggregation; unknown ids are reported in errors.",
    ),
    ...FAILURES,
  },
});

/** The project record (INTERFACE 4.5). */
export const projectRoute = createRoute({
  method: "get",
  path: "/v2/projects/{project_id}",
  tags: ["projects"],
  operationId: "project",
  description: "What is known about a project, and which metrics there are for it.",
  summary: "Project",
  ...SECURITY,
  request: { params: z.object({ project_id: id }), query: strictObject({}) },
  responses: {
    200: json(z.object({ data: projectRecord }), "What is known about the project."),
    ...FAILURES,
    308: { description: "The project has another id now: the header Location has its address." },
    404: json(failureBody, "There is no such project."),
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
      200: json(
        z.object({ data: z.array(recordSchema(`${dataset.name}_record`, dataset.fields)) }),
        "The rows that were selected; ids that do not exist select nothing.",
      ),
      ...FAILURES,
      304: { description: "The data is what the header If-None-Match names." },
    },
  }),
}));
