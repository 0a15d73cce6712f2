#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Finds out which variants of the interface a service has, and writes the verdicts without any value.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { checkPath, writeWhole } from "../lib/platform/file.ts";
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
        flag("force", "Replaces existing files."),
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
    const force = given.has("force");
    const [json, page] = [`${out}/probe.json`, `${out}/probe.md`];
    await mkdir(out, { recursive: true });
    for (const path of [json, page]) await checkPath(path, { force });
    const report = await probe(
      { ...await tokenOf(given), signal: io.signal },
      { withExamples: given.has("with-examples") },
    );
    const write = (path: string, text: string) =>
      writeWhole(path, new TextEncoder().encode(text), { force });
    await write(json, `${JSON.stringify(report, null, 2)}\n`);
    await write(page, probePage(report));
    await print(
      io,
      [
        ...report.points.map(({ point, verdict, seen }) => `${point}: ${verdict} (${seen})`),
        report.stopped === null ? `${report.requests} requests` : `stopped: ${report.stopped}`,
        `written: ${json}, ${page}`,
      ].join("\n") + "\n",
    );
    return report.stopped === null ? 0 : 1;
  },
});

if (isMain(import.meta)) await runProcess(main);
