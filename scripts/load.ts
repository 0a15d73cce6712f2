#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write --allow-net --allow-env=CHAINFRAME_CLICKHOUSE_PASSWORD,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Loads the activity of facts into the shards of a ClickHouse cluster.
 *
 * @module
 */
import { FactsError, type LoadOptions, type LoadResult, loadShards } from "../lib/service/mod.ts";
import { type Arguments, noOperands, onlyOneOf, required } from "./cli/arguments.ts";
import { memoryOf, sinceOf } from "./cli/facts_options.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { tell } from "./cli/terminal.ts";

/** How often it is told how far the load has come, in milliseconds. */
const TOLD_EVERY = 10_000;

function optionsOf(given: Arguments): LoadOptions {
  required(given, "engine");
  onlyOneOf(given, "engine", ["clickhouse"]);
  const memory = memoryOf(given);
  const since = sinceOf(given);
  const spill = given.one("spill");
  return {
    facts: required(given, "facts"),
    shards: required(given, "shards"),
    prune: given.has("prune"),
    ...(memory === undefined ? {} : { memory }),
    ...(since === undefined ? {} : { since }),
    ...(spill === undefined ? {} : { spill }),
  };
}

/** Tells how far the load has come, now and then. */
function progress(): (rows: number, of: number) => void {
  let told = Date.now();
  return (rows, of) => {
    if (Date.now() - told < TOLD_EVERY) return;
    told = Date.now();
    tell(`loading: ${rows} of ${of} rows are in`);
  };
}

function days(count: number): string {
  return `${count} day${count === 1 ? "" : "s"}`;
}

function report({ rows, added, restated, unchanged, others, rounded }: LoadResult, prune: boolean) {
  tell(
    `loaded: ${rows} rows: ${days(added)} new, ${days(restated)} replaced, ` +
      `${days(unchanged)} there already`,
  );
  if (others.length > 0) {
    const which = others.length === 1 ? others[0] : `${others[0]} to ${others.at(-1)}`;
    tell(
      prune
        ? `removed: ${days(others.length)} that these facts do not have: ${which}`
        : `kept: ${
          days(others.length)
        } that these facts do not have: ${which}; --prune removes them`,
    );
  }
  if (rounded > 0) {
    tell(`loaded: ${rounded} amounts had more than nine decimals and were rounded to nine`);
  }
}

const SCRIPT: Script = {
  name: "load.ts",
  about:
    "Loads the activity of facts into the shards of a ClickHouse cluster, where a build reads it. " +
    "All facts are checked first, as a build does. A day enters as a whole, in the place of what " +
    "the shards have of it. A load that ended in the middle is finished by the same command, and " +
    "counts everything once.",
  usage: "--facts DIR --engine clickhouse --shards FILE [options]",
  grace: 8_000,
  options: [
    {
      title: "What to load",
      options: [
        { name: "facts", value: "DIR", about: "The folder of the facts, as Parquet or CSV." },
        {
          name: "since",
          value: "DAY",
          about: "Loads activity from this day on; earlier days stay on the shards as they are.",
        },
        {
          name: "prune",
          about:
            "Removes days that the shards have, from --since on, and the facts do not. They are " +
            "kept, and told, if not given.",
        },
      ],
    },
    {
      title: "Where to",
      options: [
        { name: "engine", value: "NAME", about: "What the shards run: clickhouse." },
        {
          name: "shards",
          value: "FILE",
          about:
            "The file that lists the HTTP address of every shard, the database and the user, as " +
            'JSON: {"shards": ["https://…:8443"], "database": "…", "user": "…"}. The password is ' +
            "in CHAINFRAME_CLICKHOUSE_PASSWORD, or in the file that password_file names in it.",
        },
      ],
    },
    {
      title: "This machine",
      options: [
        {
          name: "memory",
          value: "SIZE",
          about:
            "How much memory the load may hold here, such as 512MB or 2GB (half of the machine's, " +
            "if not given). What does not fit spills.",
        },
        {
          name: "spill",
          value: "DIR",
          about:
            "Where it spills: as much as the facts take (the folder for temporary files, if not " +
            "given). Nothing stays there.",
        },
      ],
    },
  ],
  examples: [
    ["--facts facts --engine clickhouse --shards shards.json", "All days of the facts in a folder"],
    [
      "--facts facts --engine clickhouse --shards shards.json --since 2026-06-10",
      "Those that are new, or may have been restated, since a day",
    ],
  ],
  async run(given, { signal }) {
    noOperands(given);
    const options = optionsOf(given);
    try {
      const loaded = await loadShards({ ...options, signal, onProgress: progress() });
      report(loaded, options.prune === true);
      return 0;
    } catch (error) {
      if (!(error instanceof FactsError)) throw error;
      for (const problem of error.problems) tell(problem);
      const count = error.problems.length === 1 ? "1 problem" : `${error.problems.length} problems`;
      throw new Error(`nothing was loaded: ${count} in the facts of ${options.facts}`, {
        cause: error,
      });
    }
  },
};

if (import.meta.main) await runScript(SCRIPT);
