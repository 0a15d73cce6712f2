#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Calls one operation and writes its frame to a file, a pipe or the terminal.
 *
 * @module
 */
import { OPERATIONS } from "../lib/schema/vocabulary.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { checkOutput, FETCH_OUTPUT, giveOut, reportMissing } from "./cli/output.ts";
import { operationName, QUERY_OPTIONS, queryOf } from "./cli/query.ts";
import { operationOf } from "./recipe/run_recipe.ts";
import { isMain, type Main, runProcess, script, wordIn } from "./cli/script.ts";

export const main: Main = script({
  name: "fetch.ts",
  about:
    "Calls one operation of the metrics service and writes the frame to a file, to a pipe, or " +
    "as a table to the terminal.",
  usage: `OPERATION [options]\n\n  OPERATION is one of\n  ${
    OPERATIONS.slice(0, 3).join(", ")
  },\n  ${OPERATIONS.slice(3).join(", ")}`,
  options: [
    { title: "Query (each operation takes some of these)", options: QUERY_OPTIONS },
    { title: "Output", options: FETCH_OUTPUT },
    CONNECTION_OPTIONS,
  ],
  examples: [
    [
      "blockchain_comparison --order-by ecosystem_fees_30d_sum --order-direction desc --limit 5",
      "The five chains with the highest fees in thirty days",
    ],
    [
      "metric_breakdown --metric-ids fees --interval 30d --group-by chains --chain-ids @chains.csv --out fees.parquet",
      "Fees of the chains in a file, as Parquet",
    ],
    [
      "cohort_analysis --cache answers --out cohorts.csv --force",
      "Cohorts, every night from a crontab",
    ],
  ],
  async run(given, io) {
    const operation = wordIn(
      OPERATIONS,
      operationName(given.operand("OPERATION", `one of ${OPERATIONS.join(", ")}`)),
      "OPERATION",
    );
    const query = await queryOf(operation, given, io);
    await checkOutput(given, "frame");
    const connection = await connectionOf(given, io.signal);
    const frame = await operationOf(operation)(query, connection);
    await reportMissing(frame, given, io);
    await giveOut({ frame, source: frame }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
