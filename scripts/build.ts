/**
 * Builds a file of data from facts.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { buildData } from "../lib/service/mod.ts";

const HELP = `Build a file of data, which the reference service serves, from facts of your own.

  deno task build --facts DIR --out FILE

  --facts DIR   the folder of the facts, as Parquet or CSV: docs/facts.md tells the layout
  --out FILE    the file to write. One that is there is replaced once the new one is whole; a
                service that serves it goes over to the new one by itself
  --help        this text

The facts are checked first. Whatever is wrong is named with its file and row, nothing is built,
and a file that is there stays as it was.

Example:
  deno task sample --out facts && deno task build --facts facts --out metrics.duckdb
  deno task serve --data metrics.duckdb

Exit codes: 0 built, 1 the facts or the disk said no, 2 a wrong option.`;

function fail(code: 1 | 2, message: string): never {
  console.error(`build: ${message}`);
  Deno.exit(code);
}

function readOptions() {
  try {
    return parseArgs({
      args: Deno.args,
      options: {
        facts: { type: "string" },
        out: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    fail(2, `${error instanceof Error ? error.message : error} (see --help)`);
  }
}

const { facts, out, help } = readOptions();
if (help) {
  console.log(HELP);
  Deno.exit(0);
}
if (facts === undefined) fail(2, "--facts DIR is missing (see --help)");
if (out === undefined) fail(2, "--out FILE is missing (see --help)");

try {
  const { first_day, last_day, rows } = await buildData({ facts, out });
  console.error(`build: ${out}: ${first_day} to ${last_day}`);
  for (const [name, count] of Object.entries(rows)) console.error(`build: ${name}: ${count} rows`);
} catch (error) {
  fail(1, error instanceof Error ? error.message : String(error));
}
