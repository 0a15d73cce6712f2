/**
 * Calls the six operations, prints five rows of each, and draws the pictures of README.md.
 *
 * @module
 */
import { mkdir, readFile } from "node:fs/promises";
import { inspected } from "../lib/platform/terminal.ts";
import {
  blockchainComparison,
  type Chart,
  cohortAnalysis,
  connect,
  type Connection,
  counterfactual,
  metricAggregations,
  metricBreakdown,
  pl,
  plotComparison,
  plotCounterfactual,
  plotRetention,
  pooledRetention,
  project,
  projectContracts,
  resample,
  retentionCurves,
  save,
  show,
  where,
  withSource,
} from "../mod.ts";
import { isMain, type Main, print, runProcess, script } from "./cli/script.ts";

const DEPOSITS = new URL("../notebooks/real/chain_tvl_weekly.csv", import.meta.url);

/** Returns the deposits of nine chains in 2023, by week. */
async function realDeposits() {
  const table = pl.readCSV(await readFile(DEPOSITS), { tryParseDates: true });
  const chains = table.columns.filter((name) => name !== "week_ending");
  const long = table.unpivot(["week_ending"], chains, { variableName: "chain", valueName: "tvl" });
  const deposits = withSource(long.rename({ week_ending: "date" }), {
    citation: "DefiLlama, as collected by Open Source Observer",
    license: "Apache-2.0 (collection)",
    columns: { tvl: { unit: "usd", title: "Deposits", adds: "groups" } },
  });
  // Kava and Moonbeam depended on Multichain, too.
  return where(resample(deposits, { every: "week" }), { chain: { not: ["kava", "moonbeam"] } });
}

/** Returns the pictures of README.md, by the names of their files. */
export async function pictures(
  { theme, connection }: {
    readonly theme: "light" | "dark";
    readonly connection: Connection;
  },
): Promise<Record<"fantom" | "retention" | "comparison", Chart>> {
  const result = counterfactual(await realDeposits(), {
    field: "tvl",
    starts: { fantom: "2023-05-22" },
    scale: "log",
    intercept: true,
  });
  const market_sector_ids = ["lending", "exchanges-dex"];
  const curves = retentionCurves(await cohortAnalysis({ market_sector_ids }, connection));
  const chains = await blockchainComparison({}, connection);
  const title =
    "After Multichain was emptied, deposits on Fantom were 79% below what other chains predict";
  const events = [
    { date: "2023-05-22", label: "rumors" },
    { date: "2023-07-06", label: "exploit" },
  ];
  return {
    fantom: plotCounterfactual(result, { title, theme, events }),
    retention: plotRetention(pooledRetention(curves, { by: "market_sector_id" }), { theme }),
    comparison: plotComparison(chains, { theme }),
  };
}

export const main: Main = script({
  name: "demo.ts",
  about:
    "Shows five rows of each of the six operations, and draws the pictures of README.md in the " +
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
      await print(io, `\n${title}\n${inspected(show(frame, { limit: 5 }))}\n`);
    }
    await mkdir("out", { recursive: true });
    const drawn = Object.entries(await pictures({ theme: "light", connection }));
    for (const [name, chart] of drawn) await save(chart, `out/${name}.svg`, { force: true });
    await print(
      io,
      `
${drawn.map(([name]) => `written: out/${name}.svg`).join("\n")}
next: deno run -A scripts/init.ts ../my-research && cd ../my-research && deno task first
`,
    );
  },
});

if (isMain(import.meta)) await runProcess(main);
