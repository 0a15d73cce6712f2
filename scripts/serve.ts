#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-net=127.0.0.1,0.0.0.0 --allow-env=CHAINFRAME_SERVICE_TOKENS
/**
 * Serves the reference service over HTTP.
 *
 * @module
 */
import { isNotPermitted } from "../lib/platform/permission.ts";
import {
  createService,
  listen,
  type Listener,
  type Service,
  type ServiceOptions,
} from "../lib/service/mod.ts";
import {
  isMain,
  type Main,
  type ProcessOptions,
  runProcess,
  script,
  UsageError,
} from "./cli/script.ts";
import { createLog } from "./serving/log.ts";
import { listenOptions, SERVE_OPTIONS, serviceOptions } from "./serving/serve_options.ts";

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

async function listening(
  service: Service,
  options: Parameters<typeof listen>[1] & object,
): Promise<Listener> {
  const { hostname, port = 8_000 } = options;
  try {
    return await listen(service, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `cannot listen on ${hostname}:${port}: ${reason}`;
    throw isNotPermitted(cause)
      ? new UsageError(`--host: ${message}`, { cause })
      : new Error(message, { cause });
  }
}

/** Waits for the signal that stops the service, and returns the name of the signal. */
async function stopped(signal: AbortSignal): Promise<string> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  }
  return signal.reason.message;
}

export const main: Main = script({
  name: "serve.ts",
  about: "Serves the reference service over HTTP until Ctrl-C or SIGTERM. It then accepts no new " +
    "requests, finishes running ones (within ten seconds), and exits with 0. Each request writes one " +
    "line to stderr.",
  usage: "[options]",
  options: SERVE_OPTIONS,
  examples: [
    ["", "Sample data, with a random token, on http://127.0.0.1:8000/"],
    ["--data metrics.duckdb --token-file tokens --port 8080", "Data of your own"],
  ],
  async run(given, io) {
    given.noOperands();
    const log = createLog((bytes) => io.stderr.writeSync(bytes));
    const onError = (error: unknown) =>
      log(`serve.ts: ${error instanceof Error ? error.message : error}`);
    const options = { ...listenOptions(given), onError };
    const asked = await serviceOptions(given);
    const service = await opened({
      ...asked,
      onError,
      ...given.has("quiet") ? {} : { log: (entry) => log(JSON.stringify(entry)) },
    });
    const listener = await listening(service, options);
    log(
      given.has("data")
        ? `serve.ts: data of ${given.one("data")}`
        : "serve.ts: SAMPLE DATA with invented names; build.ts builds data from your own facts",
    );
    // If the token is random, prints it. It is shown nowhere else.
    if (asked.tokens === undefined) log(`serve.ts: token ${service.tokens[0]}`);
    const address = `http://${listener.hostname}:${listener.port}/`;
    log(`serve.ts: listening on ${address} (reference: /reference)`);
    log(`serve.ts: ${await stopped(io.signal)}: stopping after running requests`);
    await listener.close();
    await service.close();
  },
});

export const processOptions: ProcessOptions = { signals: ["SIGINT", "SIGTERM"], grace: Infinity };

if (isMain(import.meta)) await runProcess(main, processOptions);
