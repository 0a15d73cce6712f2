import type { Snapshot } from "../snapshot.ts";
import type { Context } from "./openapi_hono.ts";

/** What one request carries through the routes. */
export interface RequestState {
  readonly snapshot: Snapshot;
  /** The number of rows of the answer, for the log; null when it has none. */
  rows: number | null;
}

/** What Hono is told about a request: its state, and the key its answer is remembered by. */
export interface Env {
  Bindings: RequestState;
  Variables: { key: string };
}

/** The context of a request. */
export type Ctx = Context<Env>;
