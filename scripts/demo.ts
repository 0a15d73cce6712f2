/**
 * Calls the six operations, prints the six frames, and draws two charts.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { inspected } from "../lib/platform/terminal.ts";
import {
  blockchainComparison,
  cohortAnalysis,
  connect,
  errorsOf,
  metricAggregations,
  metricBreakdown,
  plotComparison,
  plotRetention,
  pooledRetention,
  project,
  projectContracts,
  retentionCurves,
  save,
} from "../mod.ts";
import { isMain, type Main, print, runProcess, script } from "./cli/script.ts";

export const main: Main = script({
  name: "demo.ts",
  about:
    "Shows the six operations as frames, entity errors, and two charts (in the folder out), on " +
    "sample data, or on the service that the environment names.",
  usage: "",
  options: [],
  examples: [["", "Six tables and two charts"]],
  async run(given, io) {
    given.noOperands();
    // The demo ignores a `.env` file in the folder.
    const connection = connect({ envFile: false });
    const show = (title: string, frame: object) => print(io, `\n${title}\n${inspected(frame)}\n`);
    const chains = await blockchainComparison({
      order_by: "ecosystem_fees_30d_sum",
      order_direction: "desc",
    }, connection);
    await show("blockchainComparison: one row per chain", chains);
    const contracts = await projectContracts({ chain_ids: ["alder"] }, connection);
    await show("projectContracts: one row per contract", contracts);
    const cohorts = await cohortAnalysis({}, connection);
    await show("cohortAnalysis: one row per cohort", cohorts);
    await show(
      "metricAggregations: one row per project, metric and aggregation",
      await metricAggregations({}, connection),
    );
    const fees = await metricBreakdown({
      metric_ids: ["fees"],
      interval: "30d",
      group_by: "chains",
      chain_ids: ["alder", "basalt", "nowhere"],
    }, connection);
    await show("metricBreakdown: one row per group; one of these chains does not exist", fees);
    await show("errorsOf: entities that were not found", errorsOf(fees));
    const ids = [...new Set(cohorts.getColumn("project_id").toArray() as string[])].slice(0, 3);
    await show("project: one row per project", await project({ project_id: ids }, connection));

    await mkdir("out", { recursive: true });
    const pooled = pooledRetention(retentionCurves(cohorts), { by: "market_sector_id" });
    await save(plotRetention(pooled), "out/cohort_retention.svg", { force: true });
    const comparison = plotComparison(chains, { field: ["ecosystem_fees_30d_sum"] });
    await save(comparison, "out/chain_comparison.svg", { force: true });
    await print(
      io,
      `
Two charts: out/cohort_retention.svg, out/chain_comparison.svg
Next: open them, then make a folder of your own:  deno run -A scripts/init.ts my-research
and read docs/tutorial.md: a question, a figure, a paragraph, in fifteen minutes.
`,
    );
  },
});

if (isMain(import.meta)) await runProcess(main);
