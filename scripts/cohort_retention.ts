#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Draws retention curves of projects and sectors, with a forecast and a summary.
 *
 * @module
 */
import {
  cohortAnalysis,
  type DataFrame,
  forecastRetention,
  pl,
  plotRetention,
  pooledRetention,
  retentionCurves,
  retentionSummary,
} from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { declaredFlags } from "./cli/declared_options.ts";
import { ANALYSIS_OUTPUT, checkOutput, giveOut, reportMissing } from "./cli/output.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import { isMain, type Main, option, runProcess, script } from "./cli/script.ts";

const UNITS = ["fraction", "percent", "count"] as const;
const BYS = ["all", "project_id", "market_sector_id"] as const;
const QUERY = ["project-ids", "market-sector-ids"];
const POOLING = ["cluster", "washout", "confidence"];
const FARTHEST = 1_200;

/** Returns a summary with the columns that fit into the width of a terminal. */
function summaryOf(pooled: DataFrame): DataFrame {
  const summary = retentionSummary(pooled);
  const names = summary.columns.filter((name) => name.endsWith("_name"));
  const values = ["size", "month_1", "month_6", "month_11"];
  return summary.select(...names, ...values);
}

/** Adds the prediction for month `horizon` to the summary. `summary` and `forecast` have the same order of curves. */
function withForecast(summary: DataFrame, forecast: DataFrame, horizon: number): DataFrame {
  const last = forecast.filter(pl.col("month").eq(pl.lit(horizon)))
    .select(pl.col("predicted").alias(`month_${horizon}_predicted`));
  return pl.concat([summary, last], { how: "horizontal" });
}

export const main: Main = script({
  name: "cohort_retention.ts",
  about:
    "Shows how well projects and market sectors keep their users: retention curves pooled over " +
    "cohorts, with bounds, and a forecast. A terminal shows a summary; files and pipes get the " +
    "curves.",
  usage: "[options]",
  options: [
    {
      title: "Query",
      options: [
        ...queryOptions(...QUERY),
      ],
    },
    {
      title: "Curves",
      options: [
        ...declaredFlags("retentionCurves", "unit"),
        option("by", "WHAT", `The groups of the curves, one of ${BYS.join(", ")} (default: all).`),
        ...declaredFlags("pooledRetention", "cluster", "washout", "confidence"),
        option("horizon", "MONTH", "Predicts retention up to this month."),
        ...declaredFlags("plotRetention", "startMonth"),
      ],
    },
    { title: "Output", options: ANALYSIS_OUTPUT },
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--by market_sector_id", "A summary of every market sector"],
    [
      "--by project_id --horizon 24 --out retention.svg --out retention.csv",
      "Curves and forecasts of every project, as a chart and as CSV",
    ],
  ],
  async run(given, io) {
    const pooling = { by: given.oneOf("by", BYS) ?? "all", ...given.options(...POOLING) };
    const unit = given.oneOf("unit", UNITS);
    const horizon = given.whole("horizon", 1, FARTHEST);
    const query = await queryFrom(QUERY, given, io);
    await checkOutput(given, "analysis");
    const source = await cohortAnalysis(query, await connectionOf(given, io.signal));
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("the service has no cohorts for this query");
    const curves = retentionCurves(source, unit === undefined ? {} : { unit });
    const pooled = pooledRetention(curves, pooling);
    const frame = horizon === undefined
      ? pooled
      : forecastRetention(curves, { ...pooling, horizon });
    const short = summaryOf(pooled);
    const summary = horizon === undefined ? short : withForecast(short, frame, horizon);
    const chart = () => plotRetention(frame, given.options("start-month"));
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
