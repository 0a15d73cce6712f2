#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write --allow-net --allow-env=CHAINFRAME_CLICKHOUSE_PASSWORD,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Builds a data file from facts, on this machine or on ClickHouse shards.
 *
 * @module
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { buildData, FactsError } from "../lib/service/mod.ts";
import { checkFile } from "./cli/output.ts";
import {
  type Arguments,
  flag,
  isMain,
  type Main,
  option,
  runProcess,
  script,
  tell,
  UsageError,
} from "./cli/script.ts";

type Options = Parameters<typeof buildData>[0];

/** Maximum time from Ctrl-C to the end of the process, in milliseconds. Ending statements on shards takes some seconds. */
const GRACE = 5_000;

/** Returns the paths of all temporary files and folders of builds that write the data file `out`. */
function temporariesOf(out: string): string[] {
  const start = `${basename(out)}.`;
  return readdirSync(dirname(out))
    .filter((name) =>
      name.startsWith(start) && /^[0-9a-f]{8}\.(new|new\.wal|spill)$/.test(name.slice(start.length))
    )
    .map((name) => join(dirname(out), name));
}

/**
 * Runs a build. After Ctrl-C, removes the temporary files of the build. Does not wait for DuckDB, which cannot cancel a
 * statement at once.
 */
async function build(options: Options, signal: AbortSignal): ReturnType<typeof buildData> {
  const before = temporariesOf(options.out);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const end = () => {
    for (const path of temporariesOf(options.out)) {
      if (!before.includes(path)) rmSync(path, { recursive: true });
    }
    reject(signal.reason);
  };
  // A build with shards first needs time to end its statements on the shards.
  const wait = options.shards === undefined ? 0 : GRACE - 1_000;
  signal.addEventListener("abort", () => setTimeout(end, wait));
  return await Promise.race([buildData({ ...options, signal }), aborted]);
}

function optionsOf(given: Arguments): Options {
  const engine = given.oneOf("engine", ["duckdb", "clickhouse"]) ?? "duckdb";
  if (engine === "duckdb" && given.has("shards")) {
    throw new UsageError("--shards: requires --engine clickhouse");
  }
  const memory = given.one("memory");
  if (memory !== undefined && !/^\d+(\.\d+)?(MB|GB|TB)$/.test(memory)) {
    throw new UsageError(`--memory: must be an amount such as 512MB or 2GB; got "${memory}"`);
  }
  return {
    facts: given.required("facts"),
    out: given.required("out"),
    carryDays: given.whole("carry-days", 0, 366) ?? 3,
    ...memory === undefined ? {} : { memory },
    ...engine === "clickhouse" ? { shards: given.required("shards") } : {},
  };
}

export const main: Main = script({
  name: "build.ts",
  about: "Builds a data file for the reference service from facts of your own. All facts are " +
    "checked first: every problem is printed with its file and row, and nothing is built.",
  usage: "--facts DIR --out FILE [options]",
  options: [
    {
      title: "Build",
      options: [
        option("facts", "DIR", "The folder of the facts, as Parquet or CSV."),
        option("out", "FILE", "The data file to write."),
        option(
          "carry-days",
          "N",
          "Days for which the last deposits, loans, market capitalization and developers " +
            "replace a missing fact (default: 3).",
        ),
        option(
          "memory",
          "SIZE",
          "The memory limit, such as 512MB or 2GB (default: 80% of the machine's). The rest goes " +
            "to disk.",
        ),
        flag(
          "force",
          "Replaces an existing file when the new one is complete. A running service " +
            "switches to it.",
        ),
      ],
    },
    {
      title: "Cluster",
      options: [
        option(
          "engine",
          "NAME",
          "duckdb (default): the activity is in the folder. clickhouse: it is in the shards, and " +
            "the folder needs the other tables only. The file is the same.",
        ),
        option(
          "shards",
          "FILE",
          'JSON: {"shards": ["https://…:8443"], "database": "…", "user": "…"}. The password is in ' +
            "CHAINFRAME_CLICKHOUSE_PASSWORD.",
        ),
      ],
    },
  ],
  examples: [
    ["--facts facts --out metrics.duckdb", "A data file from the facts in a folder"],
    ["--facts facts --out metrics.duckdb --force", "The same, every night from a crontab"],
    [
      "--facts facts --out metrics.duckdb --engine clickhouse --shards shards.json",
      "The same file, from activity in a cluster",
    ],
  ],
  async run(given, io) {
    given.noOperands();
    const options = optionsOf(given);
    const { facts, out } = options;
    await checkFile("out", given);
    const built = await build(options, io.signal).catch((error) => {
      if (!(error instanceof FactsError)) throw error;
      for (const problem of error.problems) tell(io, problem);
      const count = error.problems.length === 1 ? "1 problem" : `${error.problems.length} problems`;
      const message = `nothing was built: ${count} in the facts of ${facts}`;
      throw new Error(message, { cause: error });
    });
    tell(io, `built: ${out}: ${built.first_day} to ${built.last_day}`);
    for (const [name, count] of Object.entries(built.rows)) {
      tell(io, `built: ${name}: ${count} rows`);
    }
  },
});

export const processOptions = { grace: GRACE };

if (isMain(import.meta)) await runProcess(main, processOptions);
