#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-net=127.0.0.1,0.0.0.0 --allow-env=CHAINFRAME_SERVICE_TOKENS
/**
 * Serves the reference service over HTTP.
 *
 * @module
 */
import {
  createService,
  listen,
  type Listener,
  type ListenOptions,
  type Service,
  type ServiceOptions,
} from "../lib/service/mod.ts";
import { type Arguments, noOperands, UsageError } from "./manners/arguments.ts";
import { runScript, type Script } from "./manners/run_script.ts";
import { tokenFrom } from "./manners/connection_options.ts";
import { createLog } from "./serving/log.ts";

const tell = createLog();

function complain(error: unknown): void {
  tell(`serve.ts: ${error instanceof Error ? error.message : error}`);
}

function wholeNumber(given: Arguments, option: string, least: number, most: number): number {
  const text = given.one(option)!;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${option}: must be a whole number from ${least} to ${most}: ${text}`);
}

async function tokensOf(given: Arguments): Promise<readonly string[] | undefined> {
  const path = given.one("token-file");
  const text = path === undefined
    ? Deno.env.get("CHAINFRAME_SERVICE_TOKENS")
    : await tokenFrom(path);
  return text === undefined || text === "" ? undefined : text.split(/[\s,]+/);
}

async function serviceOf(given: Arguments): Promise<{ service: Service; random: boolean }> {
  const tokens = await tokensOf(given);
  const data = given.one("data");
  const cors = given.all("cors");
  const options: ServiceOptions = {
    onError: complain,
    ...(tokens === undefined ? {} : { tokens }),
    ...(data === undefined ? {} : { data }),
    ...(cors.length === 0 ? {} : { cors: cors.includes("*") ? "*" as const : cors }),
    ...(given.has("rate-limit")
      ? { rateLimit: { requests: wholeNumber(given, "rate-limit", 1, 1e9) } }
      : {}),
    ...(given.has("quiet") ? {} : { log: (entry) => tell(JSON.stringify(entry)) }),
  };
  try {
    return { service: await createService(options), random: tokens === undefined };
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      throw new UsageError(error.message, { cause: error });
    }
    throw error;
  }
}

/** The options of `listen` that are given in seconds. */
const TIMEOUTS = {
  headerTimeout: "header-timeout",
  bodyTimeout: "body-timeout",
  idleTimeout: "idle-timeout",
} as const;

function listenOptions(given: Arguments): ListenOptions {
  const options: ListenOptions = { onError: complain, hostname: given.one("host") ?? "127.0.0.1" };
  if (given.has("port")) options.port = wholeNumber(given, "port", 0, 65_535);
  if (given.has("max-connections")) {
    options.maxConnections = wholeNumber(given, "max-connections", 1, 1e6);
  }
  for (const [name, option] of Object.entries(TIMEOUTS)) {
    if (!given.has(option)) continue;
    options[name as keyof typeof TIMEOUTS] = wholeNumber(given, option, 1, 86_400) * 1000;
  }
  return options;
}

async function listening(service: Service, options: ListenOptions): Promise<Listener> {
  const { hostname, port = 8_000 } = options;
  try {
    return await listen(service, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const told = `cannot listen on ${hostname}:${port}: ${reason}`;
    if (cause instanceof RangeError) {
      throw new UsageError(`--max-connections: ${reason}`, { cause });
    }
    throw cause instanceof Deno.errors.NotCapable
      ? new UsageError(`--host: ${told}`, { cause })
      : new Error(told, { cause });
  }
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function toldToStop(): Promise<Deno.Signal> {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  let told = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (told) Deno.exit(1);
      told = true;
      resolve(signal);
    });
  }
  return promise;
}

const SCRIPT: Script = {
  name: "serve.ts",
  about: "Serves the reference service over HTTP, until Ctrl-C or SIGTERM: then it takes no new " +
    "requests, answers those under way (for up to ten seconds), and ends with 0. A line for each " +
    "request goes to stderr.",
  usage: "[options]",
  stopsItself: true,
  options: [
    {
      title: "What to serve (CHAINFRAME_SERVICE_TOKENS: the tokens that are let in)",
      options: [
        {
          name: "data",
          value: "FILE",
          about:
            "A file of data from build.ts. When it is replaced, the new one is served. If not " +
            "given: sample data with invented names.",
        },
        {
          name: "token-file",
          value: "FILE",
          about:
            "The tokens that are let in, one on a line, in a file that only you can read. With " +
            "neither file nor variable there is a random one, which is told on stderr.",
        },
        {
          name: "rate-limit",
          value: "COUNT",
          about: "How many requests a token may make in a minute (no limit, if not given).",
        },
        {
          name: "cors",
          value: "ORIGIN",
          several: true,
          about: "An origin whose pages may call from a browser, or *.",
        },
      ],
    },
    {
      title: "Where",
      options: [
        { name: "port", value: "PORT", about: "The port, 0 for a free one (8000, if not given)." },
        {
          name: "host",
          value: "ADDRESS",
          about:
            "127.0.0.1 (if not given), or 0.0.0.0 for all addresses of the machine. Another one " +
            "needs --allow-net of its own.",
        },
        { name: "quiet", about: "No line for each request." },
      ],
    },
    {
      title: "Slow and many clients",
      options: [
        {
          name: "max-connections",
          value: "COUNT",
          about:
            "How many connections there may be at once (100, if not given); one more is closed " +
            "as it comes. The limit of open files (ulimit -n) must be higher, by 50 or so.",
        },
        {
          name: "header-timeout",
          value: "SECONDS",
          about: "How long the header of a request may take to arrive (10, if not given).",
        },
        {
          name: "body-timeout",
          value: "SECONDS",
          about: "How long a request may take to arrive with its body (30, if not given).",
        },
        {
          name: "idle-timeout",
          value: "SECONDS",
          about:
            "How long a connection may be silent, between requests or with an answer that is not " +
            "read (75, if not given).",
        },
      ],
    },
  ],
  examples: [
    ["", "Sample data, with a random token, on http://127.0.0.1:8000/"],
    ["--data metrics.duckdb --token-file tokens --port 8080", "Data of your own"],
  ],
  async run(given) {
    noOperands(given);
    const options = listenOptions(given);
    const { service, random } = await serviceOf(given);
    const stopped = toldToStop();
    const listener = await listening(service, options);
    tell(
      given.has("data")
        ? `serve.ts: data of ${given.one("data")}`
        : "serve.ts: SAMPLE DATA with invented names; build.ts makes data of your own facts",
    );
    // Who gave a token knows it; a random one has to be told.
    if (random) tell(`serve.ts: token ${service.tokens[0]}`);
    const address = `http://${listener.hostname}:${listener.port}/`;
    tell(`serve.ts: listening on ${address} (reference: /reference)`);
    tell(`serve.ts: ${await stopped}: stopping once the requests under way are answered`);
    await listener.close();
    await service.close();
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
