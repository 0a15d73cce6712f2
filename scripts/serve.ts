/**
 * Serves the reference service over HTTP.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { createService, type Service, type ServiceOptions } from "../lib/service/mod.ts";

const HELP = `Serve the reference service over HTTP.

  deno task serve [options]

  --data FILE          a file of data from "deno task build"; without it, sample data with
                       invented names. When the file is replaced, the new one is served
  --port N             the port to listen on; 0 takes a free one (default 8000)
  --host NAME          the address to listen on (default 127.0.0.1)
  --token TOKEN        a token that is let in; may be given several times. Without it the
                       variable CHAINFRAME_SERVICE_TOKENS (comma separated), else a random one
  --rate-limit N       how many requests a token may make in a minute (default: no limit)
  --cors ORIGIN        an origin whose pages may call from a browser, or "*"; several times
  --quiet              no line per request on stderr
  --help               this text

Examples:
  deno task serve
  deno task serve --data metrics.duckdb --port 8080 --token "$(cat token.txt)"
  curl -H "Authorization: Bearer TOKEN" http://127.0.0.1:8000/v2/datasets/blockchain_comparison

It stops on SIGINT and SIGTERM: no new requests, those under way are answered (for up to 10 s); a
second signal ends it at once.
Exit codes: 0 stopped, 1 the data or the port said no, 2 a wrong option.`;

function fail(code: 1 | 2, message: string): never {
  console.error(`serve: ${message}`);
  Deno.exit(code);
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number > max) {
    fail(2, `--${name} must be a whole number up to ${max}, got ${JSON.stringify(text)}`);
  }
  return number;
}

function readOptions() {
  try {
    return parseArgs({
      args: Deno.args,
      options: {
        data: { type: "string" },
        port: { type: "string", default: "8000" },
        host: { type: "string", default: "127.0.0.1" },
        token: { type: "string", multiple: true },
        "rate-limit": { type: "string" },
        cors: { type: "string", multiple: true },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    fail(2, `${error instanceof Error ? error.message : error} (see --help)`);
  }
}

const options = readOptions();
if (options.help) {
  console.log(HELP);
  Deno.exit(0);
}

const port = wholeNumber("port", options.port, 65_535);
const settings: ServiceOptions = {
  onError: (error) => console.error(`serve: ${error instanceof Error ? error.message : error}`),
};
const tokens = options.token ?? Deno.env.get("CHAINFRAME_SERVICE_TOKENS")?.split(",");
if (tokens !== undefined) settings.tokens = tokens;
if (options.data !== undefined) settings.data = options.data;
if (options["rate-limit"] !== undefined) {
  settings.rateLimit = { requests: wholeNumber("rate-limit", options["rate-limit"], 1e9) };
}
if (options.cors !== undefined) settings.cors = options.cors.includes("*") ? "*" : options.cors;
if (!options.quiet) settings.log = (entry) => console.error(JSON.stringify(entry));

let service: Service;
try {
  service = await createService(settings);
} catch (error) {
  const asked = error instanceof TypeError || error instanceof RangeError;
  fail(asked ? 2 : 1, error instanceof Error ? error.message : String(error));
}

const GRACE_MS = 10_000;
let stopping = false;
let underWay = 0;
let idle = () => {};

// Deno's shutdown cuts off a body that is still coming in, so it waits until nothing is under way.
async function answer(request: Request): Promise<Response> {
  if (stopping) {
    const headers = { Connection: "close", "Retry-After": "10" };
    return Response.json({ message: "The service is stopping.", errors: [] }, {
      status: 503,
      headers,
    });
  }
  underWay++;
  try {
    return await service.fetch(request);
  } finally {
    underWay--;
    if (stopping && underWay === 0) idle();
  }
}

async function stop(server: Deno.HttpServer): Promise<void> {
  stopping = true;
  const finished = new Promise<void>((resolve) => idle = resolve);
  const grace = setTimeout(() => idle(), GRACE_MS);
  if (underWay > 0) await finished;
  clearTimeout(grace);
  await server.shutdown();
}

let server: Deno.HttpServer;
try {
  server = Deno.serve({
    port,
    hostname: options.host,
    handler: answer,
    onListen: ({ hostname, port }) => {
      console.error(
        options.data === undefined
          ? "serve: SAMPLE DATA with invented names; facts of your own: deno task build --help"
          : `serve: data of ${options.data}`,
      );
      // Who gave a token knows it; a random one has to be told.
      if (tokens === undefined) console.error(`serve: token ${service.tokens[0]}`);
      console.error(`serve: listening on http://${hostname}:${port}/ (reference: /reference)`);
    },
  });
} catch (error) {
  await service.close();
  fail(
    1,
    `cannot listen on ${options.host}:${port}: ${error instanceof Error ? error.message : error}`,
  );
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    if (stopping) Deno.exit(1);
    console.error(`serve: ${signal}: stopping once the requests under way are answered`);
    void stop(server);
  });
}
await server.finished;
await service.close();
Deno.exit(0);
