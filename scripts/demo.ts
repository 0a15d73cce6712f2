/**
 * The whole way once: six operations, six frames, an entity that does not exist, and two charts.
 *
 * @module
 */
import {
  blockchainComparison,
  cohortAnalysis,
  type DataFrame,
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

function print(title: string, frame: DataFrame): void {
  console.log(`\n${title}`);
  console.log(frame);
}

const chains = await blockchainComparison({
  order_by: "ecosystem_fees_30d_sum",
  order_direction: "desc",
});
print("blockchainComparison: one row per chain", chains);

const contracts = await projectContracts({ chain_ids: ["alder"] });
print("projectContracts: one row per contract", contracts);

const cohorts = await cohortAnalysis();
print("cohortAnalysis: one row per cohort", cohorts);

print(
  "metricAggregations: one row per project, metric and aggregation",
  await metricAggregations(),
);

const fees = await metricBreakdown({
  metric_ids: ["fees"],
  interval: "30d",
  group_by: "chains",
  chain_ids: ["alder", "basalt", "nowhere"],
});
print("metricBreakdown: one row per group; one of these chains does not exist", fees);
print("errorsOf: what was not found", errorsOf(fees));

const project_id = [...new Set(cohorts.getColumn("project_id").toArray() as string[])].slice(0, 3);
print("project: one row per project", await project({ project_id }));

await Deno.mkdir("out", { recursive: true });
const pooled = pooledRetention(retentionCurves(cohorts), { by: "market_sector_id" });
await save(plotRetention(pooled), "out/cohort_retention.svg", { force: true });
await save(
  plotComparison(chains, { fields: ["ecosystem_fees_30d_sum"] }),
  "out/chain_comparison.svg",
  { force: true },
);
console.log(`
Two charts: out/cohort_retention.svg, out/chain_comparison.svg
Next: open them, then make a folder of your own:  deno run -A scripts/init.ts my-research
and read docs/tutorial.md: a question, a figure, a paper, in fifteen minutes.`);
