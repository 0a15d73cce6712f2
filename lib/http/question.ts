import type { Operation } from "../schema/operation.ts";

/** What a request asks: everything of it but the service and the token. */
export interface Question {
  readonly operation: Operation;
  readonly method: "GET" | "POST";
  /** The path below the base address, its segments encoded. */
  readonly path: string;
  /** The query parameters, in the order they are sent. A list is sent as one, comma separated. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  /** The JSON body of a POST; null for a GET. */
  readonly body: Readonly<Record<string, unknown>> | null;
}
