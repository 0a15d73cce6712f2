#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Ranks chains by fees, deposits, users and other measures, and shows the share of each chain.
 *
 * @module
 */
import { COMPARISON_FIELDS } from "../lib/schema/comparison_fields.ts";
import { type DataFrame, pl } from "../mod.ts";
import { CONNECTION_OPTIONS } from "./cli/connection.ts";
import {
  ANALYSIS_OUTPUT,
  CHART_OPTIONS,
  chartOptions,
  checkOutput,
  giveOut,
  reportMissing,
} from "./cli/output.ts";
import { TABLE_OPTIONS } from "./cli/own_table.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import { openSource } from "./cli/source.ts";
import {
  type Arguments,
  isMain,
  type Main,
  runProcess,
  script,
  several,
  UsageError,
  wordIn,
} from "./cli/script.ts";

const FIELDS = COMPARISON_FIELDS.map(({ name }) => name);

/** Returns the given fields, of the comparison or of one's own table. */
function fieldsOf(given: Arguments, table: DataFrame | undefined): string[] {
  const known = table?.columns.filter((name) => table.getColumn(name).isNumeric()) ?? FIELDS;
  const names = given.all("field").flatMap((list) => list.split(",").map((name) => name.trim()));
  const first = table === undefined ? "ecosystem_fees_30d_sum" : known[0];
  if (first === undefined) throw new UsageError("--table: has no column of numbers");
  const distinct = new Set(names.length === 0 ? [first] : names);
  return [...distinct].map((name) => wordIn(known, name, "--field"));
}

/** Returns the columns of a ranking by one field, under names that all fields share. */
function ranking(ranked: DataFrame, names: readonly string[], field: string): DataFrame {
  return ranked.select(
    pl.lit(field).alias("field"),
    pl.col("rank"),
    ...names.map((name) => pl.col(name)),
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
          "Fields, comma separated (default: ecosystem_fees_30d_sum; of a table, its first column of numbers).",
        ),
      ],
    },
    TABLE_OPTIONS,
    ANALYSIS_OUTPUT,
    CHART_OPTIONS,
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["--field ecosystem_tvl_latest", "Chains by deposited value"],
    [
      "--field ecosystem_fees_365d_sum,ecosystem_revenue_365d_sum --out chains.png --out chains.parquet",
      "Fees and revenue of a year, as a chart and as Parquet",
    ],
    [
      '--table own.csv --field fees --column-unit fees=usd --citation "Own node" --out fees.svg',
      "The rows of a table, in place of chains",
    ],
  ],
  async run(given, io) {
    const opened = await openSource(given, io, {
      query: ["chain-ids"],
      response: async () => ({
        operation: "blockchain_comparison",
        query: await queryFrom("blockchainComparison", given, { io, only: ["chain_ids"] }),
      }),
    });
    const table = opened.isTable ? await opened.frame() : undefined;
    const fields = fieldsOf(given, table);
    await checkOutput(given, "analysis");
    const source = await opened.frame();
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("there are no rows to compare");
    const names = table?.columns.filter((name) => !table.getColumn(name).isNumeric()) ??
      ["chain_id", "chain_name"];
    const rankings = await Promise.all(fields.map(async (field) => {
      const ranked = await opened.frame(["select", ...names, field], ["rankBy", { field }]);
      return ranking(ranked, names, field);
    }));
    const frame = pl.concat(rankings);
    const options = { ...chartOptions(given), field: fields };
    const chart = () => opened.chart(["plotComparison", options]);
    const short = frame.drop("cumulative_share");
    const summary = table === undefined ? short.drop("chain_id") : short;
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
