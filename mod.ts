/**
 * Crypto metrics as polars DataFrames, for notebooks and scripts on Deno.
 *
 * Each of the six operations of a metrics service is a function that returns a DataFrame. With nothing
 * configured they ask an embedded service on sample data; `CHAINFRAME_BASE_URL` and `CHAINFRAME_TOKEN`
 * lead them to a live one.
 *
 * @example
 * ```ts
 * import { errorsOf, metricBreakdown, provenanceOf } from "@chainframe/chainframe";
 *
 * const fees = await metricBreakdown({
 *   metric_ids: ["fees"],
 *   interval: "30d",
 *   group_by: "chains",
 *   chain_ids: ["alder", "nowhere"],
 * });
 * console.log(fees); // a polars DataFrame: filter it, join it, show it
 * console.log(errorsOf(fees)); // NOT_FOUND, chain_ids, nowhere
 * console.log(provenanceOf(fees).source); // "sample"
 * ```
 *
 * @module
 */
export { connect } from "./lib/http/connect.ts";
export type {
  CacheOptions,
  ConnectOptions,
  Fetch,
  OnMissing,
  Progress,
} from "./lib/http/connect_options.ts";
export type { Connection } from "./lib/http/connection.ts";
export type { Target } from "./lib/http/settings.ts";

export { blockchainComparison } from "./lib/operations/blockchain_comparison.ts";
export type { BlockchainComparisonQuery } from "./lib/operations/blockchain_comparison.ts";
export { cohortAnalysis } from "./lib/operations/cohort_analysis.ts";
export type { CohortAnalysisQuery } from "./lib/operations/cohort_analysis.ts";
export { metricAggregations } from "./lib/operations/metric_aggregations.ts";
export type { MetricAggregationsQuery } from "./lib/operations/metric_aggregations.ts";
export { metricBreakdown } from "./lib/operations/metric_breakdown.ts";
export type { MetricBreakdownQuery } from "./lib/operations/metric_breakdown.ts";
export { project } from "./lib/operations/project.ts";
export type { ProjectQuery } from "./lib/operations/project.ts";
export { projectContracts } from "./lib/operations/project_contracts.ts";
export type { ProjectContractsQuery } from "./lib/operations/project_contracts.ts";
export { catalog } from "./lib/operations/catalog.ts";
export type { Catalog } from "./lib/operations/catalog.ts";
export type { CheckedOrder } from "./lib/operations/dataset.ts";

export { comparisonLong } from "./lib/analysis/comparison_long.ts";
export { concentration } from "./lib/analysis/concentration.ts";
export { contractFlows } from "./lib/analysis/contract_flows.ts";
export type { ContractFlowsOptions, ContractGroup } from "./lib/analysis/contract_flows.ts";
export { forecastRetention } from "./lib/analysis/forecast_retention.ts";
export type { ForecastRetentionOptions } from "./lib/analysis/forecast_retention.ts";
export { growthTable } from "./lib/analysis/growth_table.ts";
export type { GrowthMeasure } from "./lib/analysis/growth_table.ts";
export { metricsLong } from "./lib/analysis/metrics_long.ts";
export type { MetricsLongOptions } from "./lib/analysis/metrics_long.ts";
export { pooledRetention } from "./lib/analysis/pooled_retention.ts";
export type { PooledRetentionOptions, RetentionGroup } from "./lib/analysis/pooled_retention.ts";
export { rankBy } from "./lib/analysis/rank_by.ts";
export type { RankByOptions } from "./lib/analysis/rank_by.ts";
export { retentionCurves } from "./lib/analysis/retention_curves.ts";
export type { RetentionCurvesOptions } from "./lib/analysis/retention_curves.ts";
export { retentionSummary } from "./lib/analysis/retention_summary.ts";
export { RETENTION_UNITS } from "./lib/analysis/retention_unit.ts";
export type { RetentionUnit } from "./lib/analysis/retention_unit.ts";

