/**
 * Did the incentive program work? Do users stay? Whose share grew? Answers about crypto projects and chains, with the
 * tests and intervals that a publication needs, as polars DataFrames and charts, for notebooks and scripts on Deno.
 *
 * Each of the six operations of a metrics service is a function that returns a DataFrame. By default, the functions
 * call an embedded service with sample data. Set `CHAINFRAME_BASE_URL` and `CHAINFRAME_TOKEN` to call a live service.
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
 * console.log(errorsOf(fees)); // not found: nowhere
 * console.log(provenanceOf(fees).source); // "sample"
 * ```
 *
 * @module
 */
import "./lib/platform/node.ts";

// Connection: which service the operations call, and how.
export { connect, type Connection } from "./lib/http/connect.ts";
export type { ConnectOptions } from "./lib/http/settings.ts";

// Operations: the six operations, and functions that call these operations.
export { metricBreakdown, type MetricBreakdownQuery } from "./lib/operations/metric_breakdown.ts";
export {
  metricAggregations,
  type MetricAggregationsQuery,
} from "./lib/operations/metric_aggregations.ts";
export {
  blockchainComparison,
  type BlockchainComparisonQuery,
} from "./lib/operations/blockchain_comparison.ts";
export {
  projectContracts,
  type ProjectContractsQuery,
} from "./lib/operations/project_contracts.ts";
export { cohortAnalysis, type CohortAnalysisQuery } from "./lib/operations/cohort_analysis.ts";
export { project, type ProjectQuery } from "./lib/operations/project.ts";
export { timeline, type TimelineQuery } from "./lib/operations/timeline.ts";
export { answersOf } from "./lib/evidence/archive.ts";
export { restatements } from "./lib/evidence/restatements.ts";
export { lockReport } from "./lib/evidence/lock_results.ts";
export { catalog } from "./lib/operations/catalog.ts";

// Frames: polars, and functions for the content, display and provenance of frames.
export type { DataFrame, Frame, FrameOf, OptionsOf, RowOf } from "./lib/table/columns/polars.ts";
export { trackedPolars as pl } from "./lib/table/track/tracked_polars.ts";
export { type Bounds, where } from "./lib/table/read/where.ts";
export { sql } from "./lib/table/track/sql.ts";
export { rowsOf, show } from "./lib/table/show/show.ts";
export { errorsOf, type Provenance, provenanceOf } from "./lib/table/track/provenance.ts";
export { withSource } from "./lib/table/track/with_source.ts";

// Analysis: functions that take a frame and return a frame.
export { retentionCurves } from "./lib/analysis/retention/retention_curves.ts";
export { pooledRetention } from "./lib/analysis/retention/pooled_retention.ts";
export { forecastRetention } from "./lib/analysis/retention/forecast_retention.ts";
export { compareRetention } from "./lib/analysis/retention/compare_retention.ts";
export { retentionSummary } from "./lib/analysis/retention/retention_summary.ts";
export { growthTable } from "./lib/analysis/tables/growth_table.ts";
export { rankBy } from "./lib/analysis/tables/rank_by.ts";
export { topN } from "./lib/analysis/tables/top_n.ts";
export { ratio } from "./lib/analysis/tables/ratio.ts";
export { concentration } from "./lib/analysis/tables/concentration.ts";
export { contractFlows } from "./lib/analysis/tables/contract_flows.ts";
export { resample } from "./lib/analysis/series/resample.ts";
export { growthRates } from "./lib/analysis/series/timeline_columns.ts";
export { indexed } from "./lib/analysis/series/timeline_columns.ts";
export { rollingMean } from "./lib/analysis/series/timeline_columns.ts";
export { contributions } from "./lib/analysis/series/contributions.ts";
export { shares } from "./lib/analysis/series/shares.ts";
export { decompose } from "./lib/analysis/series/decompose.ts";
export { cohortTrend } from "./lib/analysis/retention/cohort_trend.ts";
export { cohortLayers } from "./lib/analysis/retention/cohort_layers.ts";
export { userFlows } from "./lib/analysis/retention/cohort_layers.ts";
export { detectable } from "./lib/analysis/retention/detectable.ts";
export { counterfactual } from "./lib/analysis/programs/counterfactual.ts";
export { eventStudy } from "./lib/analysis/programs/event_study.ts";
export { check } from "./lib/analysis/series/check.ts";

// Charts: functions that draw a frame.
export { plotCounterfactual } from "./lib/chart/counterfactual.ts";
export { plotEventStudy } from "./lib/chart/event_study.ts";
export { plotContributions } from "./lib/chart/contributions.ts";
export { plotCohortTrend } from "./lib/chart/cohort_trend.ts";
export { plotLayers } from "./lib/chart/layers.ts";
export { plotUserFlows } from "./lib/chart/user_flows.ts";
export { plotRetention } from "./lib/chart/retention.ts";
export { plotRetentionHeatmap } from "./lib/chart/retention_heatmap.ts";
export { plotComparison } from "./lib/chart/comparison.ts";
export { plotGrowth } from "./lib/chart/growth.ts";
export { plotContractFlows } from "./lib/chart/contract_flows.ts";
export { plotTimeline } from "./lib/chart/timeline.ts";
export { plotDifference } from "./lib/chart/difference.ts";
export { figure } from "./lib/chart/figure.ts";
export { plotScatter } from "./lib/chart/scatter.ts";
export { colors, setColors } from "./lib/chart/color_registry.ts";
export type { ChartOptions, Color } from "./lib/chart/options.ts";
export type { EventOptions } from "./lib/chart/event_lines.ts";
export type { ReferenceOptions } from "./lib/chart/reference.ts";
export { drawPlot, drawVega } from "./lib/chart/own_spec.ts";
export type { Chart, PlotChart, PlotSpec, VegaChart } from "./lib/chart/chart.ts";

// Output: functions that write frames and drawings to files, and read frames.
export { save } from "./lib/output/save.ts";
export { md } from "./lib/output/markdown.ts";
export { cell } from "./lib/output/cell.ts";
export { report } from "./lib/output/report.ts";
export { openFrame } from "./lib/output/open_frame.ts";

// Help: functions that return the documentation.
export { dictionary, help } from "./lib/help/help.ts";

// Errors: one class for each kind of error, so that callers can handle each kind separately.
export {
  CacheError,
  ChainframeError,
  ConfigurationError,
  HttpError,
  NetworkError,
  NotFoundError,
  QueryError,
  ResponseError,
} from "./lib/http/errors.ts";
