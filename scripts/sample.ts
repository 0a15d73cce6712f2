/**
 * Writes the sample facts as Parquet.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { writeSample } from "../lib/service/mod.ts";

const HELP =
  `Write the sample facts as Parquet: invented names, figures by chance, the same each time.

  deno task sample --out DIR [--scale N]

  --out DIR     the folder to write to; files that are there are not overwritten
  --scale N     how many times the users of the sample there are (default 1: about 300 000 rows)
  --help        this text

Example:
  deno task sample --out facts --scale 10

Exit codes: 0 written, 1 the disk said no, 2 a wrong option.`;

function fail(code: 1 | 2, message: string): never {
  console.error(`sample: ${message}`);
  Deno.exit(code);
}

function readOptions() {
  try {
    return parseArgs({
      args: Deno.args,
      options: {
        out: { type: "string" },
        scale: { type: "string", default: "1" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    fail(2, `${error instanceof Error ? error.message : error} (see --help)`);
  }
}

const { out, scale, help } = readOptions();
if (help) {
  console.log(HELP);
  Deno.exit(0);
}
if (out === undefined) fail(2, "--out DIR is missing (see --help)");

try {
  for (const path of await writeSample({ out, scale: Number(scale) })) console.log(path);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  fail(error instanceof RangeError ? 2 : 1, message);
}
