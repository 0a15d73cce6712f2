import { METRIC_AGGREGATIONS_RECORD } from "../../schema/records.ts";
import { METRIC_BY_ID, METRICS } from "../datasets/metric.ts";
import type { Database } from "../engine/duckdb.ts";
import { readBreakdown } from "../query/breakdown_batch.ts";
import {
  ENTITY_LIST_NAMES,
  type EntityError,
  type EntityList,
  splitKnown,
} from "../query/entity_list.ts";
import { itemsPerProject, readAggregations } from "../query/read_aggregations.ts";
import { breakdownWindow } from "../query/read_breakdown.ts";
import { type Dataset, type DatasetQuery, readDataset } from "../query/read_dataset.ts";
import { readProject } from "../query/read_project.ts";
import { access, type AccessOptions } from "./access.ts";
import { cached } from "./cached.ts";
import { failure, failureResponse, validationFailure } from "./failure.ts";
import { compress, type Ctx, type Env, HTTPException, OpenAPIHono, type z } from "./hono.ts";
import type { aggregationsQuery, breakdownBody } from "./parameters.ts";
import { addOpenRoutes } from "./reference.ts";
import {
  aggregationsRoute,
  breakdownRoute,
  DATASET_ROUTES,
  formatsOf,
  projectRoute,
} from "./routes.ts";
import { sendJson, sendPrepared, sendRows } from "./send.ts";

const AGGREGATION_COLUMNS = METRIC_AGGREGATIONS_RECORD.map(({ name }) => name);

/** The status in the log if the client closed the connection before the response. */
const CLIENT_CLOSED = 499;
/** From this number of items on, a response is large. Each has about 130 bytes. */
const MANY_ITEMS = 2_000;

/** Returns the database, whose statements end when no client waits for the response any longer. */
function databaseOf(c: Ctx): Database {
  return c.env.snapshot.database.until(c.get("signal"));
}

/** Responds to a metric breakdown. `data` has the entities that exist, and `errors` lists unknown ids. */
async function respondBreakdown(
  c: Ctx,
  body: z.infer<typeof breakdownBody>,
): Promise<Response> {
  const { known, span } = c.env.snapshot;
  const metrics = splitKnown("metric_ids", body.metric_ids, METRIC_BY_ID);
  const errors: EntityError[] = [...metrics.errors];
  const filters: { [list in EntityList]?: string[] } = {};
  for (const list of ENTITY_LIST_NAMES) {
    const ids = body[list];
    if (ids === undefined) continue;
    const split = splitKnown(list, ids, known[list]);
    filters[list] = split.found;
    errors.push(...split.errors);
  }
  const found = metrics.found.flatMap((id) => METRIC_BY_ID.get(id) ?? []);
  const query = { metrics: found, group_by: body.group_by, filters };
  const data = await readBreakdown(c.env.snapshot.database, query, {
    window: breakdownWindow(body.interval, body, span),
    signal: c.get("signal"),
  });
  // If all ids are known, the response has no member `errors` (INTERFACE 7).
  c.env.rows = data.length;
  return sendJson(c, errors.length === 0 ? { data } : { data, errors });
}

// Returns whether a list selects all entities: it is omitted, or its only element is `all`.
function isAll(ids: readonly string[] | undefined): ids is undefined {
  return ids === undefined || (ids.length === 1 && ids[0] === "all");
}

/** Responds to metric aggregations. `data` has the entities that exist, and `errors` lists unknown ids. */
async function respondAggregations(
  c: Ctx,
  query: z.infer<typeof aggregationsQuery>,
): Promise<Response> {
  const { known, aggregations } = c.env.snapshot;
  const nothing = { found: null, errors: [] };
  const projects = isAll(query.project_ids)
    ? nothing
    : splitKnown("project_ids", query.project_ids, known.project_ids);
  const metrics = isAll(query.metric_ids)
    ? nothing
    : splitKnown("metric_ids", query.metric_ids, METRIC_BY_ID);
  const all = projects.found === null && metrics.found === null && c.get("format") === "json";
  if (all && aggregations !== null) {
    return await sendPrepared(c, aggregations, known.project_ids.size * itemsPerProject(METRICS));
  }
  const chosen = METRICS.filter(({ metric_id }) => metrics.found?.includes(metric_id) ?? true);
  const errors = [...projects.errors, ...metrics.errors];
  const count = projects.found?.length ?? known.project_ids.size;
  const batches = readAggregations(databaseOf(c), chosen, projects.found);
  const isLarge = count * itemsPerProject(chosen) > MANY_ITEMS;
  return await sendRows(c, { batches, columns: AGGREGATION_COLUMNS, errors, isLarge });
}

