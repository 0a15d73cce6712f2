// deno-lint-ignore-file no-import-prefix
// Import maps apply only to the root config. Projects that import this file by path have another root config.
import { once } from "node:events";
import type { Socket } from "node:net";
import type { HttpBindings } from "npm:@hono/node-server@2.1.8";
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
/** Interval at which timeouts are checked. A timeout can be late by up to this interval. */
const CHECK_EVERY_MS = 1_000;
/** Time in which a connection that has timed out can still show that its client reads or writes, in milliseconds. */
const LAST_CHANCE_MS = 100;
/** Maximum size of the pieces of a response, in bytes. The timeout of a connection restarts after each piece. */
const PIECE = 262_144;

type FetchCallback = Parameters<Adapter["getRequestListener"]>[0];
type Adapter = typeof import("npm:@hono/node-server@2.1.8");

const COUNT = integer(1, 2 ** 31 - 1);
const RULES = {
  hostname: string,
  port: integer(0, 65_535),
  headerTimeout: COUNT,
  bodyTimeout: COUNT,
  idleTimeout: COUNT,
  maxConnections: COUNT,
  onError: func,
};

function stopping(): Response {
  const headers = { "retry-after": "10", "connection": "close" };
  return Response.json({ message: "The service is stopping.", errors: [] }, {
    status: 503,
    headers,
  });
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Splits the chunks of a body, so that a client that reads a large chunk slowly is not idle. */
async function* piecesOf(body: Body): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
  }
}

function inPieces(response: Response): Response {
  const { body, headers } = response;
  if (body === null || Number(headers.get("content-length") ?? Infinity) <= PIECE) return response;
  return new Response(ReadableStream.from(piecesOf(body)), response);
}

/** Closes a connection that has timed out, unless bytes that arrived or left during a stall of the process prove use. */
function dropIdle(socket: Socket): void {
  const moved = () => socket.bytesRead + socket.bytesWritten - socket.writableLength;
  const before = moved();
  setTimeout(() => moved() === before && socket.destroy(), LAST_CHANCE_MS);
}

/**
 * Serves a service over HTTP. Closes connections of clients that read or write too slowly, and connections beyond
 * `maxConnections`.
 *
 * @throws {RangeError} for an unknown option, or a timeout or a number of connections that is not a whole number above 0.
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
     * Timeout for the header of a request, in milliseconds.
     * @default 10_000
     */
    headerTimeout?: number;
    /**
     * Timeout for a whole request, in milliseconds.
     * @default 30_000
     */
    bodyTimeout?: number;
    /**
     * Timeout of an idle connection, in milliseconds. A connection is idle between requests, and while the client does
     * not read the response.
     * @default 75_000
     */
    idleTimeout?: number;
    /**
     * Maximum number of open connections. Further connections are closed at once. The process must be able to open
     * this number of files and 30 more (`ulimit -n`); this is not checked.
     * @default 100
     */
    maxConnections?: number;
    /**
     * Called with errors of the listening socket. The socket continues to listen.
     * @default errors are ignored
     */
    onError?: (error: unknown) => void;
  } = {},
): Promise<Listener> {
  const { hostname = "127.0.0.1", port = 8_000, maxConnections = 100, ...times } = checkOptions(
    options,
    RULES,
    "listen",
  );
  const { headerTimeout = 10_000, bodyTimeout = 30_000, idleTimeout = 75_000 } = times;
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
  const respond = async (request: Request, { incoming: { socket } }: HttpBindings) => {
    socket.setTimeout(idleTimeout);
    if (last) return stopping();
    const response = await service.fetch(request, { address: socket.remoteAddress });
    // A client that stops reading would get two timeouts, because some bytes were still written in the first.
    socket.setTimeout(idleTimeout / 2);
    if (last) response.headers.set("connection", "close");
    return inPieces(response);
  };
  const server = createServer(
    {
      headersTimeout: headerTimeout,
      requestTimeout: Math.max(headerTimeout, bodyTimeout),
      keepAliveTimeout: idleTimeout,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
    inTurn(getRequestListener(respond as FetchCallback, {
      overrideGlobalObjects: false,
      hostname,
      errorHandler,
    })),
  );
  server.maxConnections = maxConnections;
  server.setTimeout(idleTimeout, dropIdle);
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
