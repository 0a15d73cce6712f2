#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Metrics over time: a question for each day, week, month, quarter or year, their growth, and their ranks.
 *
 * @module
 */
import {
  type DataFrame,
  EVERY,
  GROUP_BYS,
  growthRates,
  indexed,
  pl,
  plotRanks,
  plotTimeline,
  rollingMean,
  timeline,
  type TimelineQuery,
} from "../mod.ts";
import { type Arguments, onlyOneOf, required, UsageError } from "./cli/arguments.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection_options.ts";
import { ENTITY_ERROR_OPTIONS, reportMissing } from "./cli/entity_errors.ts";
import { ANALYSIS_OPTIONS, checkAnalysisFiles, giveOut } from "./cli/output.ts";
import { idList, QUERY_OPTIONS } from "./cli/query_options.ts";
import { runScript, type Script } from "./cli/run_script.ts";

const FILTERS = ["chain-ids", "project-ids", "product-ids", "market-sector-ids"] as const;

function wholeNumber(given: Arguments, option: string): number | undefined {
  const text = given.one(option);
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? text : Number(text);
  throw new UsageError(`--${option}: must be a whole number: ${text}`);
}

async function queryOf(given: Arguments): Promise<TimelineQuery> {
  required(given, "metric-ids");
  required(given, "group-by");
  const lists = await Promise.all(
    FILTERS.map(async (name) => [name.replaceAll("-", "_"), await idList(given, name)] as const),
  );
  const filters = Object.fromEntries(lists.filter(([, ids]) => ids !== undefined));
  const [to, settle] = [given.one("to"), wholeNumber(given, "settle")];
  return {
    metric_ids: (await idList(given, "metric-ids"))!,
    group_by: onlyOneOf(given, "group-by", GROUP_BYS)!,
    every: onlyOneOf(given, "every", EVERY) ?? "month",
    from: required(given, "from"),
    ...to === undefined ? {} : { to },
    ...settle === undefined ? {} : { settle },
    ...filters,
  };
}

/** The column that was asked for, or the first with a value. */
function fieldOf(frame: DataFrame, given: Arguments): string {
  const numbers = frame.columns.filter((name) => frame.getColumn(name).isNumeric());
  const field = given.one("field") ??
    numbers.find((name) => frame.getColumn(name).nullCount() < frame.height) ?? numbers[0];
  if (field !== undefined && numbers.includes(field)) return field;
  throw new UsageError(`--field: must be one of ${numbers.join(", ") || "no column"}: ${field}`);
}

/** What was asked to be made of the field, as a column beside it, and that column's name. */
function derivedOf(frame: DataFrame, field: string, given: Arguments): [DataFrame, string] {
  const asked = ["growth", "index", "rolling"].filter((name) => given.has(name));
  if (asked.length > 1) throw new UsageError(`--${asked.join(" and --")}: give one of them`);
  const growth = given.one("growth");
  if (growth !== undefined) {
    const periods = growth === "year" ? growth : wholeNumber(given, "growth")!;
    return [growthRates(frame, { periods, field }), `${field}_growth`];
  }
  const base = given.one("index");
  if (base !== undefined) return [indexed(frame, { base, field }), `${field}_index`];
  const periods = wholeNumber(given, "rolling");
  if (periods !== undefined) return [rollingMean(frame, { periods, field }), `${field}_mean`];
  return [frame, field];
}

const SCRIPT: Script = {
  name: "timeline.ts",
  about: "Breaks metrics down day by day, week by week, month by month, quarter by quarter or " +
    "year by year. A terminal shows one column; files and pipes get all of them.",
  usage: "--metric-ids IDS --group-by WORD --from WHEN [options]",
  options: [
    {
      title: "What to ask",
      options: [
        ...QUERY_OPTIONS.filter(({ name }) =>
          ["metric-ids", "group-by", ...FILTERS].includes(name)
        ),
        { name: "every", value: "PERIOD", about: `One of ${EVERY.join(", ")} (month).` },
        { name: "from", value: "WHEN", about: "A day, month or year: 2025-01-31, 2025-01, 2025." },
        { name: "to", value: "WHEN", about: "In the same form (today, if not given)." },
        {
          name: "settle",
          value: "DAYS",
          about: "With a cache: for how many days after its end a period may be restated (7).",
        },
      ],
    },
    {
      title: "What to look at",
      options: [
        { name: "field", value: "FIELD", about: "The column (the first that has a value)." },
        {
          name: "growth",
          value: "PERIODS",
          about: "Its change against so many periods before; year: against the year before.",
        },
        { name: "index", value: "WHEN", about: "Its index, 100 in the period of that day." },
        { name: "rolling", value: "PERIODS", about: "Its mean over so many periods." },
        { name: "ranks", about: "Draws ranks, and not values." },
      ],
    },
    { title: "Where it goes", options: [...ANALYSIS_OPTIONS, ...ENTITY_ERROR_OPTIONS] },
    CONNECTION_OPTIONS,
  ],
  examples: [
    [
      "--metric-ids fees --group-by chains --from 2025 --out fees.svg --out fees.parquet",
      "Fees of chains month by month, drawn and as Parquet",
    ],
    [
      "--metric-ids active_users --group-by projects --every week --from 2026-01 --growth 1",
      "How the users of projects grow from week to week",
    ],
    [
      "--metric-ids fees --group-by chains --from 2025 --ranks --cache answers --out ranks.png",
      "Who overtook whom; every night, asking only for what can have changed",
    ],
  ],
  async run(given, { signal }) {
    const query = await queryOf(given);
    await checkAnalysisFiles(given);
    const asked = await timeline(query, await connectionOf(given, signal));
    await reportMissing(asked, given);
    if (asked.height === 0) throw new Error("the service has nothing of what was asked for");
    const field = fieldOf(asked, given);
    const [frame, column] = derivedOf(asked, field, given);
    const draw = given.has("ranks") ? plotRanks : plotTimeline;
    const shown = [...new Set(["date", "complete", "data_id", field, column])];
    const summary = frame.select(...shown.map((name) => pl.col(name)));
    await giveOut({ frame, summary, chart: draw(frame, { field: column }), from: asked }, given);
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
