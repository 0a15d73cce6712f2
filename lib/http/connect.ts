import { systemClock } from "./clock.ts";
import type { ConnectOptions } from "./connect_options.ts";
import type { Connection } from "./connection.ts";
import { openConnection } from "./open_connection.ts";

/**
 * Makes a connection to a metrics service. Nothing is sent.
 *
 * `baseUrl` and `token` that are not given come from the environment variables
 * `CHAINFRAME_BASE_URL` and `CHAINFRAME_TOKEN`. With neither, the connection leads to the embedded
 * service on sample data; with cache mode `"offline"` to the answers in the cache, and nowhere else.
 *
 * @throws {ConfigurationError} when only one of the two is there, when the token would travel over
 * plain http to another machine, or when an option is not what it must be. No message shows the token.
 */
export function connect(options: ConnectOptions = {}): Connection {
  return openConnection(options, systemClock);
}
