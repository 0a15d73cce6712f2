import {
  respondAggregations,
  respondBreakdown,
  respondDataset,
  respondProject,
} from "./respond.ts";
import { access, type AccessOptions } from "./access.ts";
import { cached } from "./cached.ts";
import { compress, cors, type Env, HTTPException, OpenAPIHono } from "./hono.ts";
import { failure, failureResponse, validationFailure } from "./failure.ts";
import { addOpenRoutes } from "./reference.ts";
import {
  aggregationsRoute,
  breakdownRoute,
  DATASET_ROUTES,
  formatsOf,
  projectRoute,
} from "./routes.ts";

/** Options of the routes. */
interface AppOptions extends AccessOptions {
  /** Called with internal errors of the service, which no response contains. */
  readonly onError: (error: unknown) => void;
  /**
   * The origins whose pages may send requests from a browser, or `"*"`.
   * @default none
   */
  readonly cors?: "*" | readonly string[] | undefined;
}

const CORS_HEADERS = {
  allowMethods: ["GET", "HEAD", "POST"],
  allowHeaders: ["Authorization", "Content-Type", "If-None-Match"],
  exposeHeaders: [
    "Data-Sample",
    "Data-Since",
    "Data-Through",
    "Entity-Errors",
    "Entity-Errors-Count",
    "ETag",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
  ],
  maxAge: 600,
};

function methodNotAllowed(method: string, path: string, allow: string): never {
  throw failure("METHOD_NOT_ALLOWED", `${path} allows ${allow}, not ${method}.`, {
    field: "method",
    value: method,
    headers: { Allow: allow },
  });
}

/** Creates the routes of the service as one Hono application, without sockets or files. */
export function createApp(options: AppOptions): OpenAPIHono<Env> {
  const { onError, cors: origins } = options;
  const app = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      // The validator passes the input on, but its type does not include it.
      const { data } = result as { data?: unknown };
      if (!result.success) throw validationFailure(result.error.issues, data, result.target);
    },
  });
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
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

  if (origins !== undefined) {
    app.use(cors({ ...CORS_HEADERS, origin: origins === "*" ? "*" : [...origins] }));
  }
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
    app.all(route.getRoutingPath(), (c) => methodNotAllowed(c.req.method, c.req.path, allow));
  }
  addOpenRoutes(app, [cached([]), compressed]);
  return app;
}
