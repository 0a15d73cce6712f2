import { once } from "node:events";
import { checkOptions, func, integer, string } from "../platform/check_options.ts";
import { loadPackage } from "../platform/package.ts";
import { requestListening } from "../platform/permission.ts";
import type { Service } from "./create_service.ts";
import { inTurn } from "./in_turn.ts";
import { failure, failureResponse } from "./web/failure.ts";

/** A service that listens on a port. */
export interface Listener {
  /** The address to which the listener is bound. */
  readonly hostname: string;
  /** The port to which the listener is bound. */
  readonly port: number;
  /**
   * Stops accepting requests, waits until running requests are complete, and closes all connections. After `grace`
   * milliseconds, closes connections even if their requests are still running. The service itself stays open.
   */
  close(grace?: number): Promise<void>;
}

const GRACE_MS = 10_000;
/** Timeouts for the header of a request, a whole request, and a connection without traffic, in milliseconds. */
const [HEADER_MS, REQUEST_MS, IDLE_MS] = [10_000, 30_000, 75_000];
/** How often the timeouts of headers and requests are checked. By default, every 30 s. */
const CHECK_MS = 1_000;
// A process that reaches its limit of open files accepts no connections, even after others are closed.
const MAX_CONNECTIONS = 100;

type Adapter = typeof import("npm:@hono/node-server@2.1.8");

const RULES = { hostname: string, port: integer(0, 65_535), onError: func };

/**
 * Serves a service over HTTP. Closes connections without traffic, and connections beyond 100.
 *
 * @throws {RangeError} for an unknown option, or a port that is not a whole number from 0 to 65535.
 * @throws {Deno.errors.NotCapable} when the permission to listen is missing.
 * @throws {Error} when listening on the port fails.
 */
export async function listen(
  service: Pick<Service, "fetch">,
  options: {
    /**
     * The network address on which to listen.
     * @default "127.0.0.1"
     */
    hostname?: string;
    /**
     * The port; 0 selects any free port.
     * @default 8000
     */
    port?: number;
    /**
     * Called with errors of the listening socket. The socket continues to listen.
     * @default errors are ignored
     */
    onError?: (error: unknown) => void;
  } = {},
): Promise<Listener> {
  const { hostname = "127.0.0.1", port = 8_000 } = checkOptions(options, RULES, "listen");
  const { onError = () => {} } = options;
  const { createServer } = await import("node:http");
  const { getRequestListener, RequestError } = await loadPackage<Adapter>(
    "npm:@hono/node-server@2.1.8",
  );

  // The adapter throws a RequestError for a host or path that cannot be part of a URL. `onError` does not get this
  // error.
  const errorHandler = (error: unknown) => {
    if (!(error instanceof RequestError)) onError(error);
    return failureResponse(
      error instanceof RequestError
        ? failure("INVALID_REQUEST", `Invalid request: ${error.message}.`)
        : error,
    );
  };
  let last = false;
  const respond = async (request: Request) => {
    const response = await service.fetch(request);
    if (last) response.headers.set("connection", "close");
    return response;
  };
  const server = createServer(
    {
      headersTimeout: HEADER_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    inTurn(getRequestListener(respond, { overrideGlobalObjects: false, hostname, errorHandler })),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_MS);
  await requestListening(hostname, port);
  // `once` also rejects if the server emits the event "error".
  await once(server.listen(port, hostname), "listening");
  server.on("error", onError);
  const bound = server.address() as { address: string; port: number };
  return {
    hostname: bound.address,
    port: bound.port,
    async close(grace = GRACE_MS) {
      last = true;
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), grace);
      await closed;
      clearTimeout(late);
    },
  };
}
