// Written for 0.1.0, and not to be changed: what it says must go on running, or say by what it was replaced.
import {
  blockchainComparison,
  catalog,
  cohortAnalysis,
  COMPARISON_FIELDS,
  comparisonLong,
  concentration,
  connect,
  contractFlows,
  type DataFrame,
  drawPlot,
  drawVega,
  errorsOf,
  forecastRetention,
  growthTable,
  metricAggregations,
  metricBreakdown,
  metricsLong,
  pl,
  plotComparison,
  plotContractFlows,
  plotGrowth,
  plotRetention,
  plotRetentionHeatmap,
  pooledRetention,
  project,
  projectContracts,
  provenanceOf,
  QueryError,
  rankBy,
  retentionCurves,
  retentionSummary,
  save,
  show,
  vegaComparison,
  vegaRetention,
  vegaRetentionHeatmap,
  WINDOWS,
} from "@chainframe/chainframe";

const chains = await blockchainComparison({ order_by: "ecosystem_fees_30d_sum", limit: 8 });
const contracts = await projectContracts({ chain_ids: ["alder"] });
const cohorts = await cohortAnalysis({ project_ids: ["tidewater"] });
const aggregations = await metricAggregations({ project_ids: ["tidewater"] });
const about = await project({ project_id: ["tidewater", "causeway"] });
const fees = await metricBreakdown({
  metric_ids: ["fees"],
  interval: "30d",
  group_by: "chains",
  chain_ids: ["alder", "nowhere"],
});
console.log(
  errorsOf(fees).height,
  provenanceOf(fees).source,
  aggregations.height > 0,
  about.height,
);
console.log((await catalog(connect({ onMissing: "ignore" }))).chains.height, WINDOWS.length);

const curves = retentionCurves(cohorts, { confidence: 0.9 });
const pooled = pooledRetention(curves, { by: "project_id" });
const forecast = forecastRetention(pooled, { horizon: 18, fitThrough: 9 });
console.log(retentionSummary(pooled).height, forecast.columns.includes("predicted"));
console.log(comparisonLong(chains).height === chains.height * COMPARISON_FIELDS.length);
console.log(concentration(chains, "ecosystem_tvl_latest").height, metricsLong(fees).height);
const ranked: DataFrame = rankBy(chains, "ecosystem_tvl_latest", { descending: true });
const growth = growthTable(chains, "ecosystem_tvl");
const flows = contractFlows(contracts, { by: "project_id" });
const some = chains.filter(pl.col("ecosystem_tvl_latest").gt(pl.lit(0)));
console.log(show(some).height > 0, String(ranked).length > 0);

const charts = [
  plotRetention(forecast, { bands: true, startMonth: 1, title: "Retention", width: 640 }),
  plotRetentionHeatmap(curves, { project_id: "tidewater" }),
  plotComparison(chains, { field: ["ecosystem_fees_30d_sum"], scale: "log" }),
  plotGrowth(growth, { order_by: "30d" }),
  plotContractFlows(flows),
  plotComparison(fees, { field: ["fees_sum"] }),
  vegaRetention(pooled),
  vegaRetentionHeatmap(curves),
  vegaComparison(chains),
];
for (const chart of charts) console.log((await chart.svg()).startsWith("<svg"), chart.title);
console.log((await charts[0]!.png({ scale: 1 })).length > 1_000);
const figure = await plotComparison(chains).spec;
console.log(drawPlot({ ...figure, title: "Changed" }).title);
console.log(drawVega(await vegaComparison(chains).spec).title.length > 0);

const folder = await Deno.makeTempDir();
await save(charts[0]!, `${folder}/retention.svg`);
await save(chains, `${folder}/chains.parquet`);
await save(some, `${folder}/some.csv`, { source: chains, excelSafe: true });
await save(chains, `${folder}/chains.json`, { source: chains });
await save(new TextEncoder().encode("a note"), `${folder}/note.txt`);
await Deno.remove(folder, { recursive: true });
try {
  await blockchainComparison({ limit: 0 });
} catch (error) {
  console.log(error instanceof QueryError);
}
