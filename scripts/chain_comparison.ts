#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Ranks chains by fees, deposits, users and other measures, and shows the share of each chain.
 *
 * @module
 */
import { COMPARISON_FIELDS } from "../lib/schema/comparison_fields.ts";
import { blockchainComparison, type DataFrame, pl, plotComparison, rankBy } from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { ANALYSIS_OUTPUT, checkOutput, giveOut, reportMissing } from "./cli/output.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import {
  type Arguments,
  isMain,
  type Main,
  runProcess,
  script,
  several,
  wordIn,
} from "./cli/script.ts";

const FIELDS = COMPARISON_FIELDS.map(({ name }) => name);

function fieldsOf(given: Arguments): string[] {
  const names = given.all("field").flatMap((list) => list.split(",").map((name) => name.trim()));
  const distinct = new Set(names.length === 0 ? ["ecosystem_fees_30d_sum"] : names);
  return [...distinct].map((name) => wordIn(FIELDS, name, "--field"));
}

/** Returns the chains ranked by one field. */
function ranking(chains: DataFrame, field: string): DataFrame {
  return rankBy(chains.select("chain_id", "chain_name", field), { field }).select(
    pl.lit(field).alias("field"),
    pl.col("rank"),
    pl.col("chain_id"),
    pl.col("chain_name"),
    pl.col(field).alias("value"),
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
          "field",
          "FIELDS",
          "Fields of the comparison, comma separated (default: ecosystem_fees_30d_sum).",
        ),
      ],
    },
    { title: "Output", options: ANALYSIS_OUTPUT },
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--field ecosystem_tvl_latest", "Chains by deposited value"],
    [
      "--field ecosystem_fees_365d_sum,ecosystem_revenue_365d_sum --out chains.png --out chains.parquet",
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
    const chart = () => plotComparison(source, { field: fields });
    const summary = frame.drop("chain_id", "cumulative_share");
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