export type { About } from "./lib/chart/chart.ts";
export { DENO_INSPECT, JUPYTER_DISPLAY } from "./lib/chart/chart.ts";
export type { Chart, MimeBundle, PngOptions } from "./lib/chart/chart.ts";
export type { LegendItem } from "./lib/chart/page/page.ts";
export { drawPlot } from "./lib/chart/plot/draw_plot.ts";
export type { PlotChart } from "./lib/chart/plot/draw_plot.ts";
export type { PlotOptions } from "./lib/chart/plot/observable_plot.ts";
export { plotComparison } from "./lib/chart/plot/plot_comparison.ts";
export type { PlotComparisonOptions } from "./lib/chart/plot/plot_comparison.ts";
export { plotContractFlows } from "./lib/chart/plot/plot_contract_flows.ts";
export type { PlotContractFlowsOptions } from "./lib/chart/plot/plot_contract_flows.ts";
export type { PlotFigure } from "./lib/chart/plot/draw_plot.ts";
export { plotGrowth } from "./lib/chart/plot/plot_growth.ts";
export type { PlotGrowthOptions } from "./lib/chart/plot/plot_growth.ts";
export { plotMetrics } from "./lib/chart/plot/plot_metrics.ts";
export type { PlotMetricsOptions } from "./lib/chart/plot/plot_metrics.ts";
export { plotRetention } from "./lib/chart/plot/plot_retention.ts";
export { plotRetentionHeatmap } from "./lib/chart/plot/plot_retention_heatmap.ts";
export type { ChartOptions } from "./lib/chart/read/options.ts";
export type { FigureRow } from "./lib/chart/chart.ts";
export type { RetentionHeatmapOptions } from "./lib/chart/read/heatmap.ts";
export type { RetentionOptions } from "./lib/chart/read/retention.ts";
export { SCALES } from "./lib/chart/plot/axes.ts";
export type { Scale } from "./lib/chart/plot/axes.ts";
export { saveChart } from "./lib/chart/save_chart.ts";
export { drawVega } from "./lib/chart/vega/draw_vega.ts";
export type { VegaChart } from "./lib/chart/vega/draw_vega.ts";
export { vegaComparison } from "./lib/chart/vega/vega_comparison.ts";
export type { VegaComparisonOptions } from "./lib/chart/vega/vega_comparison.ts";
export { vegaRetention } from "./lib/chart/vega/vega_retention.ts";
export { vegaRetentionHeatmap } from "./lib/chart/vega/vega_retention_heatmap.ts";
export type { VegaSpec } from "./lib/chart/vega/vega_parts.ts";

export { errorsOf } from "./lib/table/provenance.ts";
export { pl } from "./lib/table/polars.ts";
export type { DataFrame, Series } from "./lib/table/polars.ts";
export type { Provenance, Rename, Source } from "./lib/table/provenance.ts";
export { provenanceOf } from "./lib/table/provenance.ts";
export { show } from "./lib/table/show.ts";

export type { CsvOptions } from "./lib/output/text_formats.ts";
export { frameBytes } from "./lib/output/frame_bytes.ts";
export { FRAME_ENDINGS, FRAME_FORMATS } from "./lib/output/frame_bytes.ts";
export type { FrameFormat } from "./lib/output/frame_bytes.ts";
export { saveBytes } from "./lib/output/save.ts";
export type { SaveBytesOptions } from "./lib/output/save.ts";
export { saveFrame } from "./lib/output/save.ts";
export type { SaveFrameOptions } from "./lib/output/save.ts";
export { writeWhole } from "./lib/host/file.ts";
export type { WriteOptions } from "./lib/host/file.ts";
export { terminalTable } from "./lib/output/terminal_table.ts";
export type { TerminalTableOptions } from "./lib/output/terminal_table.ts";

export type { BlockchainComparisonField } from "./lib/schema/records.ts";
export { COHORT_ANALYSIS_FIELDS } from "./lib/schema/records.ts";
export type { CohortAnalysisField } from "./lib/schema/records.ts";
export { COHORT_MONTHS } from "./lib/schema/vocabulary.ts";
export type { CohortMonth } from "./lib/schema/vocabulary.ts";
export {
  COMPARISON_FIELDS,
  FLOW_MEASURES,
  LEVEL_MEASURES,
} from "./lib/schema/comparison_fields.ts";
export type {
  ComparisonField,
  ComparisonFieldName,
  ComparisonMeasure,
  ComparisonStatistic,
  FlowMeasure,
  LevelMeasure,
} from "./lib/schema/comparison_fields.ts";
export { GROUP_BYS } from "./lib/schema/vocabulary.ts";
export type { GroupBy } from "./lib/schema/vocabulary.ts";
export { INTERVALS } from "./lib/schema/vocabulary.ts";
export type { Interval } from "./lib/schema/vocabulary.ts";
export { OPERATIONS } from "./lib/schema/vocabulary.ts";
export type { Operation } from "./lib/schema/vocabulary.ts";
export { ORDER_DIRECTIONS } from "./lib/schema/vocabulary.ts";
export type { OrderDirection } from "./lib/schema/vocabulary.ts";
export { PROJECT_CONTRACTS_FIELDS } from "./lib/schema/records.ts";
export type { ProjectContractsField } from "./lib/schema/records.ts";
export { WINDOWS } from "./lib/schema/vocabulary.ts";
export type { Window } from "./lib/schema/vocabulary.ts";

export { AuthenticationError } from "./lib/http/errors.ts";
export { CacheError } from "./lib/http/errors.ts";
export { ChainframeError } from "./lib/http/errors.ts";
export type { ErrorContext } from "./lib/http/errors.ts";
export { ConfigurationError } from "./lib/http/errors.ts";
export { NetworkError } from "./lib/http/errors.ts";
export { NotFoundError } from "./lib/http/errors.ts";
export { QueryError } from "./lib/http/errors.ts";
export { RateLimitError } from "./lib/http/errors.ts";
export { RequestError } from "./lib/http/errors.ts";
export { ResponseError } from "./lib/http/errors.ts";
export type { ResponseContext } from "./lib/http/errors.ts";
export { ServiceError } from "./lib/http/errors.ts";
export { SubscriptionError } from "./lib/http/errors.ts";
export { TimeoutError } from "./lib/http/errors.ts";
