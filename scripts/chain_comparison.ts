#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Ranks chains by fees, deposits, users and other measures, and shows the share of each chain.
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
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { ANALYSIS_OUTPUT, checkOutput, giveOut, reportMissing } from "./cli/output.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import {
  type Arguments,
  type Main,
  option,
  runProcess,
  script,
  several,
  wordIn,
} from "./cli/script.ts";

const MEASURES = [
  ...FLOW_MEASURES,
  "transaction_count",
  ...LEVEL_MEASURES,
  "ecosystem_project_count",
] as const;

/** Returns the field of the measure that `text` names: the latest value, or the sum over the window. */
function fieldOf(text: string, window: string): ComparisonField {
  const measure = wordIn(MEASURES, text, "--measure");
  return COMPARISON_FIELDS.find((field) =>
    field.measure === measure &&
    (field.statistic === "latest" || field.statistic === "sum" && field.window === window)
  )!;
}

function fieldsOf(given: Arguments): ComparisonField[] {
  const window = given.oneOf("window", [...WINDOWS, "max"]) ?? "30d";
  const measures = given.all("measure").flatMap((list) => list.split(","));
  const distinct = new Set(measures.length === 0 ? ["ecosystem_fees"] : measures);
  return [...distinct].map((measure) => fieldOf(measure.trim(), window));
}

/** Returns the chains ranked by one field. */
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

export const main: Main = script({
  name: "chain_comparison.ts",
  about:
    "Ranks chains by fees, revenue, market cap, users and more, with the share of each in the " +
    "total.",
  usage: "[options]",
  options: [
    {
      title: "Query",
      options: [
        ...queryOptions("chain-ids"),
        several(
          "measure",
          "MEASURES",
          `Comma separated, of ${MEASURES.join(", ")} (default: ecosystem_fees).`,
        ),
        option(
          "window",
          "WINDOW",
          `The window of sums, one of ${WINDOWS.join(", ")}, max (default: 30d).`,
        ),
      ],
    },
    { title: "Output", options: ANALYSIS_OUTPUT },
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--measure ecosystem_tvl", "Chains by deposited value"],
    [
      "--measure ecosystem_fees,ecosystem_revenue --window 365d --out chains.png --out chains.parquet",
      "Fees and revenue of a year, as a chart and as Parquet",
    ],
  ],
  async run(given, io) {
    const fields = fieldsOf(given);
    const query = await queryFrom(["chain-ids"], given, io);
    await checkOutput(given, "analysis");
    const source = await blockchainComparison(query, await connectionOf(given, io.signal));
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("the service has no chains");
    const frame = pl.concat(fields.map((field) => ranking(source, field)));
    const chart = plotComparison(source, { field: fields.map(({ name }) => name) });
    const summary = frame.drop("chain_id", "cumulative_share");
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (import.meta.main) await runProcess(main);
