#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write
/**
 * Writes the sample facts as Parquet or CSV.
 *
 * @module
 */
import { type SampleFormat, writeSample } from "../lib/service/mod.ts";
import { type Arguments, noOperands, required, UsageError } from "./cli/arguments.ts";
import { print } from "./cli/terminal.ts";
import { runScript, type Script } from "./cli/run_script.ts";

const LARGEST = 1_000;

function scaleOf(given: Arguments): number {
  const text = given.one("scale") ?? "1";
  const scale = Number(text);
  if (scale > 0 && scale <= LARGEST) return scale;
  throw new UsageError(`--scale: must be a number above 0, up to ${LARGEST}: ${text}`);
}

function formatOf(given: Arguments): SampleFormat {
  const format = given.one("format") ?? "parquet";
  if (format === "parquet" || format === "csv") return format;
  throw new UsageError(`--format: must be one of parquet, csv: ${format}`);
}

async function checkFolder(folder: string): Promise<void> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  const there = entries.find(({ name }) => /\.(parquet|csv)$/.test(name));
  if (there === undefined) return;
  throw new UsageError(
    `--out: the folder holds files that are kept, such as ${there.name}: ${folder}`,
  );
}

const SCRIPT: Script = {
  name: "sample.ts",
  about:
    "Writes the sample facts as Parquet or CSV: invented names, figures by chance, and the same each " +
    "time. The paths go to stdout.",
  usage: "--out DIR [--format FORMAT] [--scale NUMBER]",
  options: [
    {
      title: "What to write",
      options: [
        {
          name: "out",
          value: "DIR",
          about: "The folder to write to. It is made if it is not there.",
        },
        {
          name: "format",
          value: "FORMAT",
          about: "parquet (if not given), or csv, to look at and to start from.",
        },
        {
          name: "scale",
          value: "NUMBER",
          about:
            "How many times the users of the sample there are (1, if not given: about 225 000 " +
            "rows).",
        },
      ],
    },
  ],
  examples: [["--out facts --scale 10", "Ten times the users, in the folder facts"]],
  async run(given, { signal }) {
    noOperands(given);
    const out = required(given, "out");
    const scale = scaleOf(given);
    const format = formatOf(given);
    await checkFolder(out);
    for (const path of await writeSample({ out, scale, format, signal })) await print(`${path}\n`);
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
