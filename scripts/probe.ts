#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Finds out which variants of the interface a service has, and writes the verdicts without any value.
 *
 * @module
 */
import { mkdir, writeFile } from "node:fs/promises";
import { TOKEN_FILE, tokenOf } from "./cli/connection.ts";
import { flag, isMain, type Main, option, print, runProcess, script } from "./cli/script.ts";
import { probe, probePage } from "./probing/probe.ts";

export const main: Main = script({
  name: "probe.ts",
  about:
    "Sends at most 20 requests, and writes which variants of the interface the service has, to " +
    "probe.json and probe.md: without a token, an address or a value. Attach probe.md to an issue of the repository.",
  usage: "[options]",
  options: [
    {
      title: "Output",
      options: [
        option(
          "out",
          "DIR",
          "The folder of probe.json and probe.md. By default: the current folder.",
        ),
        flag("with-examples", "Adds three values of each field to probe.json."),
      ],
    },
    {
      title: "Service (CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN)",
      options: [TOKEN_FILE],
    },
  ],
  exitCodes: [[1, "the service cannot be reached, or refuses the token"]],
  examples: [["", "Ask the service of the environment"]],
  async run(given, io) {
    const out = given.one("out") ?? ".";
    const report = await probe(
      { ...await tokenOf(given), signal: io.signal },
      { withExamples: given.has("with-examples") },
    );
    await mkdir(out, { recursive: true });
    await writeFile(`${out}/probe.json`, `${JSON.stringify(report, null, 2)}\n`);
    await writeFile(`${out}/probe.md`, probePage(report));
    await print(
      io,
      [
        ...report.points.map(({ point, verdict, seen }) => `${point}: ${verdict} (${seen})`),
        report.stopped === null ? `${report.requests} requests` : `stopped: ${report.stopped}`,
        `written: ${out}/probe.json, ${out}/probe.md`,
      ].join("\n") + "\n",
    );
    return report.stopped === null ? 0 : 1;
  },
});

if (isMain(import.meta)) await runProcess(main);
