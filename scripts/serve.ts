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
import { type Arguments, noOperands, UsageError } from "./cli/arguments.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { createLog } from "./serving/log.ts";
import { listenOptions, SERVE_OPTIONS, serviceOptions } from "./serving/options.ts";

const tell = createLog();

function complain(error: unknown): void {
  tell(`serve.ts: ${error instanceof Error ? error.message : error}`);
}

function telling(given: Arguments): ServiceOptions {
  if (given.has("quiet")) return { onError: complain };
  return { onError: complain, log: (entry) => tell(JSON.stringify(entry)) };
}

async function opened(options: ServiceOptions): Promise<Service> {
  try {
    return await createService(options);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      throw new UsageError(error.message, { cause: error });
    }
    throw error;
  }
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
  options: SERVE_OPTIONS,
  examples: [
    ["", "Sample data, with a random token, on http://127.0.0.1:8000/"],
    ["--data metrics.duckdb --token-file tokens --port 8080", "Data of your own"],
  ],
  async run(given) {
    noOperands(given);
    const options = { ...listenOptions(given), onError: complain };
    const asked = await serviceOptions(given);
    const service = await opened({ ...asked, ...telling(given) });
    const stopped = toldToStop();
    const listener = await listening(service, options);
    tell(
      given.has("data")
        ? `serve.ts: data of ${given.one("data")}`
        : "serve.ts: SAMPLE DATA with invented names; build.ts makes data of your own facts",
    );
    // Who gave a token knows it; a random one has to be told.
    if (asked.tokens === undefined) tell(`serve.ts: token ${service.tokens[0]}`);
    const address = `http://${listener.hostname}:${listener.port}/`;
    tell(`serve.ts: listening on ${address} (reference: /reference)`);
    tell(`serve.ts: ${await stopped}: stopping once the requests under way are answered`);
    await listener.close();
    await service.close();
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
