// deno-lint-ignore-file no-import-prefix
// Import maps apply only to the root config. Projects that import this file by path have another root config.
import { once } from "node:events";
import { devNull } from "node:os";
import { closeSync, openSync } from "node:fs";
import type { Server, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { HttpBindings } from "npm:@hono/node-server@2.1.8";
import { loadPackage } from "../platform/package.ts";
import { requestListening } from "../platform/permission.ts";
import type { Service } from "./create_service.ts";
import { bytesOf } from "./web/cached.ts";
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

type FetchCallback = Parameters<Adapter["getRequestListener"]>[0];
type Adapter = typeof import("npm:@hono/node-server@2.1.8");

function check(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least && value <= 2 ** 31 - 1) return;
  throw new RangeError(
    `Cannot listen: ${name} must be a whole number from ${least} on; got ${value}`,
  );
}

function stopping(): Response {
  const headers = { "retry-after": "10" };
  return Response.json({ message: "The service is stopping.", errors: [] }, {
    status: 503,
    headers,
  });
}

/** Number of open files that a service needs besides its connections. */
const SPARE_FILES = 30;

// If the process reaches its limit of open files, accepting connections fails forever without an error. Reading the
// limit needs more permissions, so this function opens files as a test.
function checkOpenFiles(maxConnections: number): void {
  const files: number[] = [];
  try {
    while (files.length < maxConnections + SPARE_FILES) files.push(openSync(devNull, "r"));
  } catch (error) {
    if ((error as { code?: string }).code !== "EMFILE") return;
    throw new RangeError(
      `Cannot listen: maxConnections must leave room for ${SPARE_FILES} more files below the limit ` +
        `of the process (ulimit -n), which has ${files.length} left; got ${maxConnections}`,
    );
  } finally {
    files.forEach((file) => closeSync(file));
  }
}

async function closed(server: Server, grace: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  server.close(() => done.resolve());
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => {
    server.closeAllConnections();
    done.resolve();
  }, grace);
  await done.promise;
  clearInterval(idle);
  clearTimeout(late);
}

/** Bodies with fewer bytes are written in one piece, which is faster than a stream. */
const SHORT_BYTES = 100_000;

// Writes a response without Hono's adapter, which would copy every body and print errors of streams.
async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => headers[name] = value);
  let bytes = bytesOf(response);
  if (bytes === undefined && Number(headers["content-length"]) < SHORT_BYTES) {
    bytes = new Uint8Array(await response.arrayBuffer());
  }
  outgoing.writeHead(response.status, headers);
  if (bytes !== undefined || response.body === null) return void outgoing.end(bytes);
  // If the stream fails, the connection is closed, so that a partial body is not mistaken for a complete body.
  await pipeline(response.body, outgoing).catch(() => {});
}

/**
 * Serves a service over HTTP. Closes connections of clients that read or write too slowly, and connections beyond
 * `maxConnections`.
 *
 * @throws {RangeError} for a timeout or a number of connections that is not a whole number above 0, or if the process
 * cannot open enough files for the connections.
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
     * this number of files and 30 more.
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
  const { hostname = "127.0.0.1", port = 8_000, onError = () => {} } = options;
  const { headerTimeout = 10_000, bodyTimeout = 30_000, idleTimeout = 75_000 } = options;
  const { maxConnections = 100 } = options;
  const limits = { headerTimeout, bodyTimeout, idleTimeout, maxConnections };
  for (const [name, value] of Object.entries(limits)) check(name, value, 1);
  check("port", port, 0);
  checkOpenFiles(maxConnections);
  const { createServer } = await import("node:http");
  const { getRequestListener, RequestError } = await loadPackage<Adapter>(
    "npm:@hono/node-server@2.1.8",
  );
  const { RESPONSE_ALREADY_SENT } = await loadPackage<{ RESPONSE_ALREADY_SENT: Response }>(
    "npm:@hono/node-server@2.1.8/utils/response",
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
  const respond = async (request: Request, { incoming, outgoing }: HttpBindings) => {
    const address = incoming.socket.remoteAddress;
    const response = last ? stopping() : await service.fetch(request, { address });
    if (last) response.headers.set("connection", "close");
    await write(response, outgoing as ServerResponse);
    return RESPONSE_ALREADY_SENT;
  };
  const server = createServer(
    {
      headersTimeout: headerTimeout,
      requestTimeout: Math.max(headerTimeout, bodyTimeout),
      keepAliveTimeout: idleTimeout,
      connectionsCheckingInterval: CHECK_EVERY_MS,
    },
    getRequestListener(respond as FetchCallback, {
      overrideGlobalObjects: false,
      hostname,
      errorHandler,
    }),
  );
  server.maxConnections = maxConnections;
  server.setTimeout(idleTimeout);
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
      await closed(server, grace);
    },
  };
}
