#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write --allow-net --allow-env=CHAINFRAME_CLICKHOUSE_PASSWORD,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Builds a file of data from facts, here or where ClickHouse shards hold them.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import { buildData, type BuildOptions, type BuildResult, FactsError } from "../lib/service/mod.ts";
import { type Arguments, noOperands, onlyOneOf, required, UsageError } from "./cli/arguments.ts";
import { memoryOf } from "./cli/facts_options.ts";
import { checkFile } from "./cli/output.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { tell } from "./cli/terminal.ts";

const MOST_DAYS = 366;
const INTERRUPTED = 130;
/** How long shards may take to let go of a build after Ctrl-C, and a build here, in milliseconds. */
const [GRACE, GRACE_HERE] = [8_000, 500];

/** What a build writes beside its file while it runs. */
function temporariesOf(out: string): string[] {
  const start = `${basename(out)}.`;
  return Array.from(Deno.readDirSync(dirname(out)), ({ name }) => name)
    .filter((name) =>
      name.startsWith(start) &&
      /^[0-9a-f]{8}\.(new|new\.wal|spill)$/.test(name.slice(start.length))
    )
    .map((name) => join(dirname(out), name));
}

/** Builds, and after Ctrl-C removes what this build has begun to write. */
async function build(options: BuildOptions, signal: AbortSignal): Promise<BuildResult> {
  const { out } = options;
  const before = temporariesOf(out);
  const end = () => {
    for (const path of temporariesOf(out)) {
      if (!before.includes(path)) Deno.removeSync(path, { recursive: true });
    }
    setTimeout(() => Deno.exit(INTERRUPTED), GRACE_HERE);
  };
  // What is under way on shards ends at once, and tidies up there and here.
  const wait = () => void setTimeout(end, GRACE - 2 * GRACE_HERE);
  signal.addEventListener("abort", options.shards === undefined ? end : wait);
  return await buildData({ ...options, signal });
}

function carryDaysOf(given: Arguments): number {
  const text = given.one("carry-days") ?? "3";
  if (/^\d+$/.test(text) && Number(text) <= MOST_DAYS) return Number(text);
  throw new UsageError(`--carry-days: must be a whole number from 0 to ${MOST_DAYS}: ${text}`);
}

function shardsOf(given: Arguments): string | undefined {
  const engine = onlyOneOf(given, "engine", ["duckdb", "clickhouse"]) ?? "duckdb";
  if (engine === "clickhouse") return required(given, "shards");
  if (!given.has("shards")) return undefined;
  throw new UsageError("--shards: is for --engine clickhouse");
}

/** The options of a build, as they were given. */
function optionsOf(given: Arguments): BuildOptions {
  const memory = memoryOf(given);
  const shards = shardsOf(given);
  return {
    facts: required(given, "facts"),
    out: required(given, "out"),
    carryDays: carryDaysOf(given),
    force: given.has("force"),
    ...(memory === undefined ? {} : { memory }),
    ...(shards === undefined ? {} : { shards }),
  };
}

function report(out: string, built: BuildResult): void {
  const { first_day, last_day, rows, rounded } = built;
  tell(`built: ${out}: ${first_day} to ${last_day}`);
  for (const [name, count] of Object.entries(rows)) tell(`built: ${name}: ${count} rows`);
  if (rounded > 0) {
    tell(`built: ${rounded} amounts had more than nine decimals and were rounded to nine`);
  }
}

const SCRIPT: Script = {
  name: "build.ts",
  about:
    "Builds a file of data, which the reference service serves, from facts of your own. They " +
    "are checked first: whatever is wrong is named with its file and row, and nothing is built.",
  usage: "--facts DIR --out FILE [options]",
  grace: GRACE,
  options: [
    {
      title: "What to build",
      options: [
        { name: "facts", value: "DIR", about: "The folder of the facts, as Parquet or CSV." },
        { name: "out", value: "FILE", about: "The file of data to write." },
        {
          name: "carry-days",
          value: "N",
          about:
            "For how many days the last deposits, loans, market capitalisation and developers of " +
            "a product, project or chain stand in where there is no fact (3, if not given).",
        },
        {
          name: "memory",
          value: "SIZE",
          about:
            "How much memory the build may hold, such as 512MB or 2GB (half of the machine's, if " +
            "not given). What does not fit spills beside the file.",
        },
        {
          name: "force",
          about:
            "Replaces a file that exists, once the new one is whole. A service that serves it " +
            "goes over to the new one.",
        },
      ],
    },
    {
      title: "Where the activity is",
      options: [
        {
          name: "engine",
          value: "NAME",
          about:
            "duckdb (if not given): in the folder. clickhouse: in shards, where load.ts brought it; " +
            "they count it where it is, and the folder needs the other tables only. The same file " +
            "comes out.",
        },
        {
          name: "shards",
          value: "FILE",
          about:
            "The file that lists the HTTP address of every shard, the database and the user, as for " +
            "load.ts.",
        },
      ],
    },
  ],
  examples: [
    ["--facts facts --out metrics.duckdb", "A file of data of the facts in a folder"],
    ["--facts facts --out metrics.duckdb --force", "The same, every night from a crontab"],
    [
      "--facts facts --out metrics.duckdb --engine clickhouse --shards shards.json",
      "The same file, of activity that a cluster holds",
    ],
  ],
  async run(given, { signal }) {
    noOperands(given);
    const options = optionsOf(given);
    const { facts, out, force = false } = options;
    await checkFile("out", out, force, "anything");
    try {
      report(out, await build(options, signal));
      return 0;
    } catch (error) {
      if (!(error instanceof FactsError)) throw error;
      for (const problem of error.problems) tell(problem);
      const count = error.problems.length === 1 ? "1 problem" : `${error.problems.length} problems`;
      throw new Error(`nothing was built: ${count} in the facts of ${facts}`, { cause: error });
    }
  },
};

if (import.meta.main) await runScript(SCRIPT);
