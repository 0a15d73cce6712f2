#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * How well projects and sectors keep their users: retention curves, a forecast, and a summary.
 *
 * @module
 */
import {
  cohortAnalysis,
  type CohortAnalysisQuery,
  type DataFrame,
  forecastRetention,
  pl,
  plotRetention,
  pooledRetention,
  RETENTION_UNITS,
  retentionCurves,
  retentionSummary,
} from "../mod.ts";
import { ANALYSIS_OPTIONS, checkAnalysisFiles, giveOut } from "./cli/output.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection_options.ts";
import { idList } from "./cli/query_options.ts";
import { type Arguments, onlyOneOf, UsageError } from "./cli/arguments.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { reportMissing } from "./cli/entity_errors.ts";

const BYS = ["all", "project_id", "market_sector_id"] as const;
const FARTHEST = 1_200;

function horizonOf(given: Arguments): number | undefined {
  const text = given.one("forecast");
  if (text === undefined) return undefined;
  const horizon = Number(text);
  if (/^\d+$/.test(text) && horizon >= 1 && horizon <= FARTHEST) return horizon;
  throw new UsageError(
    `--forecast: must be a whole number of months from 1 to ${FARTHEST}: ${text}`,
  );
}

async function queryOf(given: Arguments): Promise<CohortAnalysisQuery> {
  const project_ids = await idList(given, "project-ids");
  const market_sector_ids = await idList(given, "market-sector-ids");
  return {
    ...(project_ids === undefined ? {} : { project_ids }),
    ...(market_sector_ids === undefined ? {} : { market_sector_ids }),
  };
}

/** The columns of a summary that fit a terminal. */
function summaryOf(pooled: DataFrame): DataFrame {
  const summary = retentionSummary(pooled);
  const names = summary.columns.filter((name) => name.endsWith("_name"));
  return summary.select(
    ...names,
    "size",
    "month_1",
    "month_6",
    "month_11",
    "half_life",
    "net_churn",
  );
}

/** The summary with what is predicted: both have one row per curve, in one order. */
function withForecast(summary: DataFrame, forecast: DataFrame, horizon: number): DataFrame {
  const last = forecast.filter(pl.col("month").eq(pl.lit(horizon)))
    .select(pl.col("predicted").alias(`month_${horizon}_predicted`));
  return pl.concat([summary.drop("month_6", "net_churn"), last], { how: "horizontal" });
}

const SCRIPT: Script = {
  name: "cohort_retention.ts",
  about: "Shows how well projects and market sectors keep their users: retention curves pooled " +
    "over cohorts, with confidence bounds, and a forecast by the shifted-beta-geometric model. A " +
    "terminal shows a summary; files and pipes get the curves.",
  usage: "[options]",
  options: [
    {
      title: "What to ask",
      options: [
        {
          name: "project-ids",
          value: "IDS",
          several: true,
          about: "Only these projects: ids, comma separated, or @FILE.csv.",
        },
        {
          name: "market-sector-ids",
          value: "IDS",
          several: true,
          about: "Only these market sectors, in the same form.",
        },
        {
          name: "by",
          value: "WHAT",
          about: `What one curve stands for, one of ${BYS.join(", ")} (all, if not given).`,
        },
        {
          name: "unit",
          value: "UNIT",
          about: `The unit of the service's months, one of ${
            RETENTION_UNITS.join(", ")
          }. If not given, it is read from the data.`,
        },
        { name: "forecast", value: "MONTHS", about: "Predicts retention up to this month." },
      ],
    },
    { title: "Where it goes", options: ANALYSIS_OPTIONS },
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--by market_sector_id", "A summary of every market sector"],
    [
      "--by project_id --forecast 24 --out retention.svg --out retention.csv",
      "Curves and forecasts of every project, drawn and as CSV",
    ],
  ],
  async run(given, { signal }) {
    const by = onlyOneOf(given, "by", BYS) ?? "all";
    const unit = onlyOneOf(given, "unit", RETENTION_UNITS);
    const horizon = horizonOf(given);
    const query = await queryOf(given);
    await checkAnalysisFiles(given);
    const cohorts = await cohortAnalysis(query, await connectionOf(given, signal));
    await reportMissing(cohorts, given);
    if (cohorts.height === 0) throw new Error("the service has no cohorts of what was asked for");
    const curves = retentionCurves(cohorts, unit === undefined ? {} : { unit });
    const pooled = pooledRetention(curves, { by });
    const summary = summaryOf(pooled);
    if (horizon === undefined) {
      await giveOut({ frame: pooled, summary, chart: plotRetention(pooled), from: cohorts }, given);
    } else {
      const frame = forecastRetention(pooled, { horizon });
      const chart = plotRetention(frame);
      const predicted = withForecast(summary, frame, horizon);
      await giveOut({ frame, summary: predicted, chart, from: cohorts }, given);
    }
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
