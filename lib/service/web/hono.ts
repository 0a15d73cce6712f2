// deno-lint-ignore-file no-import-prefix
// Import maps apply only to the root config. Projects that import this file by path have another root config.
export { createRoute, OpenAPIHono, z } from "npm:@hono/zod-openapi@1.6.3";
export type { MiddlewareHandler } from "npm:hono@4.13.19";
export { bearerAuth } from "npm:hono@4.13.19/bearer-auth";
export { compress } from "npm:hono@4.13.19/compress";
export { HTTPException } from "npm:hono@4.13.19/http-exception";
export { routePath } from "npm:hono@4.13.19/route";
export { parseAccept } from "npm:hono@4.13.19/utils/accept";
import type { Context } from "npm:hono@4.13.19";
import type { Snapshot } from "../snapshot.ts";

/** The state of one request. */
export interface RequestState {
  readonly snapshot: Snapshot;
  /** The number of rows of the response, for the log; null if the response has no rows. */
  rows: number | null;
  /**
   * A promise that settles when a streamed body has been read, canceled or interrupted.
   * @default undefined if the body is in memory
   */
  sending?: Promise<void>;
}

/** The types of Hono's context. */
export interface Env {
  Bindings: RequestState;
  Variables: {
    /** Index of the token of the request. */
    token: number;
    /** The negotiated format of the response. */
    format: "json" | "csv";
    /** A signal that fires when no client waits for the response any longer. */
    signal: AbortSignal;
    /** The whole body, before it is compressed, if it is in memory. Then the response can be cached. */
    bytes: Uint8Array<ArrayBuffer> | undefined;
  };
}

/** The context of a request. */
export type Ctx = Context<Env>;
