#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write
/**
 * Writes the sample facts as Parquet or CSV.
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { hasCode } from "../lib/platform/file.ts";
import { writeSample } from "../lib/service/mod.ts";
import {
  type Arguments,
  isMain,
  type Main,
  option,
  print,
  runProcess,
  script,
  UsageError,
} from "./cli/script.ts";

const [SMALLEST, LARGEST] = [0.0001, 1_000];

function scaleOf(given: Arguments): number {
  const text = given.one("scale") ?? "1";
  const scale = Number(text);
  if (scale >= SMALLEST && scale <= LARGEST) return scale;
  throw new UsageError(`--scale: must be from ${SMALLEST} to ${LARGEST}; got "${text}"`);
}

async function checkFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const there = names.find((name) => /\.(parquet|csv)$/.test(name));
  if (there === undefined) return;
  throw new UsageError(
    `--out: the folder has other files, such as ${there}: ${folder}`,
  );
}

export const main: Main = script({
  name: "sample.ts",
  about:
    "Writes the sample facts as Parquet or CSV: invented names and random numbers from a fixed " +
    "seed. Prints the paths.",
  usage: "--out DIR [--format FORMAT] [--scale NUMBER]",
  options: [
    {
      title: "Sample",
      options: [
        option("out", "DIR", "The folder to write to; created if missing."),
        option("format", "FORMAT", "parquet (default) or csv."),
        option(
          "scale",
          "NUMBER",
          "Multiplies the users of the sample (default: 1, about 850 000 rows).",
        ),
      ],
    },
  ],
  examples: [["--out facts --scale 10", "Ten times the users, in the folder facts"]],
  async run(given, io) {
    given.noOperands();
    const out = given.required("out");
    const scale = scaleOf(given);
    const format = given.oneOf("format", ["parquet", "csv"]) ?? "parquet";
    await checkFolder(out);
    const paths = await writeSample({ out, scale, format, signal: io.signal });
    for (const path of paths) await print(io, `${path}\n`);
  },
});

if (isMain(import.meta)) await runProcess(main);
