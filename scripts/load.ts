#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname --allow-read --allow-write --allow-net --allow-env=CHAINFRAME_CLICKHOUSE_PASSWORD,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Loads the activity of facts into the shards of a ClickHouse cluster.
 *
 * @module
 */
import { loadShards } from "../lib/service/mod.ts";
import { FACTS, MEMORY, memoryOf, onFacts, SHARDS, tellRounded } from "./cli/facts.ts";
import {
  type Arguments,
  flag,
  type Io,
  isMain,
  type Main,
  option,
  runProcess,
  script,
  tell,
  UsageError,
} from "./cli/script.ts";

const PROGRESS_MS = 10_000;

function fromOf(given: Arguments): { from?: string } {
  const from = given.one("from");
  if (from === undefined) return {};
  const time = /^\d{4}-\d\d-\d\d$/.test(from) ? Date.parse(from) : NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(from)) return { from };
  throw new UsageError(`--from: must be a calendar day, YYYY-MM-DD; got "${from}"`);
}

function optionsOf(given: Arguments): Parameters<typeof loadShards>[0] {
  given.required("engine");
  given.oneOf("engine", ["clickhouse"]);
  const spill = given.one("spill");
  return {
    facts: given.required("facts"),
    shards: given.required("shards"),
    prune: given.has("prune"),
    ...memoryOf(given),
    ...fromOf(given),
    ...spill === undefined ? {} : { spill },
  };
}

/** Returns a function that prints the progress, at most every ten seconds. */
function progress(io: Io): (rows: number, of: number) => void {
  let last = Date.now();
  return (rows, of) => {
    if (Date.now() - last < PROGRESS_MS) return;
    last = Date.now();
    tell(io, `loading: ${rows} of ${of} rows loaded`);
  };
}

function days(count: number): string {
  return `${count} day${count === 1 ? "" : "s"}`;
}

function report(io: Io, loaded: Awaited<ReturnType<typeof loadShards>>, prune: boolean): void {
  const { rows, added, restated, unchanged, others, rounded } = loaded;
  tell(
    io,
    `loaded: ${rows} rows: ${days(added)} new, ${days(restated)} replaced, ` +
      `${days(unchanged)} there already`,
  );
  if (others.length > 0) {
    const which = others.length === 1 ? others[0] : `${others[0]} to ${others.at(-1)}`;
    const line = `${days(others.length)} that these facts do not have: ${which}`;
    tell(io, prune ? `removed: ${line}` : `kept: ${line}; --prune removes them`);
  }
  tellRounded(io, "loaded", rounded);
}

export const main: Main = script({
  name: "load.ts",
  about:
    "Loads the activity of facts into the shards of a ClickHouse cluster, where a build reads " +
    "it. All facts are checked first. A day is loaded as a whole and replaces the same day on the " +
    "shards. The same command finishes an interrupted load.",
  usage: "--facts DIR --engine clickhouse --shards FILE [options]",
  options: [
    {
      title: "Facts",
      options: [
        FACTS,
        option("from", "DAY", "Loads activity from this day on; earlier days stay."),
        flag(
          "prune",
          "Removes days, from --from on, that the shards have and the facts do not. By default " +
            "they are kept and printed.",
        ),
      ],
    },
    {
      title: "Cluster",
      options: [option("engine", "NAME", "What the shards run: clickhouse."), SHARDS],
    },
    {
      title: "This machine",
      options: [
        MEMORY,
        option(
          "spill",
          "DIR",
          "The folder for what exceeds the memory (default: the temporary one).",
        ),
      ],
    },
  ],
  examples: [
    ["--facts facts --engine clickhouse --shards shards.json", "All days of the facts in a folder"],
    [
      "--facts facts --engine clickhouse --shards shards.json --from 2026-06-10",
      "The days that are new, or may have been restated, since a day",
    ],
  ],
  async run(given, io) {
    given.noOperands();
    const options = optionsOf(given);
    const outcome = `nothing was loaded: {} in the facts of ${options.facts}`;
    const loaded = await onFacts(
      io,
      outcome,
      () => loadShards({ ...options, signal: io.signal, onProgress: progress(io) }),
    );
    report(io, loaded, options.prune === true);
  },
});

export const processOptions = { grace: 8_000 };

if (isMain(import.meta)) await runProcess(main, processOptions);
