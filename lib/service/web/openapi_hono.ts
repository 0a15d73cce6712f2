// An import map counts in the root config only, and this file is imported by path from elsewhere.
export { createRoute, OpenAPIHono, z } from "npm:@hono/zod-openapi@1.6.3";
export type { Context, MiddlewareHandler } from "npm:hono@4.13.19";
