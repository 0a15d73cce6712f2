// deno-lint-ignore-file no-import-prefix
// An import map counts in the root config only, and this file is imported by path from elsewhere.
export { createRoute, OpenAPIHono, z } from "npm:@hono/zod-openapi@1.6.3";
export type { MiddlewareHandler } from "npm:hono@4.13.19";
import type { Context } from "npm:hono@4.13.19";
import type { Format } from "./representation.ts";
import type { Snapshot } from "../snapshot.ts";

/** What one request carries through the routes. */
export interface RequestState {
  readonly snapshot: Snapshot;
  /** The other end of the connection, where it is known. */
  readonly address: string | undefined;
  /** The number of rows of the response, for the log; null when it has none. */
  rows: number | null;
  /**
   * Settles when the response has been read, or nobody reads it any more, or it broke off.
   * @default it is whole
   */
  sending?: Promise<void>;
}

/** What Hono is told about a request: its state, the form of its response, and the key that is remembered by. */
export interface Env {
  Bindings: RequestState;
  Variables: { key: string; format: Format };
}

/** The context of a request. */
export type Ctx = Context<Env>;
