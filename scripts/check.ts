#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Finds values that make no sense in a file, or in the response of an operation.
 *
 * @module
 */
import { formatOf } from "../lib/output/encode.ts";
import { basename, dirname } from "node:path";
import type { DataFrame } from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { checkOutput, FETCH_OUTPUT, giveOut } from "./cli/output.ts";
import { checkTable } from "./cli/own_table.ts";
import { operationName, QUERY_OPTIONS, queryOf } from "./cli/query.ts";
import { isMain, type Main, runProcess, script, tell, wordIn } from "./cli/script.ts";
import { OPERATIONS } from "../lib/schema/vocabulary.ts";
import { createRunner } from "./recipe/run_recipe.ts";

const BROKEN = 4;

export const main: Main = script({
  name: "check.ts",
  about: "Lists values that make no sense: sums that shrink, spikes, missing periods and others. " +
    "Exit code 4 if a value cannot be right.",
  usage:
    `FILE|OPERATION [options]\n\n  FILE is a frame saved by chainframe, or any CSV or Parquet file;\n  OPERATION is one of\n  ${
      OPERATIONS.slice(0, 3).join(", ")
    },\n  ${OPERATIONS.slice(3).join(", ")}`,
  options: [
    { title: "Query of an operation", options: QUERY_OPTIONS },
    { title: "Output", options: FETCH_OUTPUT },
    CONNECTION_OPTIONS,
  ],
  exitCodes: [[BROKEN, "a value cannot be right"]],
  examples: [
    ["fees.parquet", "A file"],
    ["blockchain_comparison --out findings.csv", "The newest response, findings to a file"],
  ],
  async run(given, io) {
    const what = given.operand("FILE or OPERATION", `a file, or one of ${OPERATIONS.join(", ")}`);
    const isFile = formatOf(what) !== undefined;
    // Whatever is in a file, it then reaches no host, and writes no file unless one is to be written.
    const writes = given.has("out") || given.has("errors");
    if (isFile) await io.revoke?.("net", ...writes ? [] : ["write" as const]);
    await checkOutput(given, "frame");
    if (isFile) await checkTable(what, "FILE");
    const operation = isFile ? null : wordIn(OPERATIONS, operationName(what), "FILE or OPERATION");
    const source = operation === null
      ? { file: basename(what) }
      : { operation, query: await queryOf(operation, given, io) };
    const connection = operation === null ? null : await connectionOf(given, io.signal);
    const run = createRunner({
      connection: connection && (() => connection),
      tables: isFile ? dirname(what) : null,
      given: isFile ? basename(what) : undefined,
    });
    const frame = await run({ source, steps: [] }) as DataFrame;
    const found = await run({ source, steps: [["check"]] }) as DataFrame;
    await giveOut({ frame: found, source: frame }, given, io);
    const broken = found.getColumn("severity").toArray().filter((each) => each === "broken").length;
    if (io.stderr.isTerminal()) {
      tell(io, `${broken} broken, ${found.height - broken} other findings`);
    }
    return broken === 0 ? 0 : BROKEN;
  },
});

if (isMain(import.meta)) await runProcess(main);
