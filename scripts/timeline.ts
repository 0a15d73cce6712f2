#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Shows metrics over time: one row per period, with growth and ranks.
 *
 * @module
 */
import {
  type DataFrame,
  EVERY,
  growthRates,
  indexed,
  pl,
  plotTimeline,
  rollingMean,
  timeline,
  type TimelineQuery,
} from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { ANALYSIS_OUTPUT, checkOutput, giveOut, reportMissing } from "./cli/output.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import {
  type Arguments,
  flag,
  type Io,
  type Main,
  option,
  runProcess,
  script,
  UsageError,
} from "./cli/script.ts";

const QUERY = [
  "metric-ids",
  "group-by",
  "chain-ids",
  "project-ids",
  "product-ids",
  "market-sector-ids",
];

async function queryOf(given: Arguments, io: Io): Promise<TimelineQuery> {
  for (const name of ["metric-ids", "group-by", "from"]) given.required(name);
  const settle = given.whole("settle", 0);
  const query = {
    every: given.oneOf("every", EVERY) ?? "month",
    ...await queryFrom([...QUERY, "from", "to"], given, io),
    ...settle === undefined ? {} : { settle },
  };
  // The query has no static type. `timeline` checks the query at run time.
  return query as unknown as TimelineQuery;
}

/** Returns the column that `--field` names. By default, returns the first numeric column that has a value. */
function fieldOf(frame: DataFrame, given: Arguments): string {
  const numbers = frame.columns.filter((name) => frame.getColumn(name).isNumeric());
  const field = given.one("field") ??
    numbers.find((name) => frame.getColumn(name).nullCount() < frame.height) ?? numbers[0];
  if (field !== undefined && numbers.includes(field)) return field;
  throw new UsageError(
    `--field: must be one of ${numbers.join(", ") || "no column"}; got "${field}"`,
  );
}

/** Adds a column that is derived from the field. Returns the frame and the name of the new column. */
function derivedOf(frame: DataFrame, field: string, given: Arguments): [DataFrame, string] {
  const asked = ["growth", "index", "rolling"].filter((name) => given.has(name));
  if (asked.length > 1) throw new UsageError(`--${asked.join(" and --")}: give one of them`);
  if (given.has("growth")) {
    const periods = given.one("growth") === "year" ? "year" : given.whole("growth", 1)!;
    return [growthRates(frame, { periods, field }), `${field}_growth`];
  }
  const base = given.one("index");
  if (base !== undefined) return [indexed(frame, { base, field }), `${field}_index`];
  const periods = given.whole("rolling", 1);
  if (periods !== undefined) return [rollingMean(frame, { periods, field }), `${field}_mean`];
  return [frame, field];
}

export const main: Main = script({
  name: "timeline.ts",
  about: "Breaks metrics down by day, week, month, quarter or year. A terminal shows one column; " +
    "files and pipes get all of them.",
  usage: "--metric-ids IDS --group-by WORD --from WHEN [options]",
  options: [
    {
      title: "Query",
      options: [
        ...queryOptions(...QUERY),
        option("every", "PERIOD", `One of ${EVERY.join(", ")} (default: month).`),
        option("from", "WHEN", "A day, month or year: 2025-01-31, 2025-01, 2025."),
        option("to", "WHEN", "In the same form (default: the end of the data)."),
        option("settle", "DAYS", "With a cache: days after which a period is final (default: 7)."),
      ],
    },
    {
      title: "Column",
      options: [
        option("field", "FIELD", "The column (default: the first that has a value)."),
        option("growth", "PERIODS", "Its change over this many periods; year: over a year."),
        option("index", "WHEN", "Its index, 100 in the period of this day."),
        option("rolling", "PERIODS", "Its mean over this many periods."),
        flag("ranks", "Draws ranks, not values."),
      ],
    },
    { title: "Output", options: ANALYSIS_OUTPUT },
    CONNECTION_OPTIONS,
  ],
  examples: [
    [
      "--metric-ids fees --group-by chains --from 2025 --out fees.svg --out fees.parquet",
      "Fees of chains by month, as a chart and as Parquet",
    ],
    [
      "--metric-ids active_users --group-by projects --every week --from 2026-01 --growth 1",
      "Growth of the users of projects from week to week",
    ],
    [
      "--metric-ids fees --group-by chains --from 2025 --ranks --cache answers --out ranks.png",
      "Ranks over time; every night, requesting only periods that may have changed",
    ],
  ],
  async run(given, io) {
    const query = await queryOf(given, io);
    await checkOutput(given, "analysis");
    const source = await timeline(query, await connectionOf(given, io.signal));
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("the service has no data for this query");
    const field = fieldOf(source, given);
    const [frame, column] = derivedOf(source, field, given);
    const as = given.has("ranks") ? "rank" : "value";
    const shown = [...new Set(["date", "complete", "data_id", field, column])];
    const summary = frame.select(...shown.map((name) => pl.col(name)));
    await giveOut(
      { frame, summary, chart: plotTimeline(frame, { field: column, as }), source },
      given,
      io,
    );
  },
});

if (import.meta.main) await runProcess(main);
