#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Compares the numbers in the texts of a report with its table of numbers, and the page with its side-car.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { sha256 } from "../lib/platform/machine.ts";
import { hasCode } from "../lib/platform/file.ts";
import { terminalText } from "../lib/platform/terminal.ts";
import { isMain, type Main, print, runProcess, script, UsageError } from "./cli/script.ts";

async function textOf(path: string): Promise<string | null> {
  return await readFile(path, "utf8").catch((error) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
}

/** Returns what does not agree in a page. */
export function problemsIn(html: string): { readonly count: number; readonly problems: string[] } {
  const rows = new Map(
    [...html.matchAll(/<tr><td>(\d+)<\/td><td>(.*?)<\/td><td>(.*?)<\/td><td>(.*?)<\/td>/g)]
      .map(([, at, text, value, field]) => [at!, { text, value, field }]),
  );
  const bound = [...html.matchAll(/<data id="number-(\d+)" value="([^"]*)"[^>]*>(.*?)<\/data>/g)];
  const problems = bound.flatMap(([, at, value, text]) => {
    const row = rows.get(at!);
    if (row === undefined) return [`number ${at}: ${text} is not in the table`];
    if (row.text === text && row.value === value) return [];
    return [
      `number ${at}, ${row.field}: the text has ${text} (${value}), the table ${row.text} (${row.value})`,
    ];
  });
  const found = new Set(bound.map(([, at]) => at));
  const missing = [...rows.keys()].filter((at) => !found.has(at))
    .map((at) => `number ${at}: ${rows.get(at)!.text} is not in the text`);
  return { count: bound.length, problems: [...problems, ...missing] };
}

export const main: Main = script({
  name: "verify.ts",
  about: "Compares the numbers in the texts of a report with its table of numbers, and the page " +
    "with its side-car. Exit code 1 if they differ. This finds accidents, not forgery.",
  usage: "REPORT.html",
  options: [],
  examples: [["june.html", "After the page was edited"]],
  async run(given, io) {
    const path = given.operand("REPORT.html", "a page that save wrote");
    const html = await textOf(path);
    if (html === null) throw new UsageError(`REPORT.html: no such file: ${path}`);
    const sideCar = await textOf(`${path}.provenance.json`);
    const { count, problems } = problemsIn(html);
    if (sideCar === null) problems.push("the page has no side-car");
    else if (JSON.parse(sideCar).sha256 !== sha256(html)) {
      problems.push("the page differs from its side-car");
    }
    const lines = problems.length === 0 ? [`${count} numbers agree; not recomputed`] : problems;
    await print(io, `${lines.map(terminalText).join("\n")}\n`);
    return problems.length === 0 ? 0 : 1;
  },
});

if (isMain(import.meta)) await runProcess(main);
