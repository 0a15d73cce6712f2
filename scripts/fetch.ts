#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Fetches the answer of one operation as a frame: to a file, to a pipe or to the terminal.
 *
 * @module
 */
import { OPERATIONS } from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection_options.ts";
import { checkErrorOptions, ENTITY_ERROR_OPTIONS, reportMissing } from "./cli/entity_errors.ts";
import { checkFrameFiles, FRAME_OPTIONS, printFrame, writeFrame } from "./cli/output.ts";
import { type Arguments, nearest, UsageError } from "./cli/arguments.ts";
import { askOperation, QUERY_OPTIONS, queryOf } from "./cli/query_options.ts";
import { runScript, type Script } from "./cli/run_script.ts";

type Operation = typeof OPERATIONS[number];

/** The operations that leave unknown entities out without a word. */
function operationOf({ operands }: Arguments): Operation {
  const [name, ...more] = operands;
  if (name === undefined) {
    throw new UsageError(`OPERATION: is required, one of ${OPERATIONS.join(", ")}`);
  }
  if (more.length > 0) throw new UsageError(`OPERATION: must be one; got more: ${more.join(" ")}`);
  const operation = OPERATIONS.find((known) => known === name);
  if (operation !== undefined) return operation;
  throw new UsageError(
    `OPERATION: must be one of ${OPERATIONS.join(", ")} (nearest: ${
      nearest(name, OPERATIONS)
    }): ${name}`,
  );
}

const SCRIPT: Script = {
  name: "fetch.ts",
  about: "Asks one operation of the metrics service, and gives out the answer as a frame: to a " +
    "file, to a pipe, or as a table to the terminal.",
  usage: `OPERATION [options]\n\n  OPERATION is one of\n  ${
    OPERATIONS.slice(0, 3).join(", ")
  },\n  ${OPERATIONS.slice(3).join(", ")}`,
  options: [
    { title: "What to ask (each operation takes some of these)", options: QUERY_OPTIONS },
    {
      title: "Where it goes",
      options: [
        { name: "out", value: "FILE", several: true, about: "Writes to this file, not to stdout." },
        ...FRAME_OPTIONS,
        ...ENTITY_ERROR_OPTIONS,
      ],
    },
    CONNECTION_OPTIONS,
  ],
  examples: [
    [
      "blockchain_comparison --order-by ecosystem_fees_30d_sum --order-direction desc --limit 5",
      "The five chains that earned most fees in thirty days",
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
  async run(given, { signal }) {
    const operation = operationOf(given);
    const query = await queryOf(operation, given);
    await checkFrameFiles(given);
    await checkErrorOptions(given);
    const frame = await askOperation(operation, query, await connectionOf(given, signal));
    await reportMissing(frame, given);
    for (const path of given.all("out")) await writeFrame(frame, path, given);
    if (!given.has("out")) await printFrame(frame, given);
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
