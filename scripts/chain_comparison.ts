#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Chains ranked by what they earn, hold and move, with each one's share.
 *
 * @module
 */
import {
  blockchainComparison,
  COMPARISON_FIELDS,
  type ComparisonField,
  type DataFrame,
  FLOW_MEASURES,
  LEVEL_MEASURES,
  pl,
  plotComparison,
  rankBy,
  WINDOWS,
} from "../mod.ts";
import { ANALYSIS_OPTIONS, checkAnalysisFiles, giveOut } from "./cli/output.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection_options.ts";
import { idList } from "./cli/query_options.ts";
import { type Arguments, nearest, onlyOneOf, UsageError } from "./cli/arguments.ts";
import { runScript, type Script } from "./cli/run_script.ts";
import { reportMissing } from "./cli/entity_errors.ts";

const MEASURES = [
  ...FLOW_MEASURES,
  "transaction_count",
  ...LEVEL_MEASURES,
  "ecosystem_project_count",
] as const;
const DEFAULT_MEASURE = "ecosystem_fees";
const DEFAULT_WINDOW = "30d";

/** The field of a measure: its latest value, or its sum over the window. */
function fieldOf(measure: string, window: string): ComparisonField {
  const field = COMPARISON_FIELDS.find((field) =>
    field.measure === measure &&
    (field.statistic === "latest" || field.statistic === "sum" && field.window === window)
  );
  if (field !== undefined) return field;
  throw new UsageError(
    `--measure: must be one of ${MEASURES.join(", ")} (nearest: ${
      nearest(measure, MEASURES)
    }): ${measure}`,
  );
}

function fieldsOf(given: Arguments): ComparisonField[] {
  const window = onlyOneOf(given, "window", [...WINDOWS, "max"]) ?? DEFAULT_WINDOW;
  const measures = given.all("measure").flatMap((list) => list.split(","));
  const distinct = new Set(measures.length === 0 ? [DEFAULT_MEASURE] : measures);
  return [...distinct].map((measure) => fieldOf(measure.trim(), window));
}

/** The chains ranked by one field. */
function ranking(chains: DataFrame, { name, measure, window }: ComparisonField): DataFrame {
  return rankBy(chains.select("chain_id", "chain_name", name), name).select(
    pl.lit(measure).alias("measure"),
    pl.lit(window ?? "latest").alias("window"),
    pl.col("rank"),
    pl.col("chain_id"),
    pl.col("chain_name"),
    pl.col(name).alias("value"),
    pl.col("share"),
    pl.col("cumulative_share"),
  );
}

const SCRIPT: Script = {
  name: "chain_comparison.ts",
  about:
    "Ranks chains by fees, revenue, market cap, users and more, with each one's share of the " +
    "total. A terminal shows the ranking; files and pipes get it, too.",
  usage: "[options]",
  options: [
    {
      title: "What to ask",
      options: [
        {
          name: "chain-ids",
          value: "IDS",
          several: true,
          about: "Only these chains: ids, comma separated, or @FILE.csv.",
        },
        {
          name: "measure",
          value: "MEASURES",
          several: true,
          about: `Comma separated, of ${MEASURES.join(", ")} (${DEFAULT_MEASURE}, if not given).`,
        },
        {
          name: "window",
          value: "WINDOW",
          about: `The days that fees, revenue, volume and transactions are summed over, one of ${
            WINDOWS.join(", ")
          }, max (${DEFAULT_WINDOW}, if not given).`,
        },
      ],
    },
    { title: "Where it goes", options: ANALYSIS_OPTIONS },
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--measure ecosystem_tvl", "Chains by the value locked in them"],
    [
      "--measure ecosystem_fees,ecosystem_revenue --window 365d --out chains.png --out chains.parquet",
      "Fees and revenue of a year, drawn and as Parquet",
    ],
  ],
  async run(given, { signal }) {
    const fields = fieldsOf(given);
    const chain_ids = await idList(given, "chain-ids");
    const query = chain_ids === undefined ? {} : { chain_ids };
    await checkAnalysisFiles(given);
    const chains = await blockchainComparison(query, await connectionOf(given, signal));
    await reportMissing(chains, given);
    if (chains.height === 0) throw new Error("the service has no chains");
    const frame = pl.concat(fields.map((field) => ranking(chains, field)));
    const chart = plotComparison(chains, { fields: fields.map(({ name }) => name) });
    const summary = frame.drop("chain_id", "cumulative_share");
    await giveOut({ frame, summary, chart, from: chains }, given);
    return 0;
  },
};

if (import.meta.main) await runScript(SCRIPT);
