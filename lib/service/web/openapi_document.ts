import type { Env } from "./env.ts";
import type { OpenAPIHono } from "./openapi_hono.ts";

const DESCRIPTION =
  `Aggregated metrics about crypto projects, chains, products and market sectors, \
and three prebuilt datasets.

Money is US dollars, users are counts of distinct addresses, shares and changes are fractions. \
A figure that cannot be told is null, never zero.`;

/** The OpenAPI document of an application, from the same definitions that validate its requests. */
export function openapiDocument(app: OpenAPIHono<Env>): unknown {
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
      { name: "projects", description: "What is known about a project." },
    ],
  });
}
