#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Draws retention curves of projects and sectors, with a forecast and a summary.
 *
 * @module
 */
import type { RecipeStep } from "../lib/output/recipe.ts";
import { type DataFrame, pl } from "../mod.ts";
import { CONNECTION_OPTIONS } from "./cli/connection.ts";
import { declaredFlags } from "./cli/declared_options.ts";
import {
  ANALYSIS_OUTPUT,
  CHART_OPTIONS,
  chartOptions,
  checkOutput,
  giveOut,
  reportMissing,
} from "./cli/output.ts";
import { TABLE_OPTIONS } from "./cli/own_table.ts";
import { optionsFrom } from "./cli/option_values.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import { openSource } from "./cli/source.ts";
import { isMain, type Main, option, runProcess, script, UsageError } from "./cli/script.ts";

const BYS = [
  ...["all", "project_id", "project_name", "market_sector_id", "market_sector_name"] as const,
];
const QUERY = ["project-ids", "market-sector-ids"];
const POOLING = ["cluster", "washout", "confidence"];
const FARTHEST = 1_200;

const INTERVAL = { field: "retention", lower: "lower", upper: "upper" } as const;
const COMPARED = [
  ...["name_a", "name_b", "month", "retention_a", "retention_b"],
  ...["difference", "lower", "upper", "p_value"],
];

/** Returns the columns of a frame that have a value. */
function withoutNulls(frame: DataFrame): DataFrame {
  return frame.select(
    ...frame.columns.filter((name) => frame.getColumn(name).nullCount() < frame.height),
  );
}

/** Returns the columns of a summary that fit into the width of a terminal. */
function shortSummary(summary: DataFrame, by: string): DataFrame {
  const named = summary.columns.filter((name) => name.endsWith("_name"));
  const names = named.length > 0 ? named : summary.columns.filter((name) => name === by);
  const values = ["size", "month_1", "month_6", "month_11"]
    .filter((name) => summary.columns.includes(name));
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
        ...declaredFlags("retentionCurves", "unit", "missing"),
        option(
          "by",
          "WHAT",
          `The groups of the curves: ${
            BYS.join(", ")
          }, or a column of a table (default: all; with ` +
            "--compare market_sector_id).",
        ),
        option("month", "MONTH", "Draws and prints this month of all groups, with intervals."),
        option(
          "compare",
          "GROUPS",
          "Tests the difference of two or more groups, comma separated, in --month (default: 1).",
        ),
        ...declaredFlags("pooledRetention", "cluster", "washout", "confidence"),
        option("horizon", "MONTH", "Predicts retention up to this month."),
        ...declaredFlags("plotRetention", "startMonth"),
      ],
    },
    TABLE_OPTIONS,
    ANALYSIS_OUTPUT,
    CHART_OPTIONS,
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--by market_sector_id", "A summary of every market sector"],
    [
      "--by project_id --horizon 24 --out retention.svg --out retention.csv",
      "Curves and forecasts of every project, as a chart and as CSV",
    ],
    ["--by market_sector_id --month 3 --out month_3.svg", "Month 3 of every market sector"],
    ["--compare lending,exchanges-dex --month 3", "Whether two market sectors differ"],
    [
      '--table cohorts.csv --citation "Own app" --by country --out retention.png',
      "Own cohorts, by a column of the table",
    ],
  ],
  async run(given, io) {
    const { isTable, frame: made, chart: drawn } = await openSource(given, io, {
      query: QUERY,
      response: async () => ({
        operation: "cohort_analysis",
        query: await queryFrom("cohortAnalysis", given, { io }),
      }),
    });
    const groups = given.one("compare")?.split(",").map((group) => group.trim());
    const by = (isTable ? given.one("by") : given.oneOf("by", BYS)) ??
      (groups === undefined ? "all" : "market_sector_id");
    const pooling = { by, ...optionsFrom("pooledRetention", given, POOLING) };
    const month = given.whole("month", 0, FARTHEST);
    const horizon = given.whole("horizon", 1, FARTHEST);
    await checkOutput(given, "analysis");
    const source = await made();
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("there are no cohorts for this query");
    const curves: RecipeStep = [
      "retentionCurves",
      optionsFrom("retentionCurves", given, ["unit", "missing"]),
    ];
    if (groups !== undefined) {
      const compared: RecipeStep = ["compareRetention", { ...pooling, groups, month: month ?? 1 }];
      const frame = await made(curves, compared);
      const summary = frame.select(...COMPARED);
      const chart = () => drawn(curves, compared, ["plotDifference", chartOptions(given)]);
      return await giveOut({ frame, summary, chart, source }, given, io);
    }
    const pooled: RecipeStep = ["pooledRetention", pooling];
    if (month !== undefined) {
      const rows: RecipeStep = ["where", { month }];
      const frame = await made(curves, pooled, rows);
      if (frame.height === 0) throw new UsageError(`--month: no group has month ${month}`);
      const title = `Retention in month ${month}`;
      const options = { title, ...chartOptions(given), ...INTERVAL };
      const chart = () => drawn(curves, pooled, rows, ["plotComparison", options]);
      return await giveOut({ frame, summary: withoutNulls(frame), chart, source }, given, io);
    }
    const shown: RecipeStep = horizon === undefined
      ? pooled
      : ["forecastRetention", { ...pooling, horizon }];
    const frame = await made(curves, shown);
    const short = shortSummary(await made(curves, pooled, ["retentionSummary"]), by);
    const summary = horizon === undefined ? short : withForecast(short, frame, horizon);
    const options = {
      ...chartOptions(given),
      ...optionsFrom("plotRetention", given, ["startMonth"]),
    };
    const chart = () => drawn(curves, shown, ["plotRetention", options]);
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