/** Responds to a dataset operation. */
async function respondDataset(
  c: Ctx,
  dataset: Dataset,
  query: DatasetQuery,
): Promise<Response> {
  const chosen = { ...query };
  for (const list of dataset.filters) if (isAll(query[list])) delete chosen[list];
  const columns = dataset.fields.map(({ name }) => name);
  const batches = readDataset(databaseOf(c), dataset, chosen);
  return await sendRows(c, { batches, columns, errors: [] });
}

/** Responds to the project operation. Redirects a request with the old id of a renamed project to the new id. */
async function respondProject(c: Ctx, project_id: string): Promise<Response> {
  const found = await readProject(databaseOf(c), project_id);
  if (found === null) {
    throw failure("NOT_FOUND", `No such project: ${JSON.stringify(project_id)}.`, {
      field: "project_id",
      value: project_id,
    });
  }
  if ("renamed_to" in found) {
    // A relative location works under any path at which the service is mounted.
    const location = `./${encodeURIComponent(found.renamed_to)}`;
    return new Response(null, { status: 308, headers: { location } });
  }
  c.env.rows = 1;
  return sendJson(c, { data: found.project });
}

/** Creates a Hono application with all routes of the service. The application opens no sockets. */
export function createApp(
  options: AccessOptions & {
    readonly onError: (error: unknown) => void;
  },
): OpenAPIHono<Env> {
  const { onError } = options;
  const app = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      // The validator adds the input as `data`. The type of `result` does not declare this member.
      const { data } = result as { data?: unknown };
      if (!result.success) throw validationFailure(result.error.issues, data, result.target);
    },
  });
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    // The client has left, so this response is not read.
    if (c.get("signal")?.aborted) return new Response(null, { status: CLIENT_CLOSED });
    const response = failureResponse(error);
    if (response.status >= 500) onError(error);
    return response;
  });
  app.notFound((c) =>
    failureResponse(failure("NOT_FOUND", `No such path: ${c.req.path}.`, {
      field: "path",
      value: c.req.path,
    }))
  );
  const compressed = compress({ encoding: "gzip" });
  const required = access(options);
  const datasets = DATASET_ROUTES.map(({ route }) => route);
  const routes = [breakdownRoute, aggregationsRoute, projectRoute, ...datasets];
  for (const route of routes) {
    const middleware = [...required, cached(formatsOf(route)), compressed];
    app.on(route.method, [route.getRoutingPath()], ...middleware);
  }
  app.openapi(breakdownRoute, (c) => respondBreakdown(c, c.req.valid("json")));
  app.openapi(aggregationsRoute, (c) => respondAggregations(c, c.req.valid("query")));
  app.openapi(projectRoute, (c) => respondProject(c, c.req.valid("param").project_id));
  for (const { dataset, route } of DATASET_ROUTES) {
    app.openapi(route, (c) => respondDataset(c, dataset, c.req.valid("query")));
  }
  for (const route of routes) {
    const allow = route.method === "get" ? "GET, HEAD" : route.method.toUpperCase();
    app.all(route.getRoutingPath(), ({ req: { method, path } }) => {
      throw failure("METHOD_NOT_ALLOWED", `${path} allows ${allow}, not ${method}.`, {
        field: "method",
        value: method,
        headers: { Allow: allow },
      });
    });
  }
  addOpenRoutes(app, [cached([]), compressed]);
  return app;
}
