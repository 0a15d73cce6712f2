import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../platform/package.ts";
import type { Ctx, Env, MiddlewareHandler, OpenAPIHono } from "./hono.ts";
import { sendBytes, sendJson } from "./send.ts";

const DESCRIPTION =
  `Aggregated metrics about crypto projects, chains, products and market sectors, \
and three prebuilt datasets.

Money is US dollars, users are counts of distinct addresses, shares and changes are fractions. \
An unknown value is null, never zero.`;

/** Returns the OpenAPI document of an application. It is generated from the schemas that validate requests. */
function openapiDocument(app: OpenAPIHono<Env>): unknown {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "chainframe reference service",
      version: "2.0.0",
      description: DESCRIPTION,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "metrics", description: "Metrics by project, chain, product and market sector." },
      { name: "datasets", description: "Prebuilt datasets." },
      { name: "projects", description: "Descriptions of projects." },
    ],
  });
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chainframe: reference</title>
<link rel="stylesheet" href="reference/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<main id="reference"></main>
<script src="reference/swagger-ui-bundle.js"></script>
<script src="reference/start.js"></script>
</body>
</html>
`;

// The form on this page limits `limit` to 50 (INTERFACE 8). The operations themselves accept larger values.
const START = `const MAX_LIMIT = 50;
const response = await fetch("openapi.json");
const spec = await response.json();
for (const path of Object.values(spec.paths)) {
  for (const { parameters = [] } of Object.values(path)) {
    for (const parameter of parameters) {
      if (parameter.name === "limit") {
        parameter.schema.maximum = MAX_LIMIT;
        parameter.description += " This page asks for " + MAX_LIMIT + " at most.";
      }
    }
  }
}
spec.servers = [{ url: new URL(".", location.href).href.replace(/\\/$/, "") }];
globalThis.ui = SwaggerUIBundle({
  spec,
  dom_id: "#reference",
  deepLinking: false,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
  persistAuthorization: false,
});
`;

/** The files of the page, with their media type and text. If the text is null, swagger-ui's package has the file. */
const FILES: ReadonlyMap<string, readonly [type: string, text: string | null]> = new Map([
  ["", ["text/html; charset=utf-8", PAGE]],
  ["start.js", ["text/javascript; charset=utf-8", `(async () => {\n${START}})();\n`]],
  ["swagger-ui.css", ["text/css; charset=utf-8", null]],
  ["swagger-ui-bundle.js", ["text/javascript; charset=utf-8", null]],
]);

async function packageFile(name: string): Promise<Uint8Array> {
  return await readFile(
    join(await packageFolder("npm:swagger-ui-dist@5.17.14/package.json"), name),
  );
}

// The page needs only its own origin, so the policy forbids all other origins.
const REFERENCE_HEADERS = {
  "content-security-policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
};

function health(c: Ctx): Response {
  const { span, sample } = c.env.snapshot;
  return sendJson(c, { status: "ok", data: { ...span, sample } }, { "cache-control": "no-store" });
}

/** Adds the routes that need no token: `/healthz`, `/openapi.json` and the page `/reference`. */
export function addOpenRoutes(
  app: OpenAPIHono<Env>,
  middleware: readonly MiddlewareHandler<Env>[],
): void {
  app.get("/healthz", health);
  app.on("GET", ["/openapi.json", "/reference", "/reference/:name"], ...middleware);
  app.get("/openapi.json", (c) => sendJson(c, openapiDocument(app)));
  const reference = async (c: Ctx, name: string) => {
    const [type, text] = FILES.get(name) ?? [];
    if (type === undefined) return c.notFound();
    const bytes = text ? new TextEncoder().encode(text) : new Uint8Array(await packageFile(name));
    return sendBytes(c, bytes, { "content-type": type, ...REFERENCE_HEADERS });
  };
  // Relative links work under any path at which the service is mounted.
  app.get("/", (c) => c.body(null, 302, { location: "./reference" }));
  for (const path of ["reference", "openapi.json"]) {
    app.get(`/${path}/`, (c) => c.body(null, 308, { location: `../${path}` }));
  }
  app.get("/reference", (c) => reference(c, ""));
  app.get("/reference/:name", (c) => reference(c, c.req.param("name")));
}
