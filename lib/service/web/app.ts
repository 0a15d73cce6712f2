import {
  respondAggregations,
  respondBreakdown,
  respondDataset,
  respondProject,
} from "./respond.ts";
import { type Env, OpenAPIHono } from "./hono.ts";
import { failure, failureResponse, validationFailure } from "./failure.ts";
import { guard, type GuardOptions } from "./access.ts";
import { addOpenRoutes } from "./reference.ts";
import {
  aggregationsRoute,
  breakdownRoute,
  DATASET_ROUTES,
  formatsOf,
  projectRoute,
} from "./routes.ts";

/** How the routes behave. */
interface AppOptions extends GuardOptions {
  /**
   * Told about what went wrong inside, which the response does not say.
   * @default nobody is told
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

function methodNotAllowed(method: string, path: string, allow: string): never {
  throw failure(405, "METHOD_NOT_ALLOWED", `${path} answers ${allow}, not ${method}.`, {
    field: "method",
    value: method,
    headers: { Allow: allow },
  });
}

/** The routes of the service as one Hono application; it knows neither sockets nor files. */
export function createApp(options: AppOptions): OpenAPIHono<Env> {
  const { onError = () => {} } = options;
  const app = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      // The validator hands the input on, its type does not say so.
      const { data } = result as { data?: unknown };
      if (!result.success) throw validationFailure(result.error.issues, data, result.target);
    },
  });
  app.onError((error) => {
    const response = failureResponse(error);
    if (response.status >= 500) onError(error);
    return response;
  });
  app.notFound((c) =>
    failureResponse(failure(404, "NOT_FOUND", `There is nothing at ${c.req.path}.`, {
      field: "path",
      value: c.req.path,
    }))
  );

  const guarded = guard(options);
  const routes = [
    breakdownRoute,
    aggregationsRoute,
    projectRoute,
    ...DATASET_ROUTES.map(({ route }) => route),
  ];
  for (const route of routes) {
    app.on(route.method, route.getRoutingPath(), guarded(formatsOf(route)));
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
  addOpenRoutes(app);
  return app;
}
