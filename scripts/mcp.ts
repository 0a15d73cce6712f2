#!/usr/bin/env -S sh -c 'exec deno run -c "${0%/*}/mcp/deno.json" --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy "$0" "$@"'
/**
 * Serves the operations, analyses and charts to agents, over the Model Context Protocol on stdio.
 *
 * @module
 */
import { TOKEN_FILE, tokenOf } from "./cli/connection.ts";
import { flag, isMain, type Main, option, runProcess, script } from "./cli/script.ts";
import { serveTools } from "./mcp/server.ts";

export const main: Main = script({
  name: "mcp.ts",
  about:
    "Serves the operations, analyses and charts to agents, over the Model Context Protocol on " +
    "standard input and output, until the agent closes them.",
  usage: "[options]",
  options: [{
    title: "Service (CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN; neither: sample data)",
    options: [
      TOKEN_FILE,
      option("cache", "DIR", "Keeps every response in this folder; asOf needs it."),
      flag("offline", "Reads the cache only and sends nothing."),
    ],
  }],
  examples: [["--cache answers", "Questions as of a day, from an archive of all responses"]],
  async run(given, io) {
    given.noOperands();
    // stdout is reserved for the protocol, and any other line would end the session.
    console.log = console.info = console.error;
    const dir = given.one("cache");
    const cache = dir === undefined ? {} : { dir };
    const options = { ...await tokenOf(given), ...cache, offline: given.has("offline") };
    await serveTools(options, io.signal);
  },
});

if (isMain(import.meta)) await runProcess(main);
