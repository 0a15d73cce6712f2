import { connect } from "../http/connect.ts";
import type { Connection } from "../http/connection.ts";
import { environment } from "../http/environment.ts";

let made: { readonly key: string; readonly connection: Connection } | null = null;

/**
 * The connection that is used where none is passed: to the service that the environment names, else
 * to the embedded one. It is made once, and again when the environment has changed.
 */
export function defaultConnection(): Connection {
  const names = ["CHAINFRAME_BASE_URL", "CHAINFRAME_TOKEN", "CHAINFRAME_CACHE"];
  const key = JSON.stringify(names.map((name) => environment(name) ?? null));
  if (made?.key !== key) made = { key, connection: connect() };
  return made.connection;
}
