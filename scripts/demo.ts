/**
 * Calls the six operations, prints rows of each, and draws the pictures of README.md.
 *
 * @module
 */
import { mkdir, readFile } from "node:fs/promises";
import { inspected, wrapped } from "../lib/platform/terminal.ts";
import {
  blockchainComparison,
  type Chart,
  cohortAnalysis,
  connect,
  type Connection,
  counterfactual,
  type DataFrame,
  metricAggregations,
  metricBreakdown,
  pl,
  plotComparison,
  plotCounterfactual,
  plotRetention,
  pooledRetention,
  project,
  projectContracts,
  retentionCurves,
  save,
  show,
  where,
  withSource,
} from "../mod.ts";
import { isMain, type Main, print, runProcess, script } from "./cli/script.ts";

/** The columns to print of wide tables. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  metricBreakdown: ["chain_id", "fees_sum", "fees_avg", "fees_days"],
  blockchainComparison: [
    "chain_name",
    "ecosystem_fees_30d_sum",
    "ecosystem_tvl_latest",
    "active_users_daily_latest",
  ],
  projectContracts: ["project_name", "account_title", "transaction_count_1d_sum", "inflows_1d_sum"],
  cohortAnalysis: ["project_name", "cohort", "initial_cohort_size", "month_1", "month_2"],
  project: ["name", "symbol", "market_sectors"],
};

/** Maximum length of a printed line. */
const WIDTH = 100;

const DEPOSITS = new URL("../notebooks/real/chain_tvl_weekly.csv", import.meta.url);

/** Returns the deposits of nine chains in 2023, by week. */
async function realDeposits(): Promise<DataFrame> {
  const table = pl.readCSV(await readFile(DEPOSITS), { tryParseDates: true });
  const chains = table.columns.filter((name) => name !== "week_ending");
  const names = Object.fromEntries(
    chains.map((name) => [name, `${name[0]!.toUpperCase()}${name.slice(1)}`]),
  );
  const long = table.rename(names)
    .unpivot(["week_ending"], Object.values(names), { variableName: "chain", valueName: "tvl" })
    .rename({ week_ending: "until" })
    .withColumn(pl.col("until").cast(pl.Int32).minus(6).cast(pl.Date).alias("date"));
  const deposits = withSource(long, {
    citation: "DefiLlama, as collected by Open Source Observer",
    license: "Apache-2.0 (collection)",
    entity: "chain",
    date: "date",
    columns: { tvl: { unit: "usd", title: "Deposits", adds: "groups" } },
  });
  // Kava and Moonbeam depended on Multichain, too.
  return where(deposits, { chain: { not: ["Kava", "Moonbeam"] } });
}

/** Compares the deposits on Fantom in 2023 with those that eight other chains predict. */
export async function multichain(): Promise<DataFrame> {
  return counterfactual(await realDeposits(), {
    field: "tvl",
    starts: { Fantom: "2023-05-22" },
    scale: "log",
    intercept: true,
  });
}

/** Returns the pictures of README.md, by the names of their files. */
export async function pictures(
  { theme, connection, width }: {
    readonly theme: "light" | "dark";
    readonly width?: number;
    readonly connection: Connection;
  },
): Promise<Record<"fantom" | "retention" | "comparison", Chart>> {
  const market_sector_ids = ["lending", "exchanges-dex"];
  const curves = retentionCurves(await cohortAnalysis({ market_sector_ids }, connection));
  const chains = await blockchainComparison({}, connection);
  const title =
    "After Multichain was emptied, deposits on Fantom were 79% below what other chains predict";
  const events = [
    { date: "2023-05-22", label: "rumors" },
    { date: "2023-07-06", label: "exploit" },
  ];
  const look = { theme, ...width !== undefined && { width } };
  return {
    fantom: plotCounterfactual(await multichain(), { title, events, ...look }),
    retention: plotRetention(pooledRetention(curves, { by: "market_sector_id" }), look),
    comparison: plotComparison(chains, look),
  };
}

export const main: Main = script({
  name: "demo.ts",
  about: "Shows rows of each of the six operations, and draws the pictures of README.md in the " +
    "folder out. The tables have sample data, or data of the service that the environment names.",
  usage: "",
  options: [],
  examples: [["", "Six tables and three pictures"]],
  async run(given, io) {
    given.noOperands();
    // The demo ignores a `.env` file in the folder.
    const connection = connect({ envFile: false });
    const fees = {
      metric_ids: ["fees"],
      interval: "30d",
      group_by: "chains",
      chain_ids: ["alder", "basalt", "nowhere"],
    } as const;
    const cohorts = await cohortAnalysis({}, connection);
    const project_id = ["quillswap", "hearthlend", "causeway"];
    const frames = {
      "metricBreakdown: one row per group; one of these chains does not exist":
        await metricBreakdown(fees, connection),
      "metricAggregations: one row per project, metric and aggregation": await metricAggregations(
        {},
        connection,
      ),
      "blockchainComparison: one row per chain": await blockchainComparison({}, connection),
      "projectContracts: one row per contract": await projectContracts(
        { chain_ids: ["alder"] },
        connection,
      ),
      "cohortAnalysis: one row per project and month of first use": cohorts,
      "project: one row per project": await project({ project_id }, connection),
    };
    for (const [title, frame] of Object.entries(frames)) {
      const columns = COLUMNS[title.split(":")[0]!];
      const shown = show(frame, { limit: frame.height > 3 ? 2 : 3, ...columns && { columns } });
      const lines = inspected(shown).split("\n");
      const folded = lines.flatMap((line) => line.length > WIDTH ? wrapped(line, WIDTH) : line);
      await print(io, `\n${title}\n${folded.join("\n")}\n`);
    }
    await mkdir("out", { recursive: true });
    const drawn = Object.entries(await pictures({ theme: "light", connection }));
    for (const [name, chart] of drawn) await save(chart, `out/${name}.svg`, { force: true });
    await print(
      io,
      `
${drawn.map(([name]) => `written: out/${name}.svg`).join("\n")}
next, your own folder: deno run -A scripts/init.ts ../my-research && cd ../my-research
      a first chart:   deno task first
      in Jupyter:      deno task notebook
`,
    );
  },
});

if (isMain(import.meta)) await runProcess(main);
