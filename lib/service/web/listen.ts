// deno-lint-ignore-file no-import-prefix
// An import map counts in the root config only, and this file is imported by path from elsewhere.
import type { Server, ServerResponse } from "node:http";
import type { HttpBindings } from "npm:@hono/node-server@2.1.8";
import { failure, failureResponse } from "./failure.ts";
import { writeResponse } from "./write_response.ts";

/** Where a service listens, and how long it waits for slow clients. */
export interface ListenOptions {
  /**
   * The address of this machine to listen on.
   * @default "127.0.0.1"
   */
  hostname?: string;
  /**
   * The port; 0 is any that is free.
   * @default 8000
   */
  port?: number;
  /**
   * How long the header of a request may take to arrive, in milliseconds.
   * @default 10_000
   */
  headerTimeout?: number;
  /**
   * How long a whole request, its header and its body, may take to arrive, in milliseconds.
   * @default 30_000
   */
  bodyTimeout?: number;
  /**
   * How long a connection may be silent, between requests or with an answer that is not read, in
   * milliseconds.
   * @default 75_000
   */
  idleTimeout?: number;
  /**
   * How many connections there may be at once: one more is closed as it comes. There must be
   * room for 30 more files below the limit of the process.
   * @default 100
   */
  maxConnections?: number;
  /**
   * Told about what goes wrong with the socket that listens; it goes on listening.
   * @default nobody is told
   */
  onError?: (error: unknown) => void;
}

/** A socket that a service listens on. */
export interface Listener {
  /** The address that it is bound to. */
  readonly hostname: string;
  /** The port that it is bound to. */
  readonly port: number;
  /**
   * Takes no new requests, lets those under way be answered, and then closes every connection; after
   * `grace` milliseconds it closes them whatever they do. The service itself stays open.
   */
  close(grace?: number): Promise<void>;
}

/** What `listen` needs of a service. */
export interface Listened {
  /** Answers a request that came from an address; it never rejects. */
  fetch(request: Request, from: { readonly address: string | undefined }): Promise<Response>;
}

const GRACE_MS = 10_000;
/** How often connections are looked at: each timeout may last that much longer. */
const CHECK_EVERY_MS = 1_000;

// Not written in the imports themselves, so that who never listens does not download it.
type FetchCallback = Parameters<Adapter["getRequestListener"]>[0];
type Adapter = typeof import("npm:@hono/node-server@2.1.8");
const ADAPTER = "npm:@hono/node-server@2.1.8";
const ALREADY_SENT = "npm:@hono/node-server@2.1.8/utils/response";

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

/** Files that a service needs besides its connections. */
const SPARE_FILES = 30;

// Beyond the limit of open files no connection is ever taken again, and nobody is told: so it is tried
// before. Reading the limit would need permissions of its own.
function checkOpenFiles(maxConnections: number): void {
  const files: Deno.FsFile[] = [];
  try {
    while (files.length < maxConnections + SPARE_FILES) files.push(Deno.openSync("/dev/null"));
  } catch (error) {
    if ((error as { code?: string }).code !== "EMFILE") return;
    throw new RangeError(
      `Cannot listen: maxConnections must leave room for ${SPARE_FILES} more files below the limit ` +
        `of the process (ulimit -n), which has ${files.length} left; got ${maxConnections}`,
    );
  } finally {
    for (const file of files) file.close();
  }
}

// Where it may not listen, node:http throws where nobody can catch it.
async function mayListen(hostname: string, port: number): Promise<void> {
  const host = hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
  const { state } = await Deno.permissions.request({ name: "net", host });
  if (state !== "granted") throw new Deno.errors.NotCapable(`Requires net access to "${host}"`);
}

async function opened(server: Server, hostname: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, hostname, resolve);
  await promise;
  server.off("error", reject);
}

async function closed(server: Server, grace: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  server.close(() => done.resolve());
  // A connection whose answer has gone out since then is idle, too.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const late = setTimeout(() => {
    server.closeAllConnections();
    done.resolve();
  }, grace);
  await done.promise;
  clearInterval(idle);
  clearTimeout(late);
}

/**
 * Lets a service be asked over HTTP. Who is slow is dropped, and who comes when there are too many
 * connections is turned away, so that the others are answered all the while.
 *
 * @throws {RangeError} for a timeout or a number of connections that is no whole number above 0, and
 * for more connections than the process may open files.
 * @throws {Deno.errors.NotCapable} where the process may not listen.
 * @throws {Error} when the port cannot be listened on.
 */
export async function listen(service: Listened, options: ListenOptions = {}): Promise<Listener> {
  const { hostname = "127.0.0.1", port = 8_000, onError = () => {} } = options;
  const { headerTimeout = 10_000, bodyTimeout = 30_000, idleTimeout = 75_000 } = options;
  const { maxConnections = 100 } = options;
  for (const [name, value] of Object.entries({ headerTimeout, bodyTimeout, idleTimeout })) {
    check(name, value, 1);
  }
  check("maxConnections", maxConnections, 1);
  check("port", port, 0);
  checkOpenFiles(maxConnections);
  const { createServer } = await import("node:http");
  const { getRequestListener, RequestError } = await import(ADAPTER) as Adapter;
  const { RESPONSE_ALREADY_SENT } = await import(ALREADY_SENT);

  // What the adapter itself refuses: a host or a path that make no URL.
  const errorHandler = (error: unknown) => {
    if (!(error instanceof RequestError)) onError(error);
    return failureResponse(
      error instanceof RequestError
        ? failure(400, "INVALID_REQUEST", `The request is not right: ${error.message}.`)
        : error,
    );
  };
  let last = false;
  const respond = async (request: Request, { incoming, outgoing }: HttpBindings) => {
    const address = incoming.socket.remoteAddress;
    const response = last ? stopping() : await service.fetch(request, { address });
    await writeResponse(response, outgoing as ServerResponse, last);
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
  await mayListen(hostname, port);
  await opened(server, hostname, port);
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
