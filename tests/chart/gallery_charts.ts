import { cohortLayers } from "../../lib/analysis/retention/cohort_layers.ts";
import { cohortTrend } from "../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../lib/analysis/retention/compare_retention.ts";
import { contributions } from "../../lib/analysis/series/contributions.ts";
import { counterfactual } from "../../lib/analysis/programs/counterfactual.ts";
import { contractFlows } from "../../lib/analysis/tables/contract_flows.ts";
import { eventStudy } from "../../lib/analysis/programs/event_study.ts";
import { forecastRetention } from "../../lib/analysis/retention/forecast_retention.ts";
import { growthTable } from "../../lib/analysis/tables/growth_table.ts";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import { userFlows } from "../../lib/analysis/retention/cohort_layers.ts";
import { indexed } from "../../lib/analysis/series/timeline_columns.ts";
import { setColors } from "../../lib/chart/color_registry.ts";
import type { Chart } from "../../lib/chart/chart.ts";
import { figure } from "../../lib/chart/figure.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotContractFlows } from "../../lib/chart/contract_flows.ts";
import { plotCohortTrend } from "../../lib/chart/cohort_trend.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotCounterfactual } from "../../lib/chart/counterfactual.ts";
import { plotDifference } from "../../lib/chart/difference.ts";
import { plotEventStudy } from "../../lib/chart/event_study.ts";
import { plotLayers } from "../../lib/chart/layers.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { plotGrowth } from "../../lib/chart/growth.ts";
import { plotRetention } from "../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotUserFlows } from "../../lib/chart/user_flows.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { connect } from "../../lib/http/connect.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { timeline } from "../../lib/operations/timeline.ts";
import { createService } from "../../lib/service/mod.ts";
import {
  addNames,
  annotate,
  annotationOf,
  namesOf,
  responseOf,
} from "../../lib/table/track/provenance.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { where } from "../../lib/table/read/where.ts";

/** The frames of the gallery, all from the sample data. */
export interface GalleryFrames {
  readonly cohorts: DataFrame;
  readonly chains: DataFrame;
  readonly contracts: DataFrame;
  readonly fees: DataFrame;
  readonly months: DataFrame;
  readonly five: DataFrame;
  readonly tvl: DataFrame;
  readonly projects: DataFrame;
}

/** The chains of the charts of any frame. */
const FIVE = ["basalt", "cinder", "drift", "fjord", "juniper"];

/** The projects of the sample's program, by the month in which they joined. */
const WAVES = {
  "2025-10": [
    ...["marrow-exchange", "hearthlend", "stillwater-stake", "helix-perps", "evenkeel"],
    ...["orchard-quest", "causeway"],
  ],
  "2026-01": [
    ...["quillswap", "kora-finance", "basaltine", "vantage-margin", "lantern-run"],
    ...["packet-ferry", "brambledale"],
  ],
};

/** The retrieval day in the pictures. */
const DAY = new Date("2026-07-01T12:00:00Z");

/** A picture names the day of its data: for its snapshot that has to be one day. */
function dated(frame: DataFrame): DataFrame {
  const names = namesOf(frame);
  const made = annotate(frame, {
    errors: annotationOf(frame)!.errors,
    provenance: { ...responseOf(frame)!, source: "sample", retrieved_at: DAY },
  });
  return addNames(made, ...names);
}

let frames: Promise<GalleryFrames> | undefined;

/** Requests the frames of the gallery from the reference service, once in a process. */
export function galleryFrames(): Promise<GalleryFrames> {
  return frames ??= requestFrames();
}

async function requestFrames(): Promise<GalleryFrames> {
  const service = await createService();
  const connection = connect({
    baseUrl: "http://127.0.0.1",
    token: service.tokens[0]!,
    fetch: (request) => service.fetch(request),
  });
  try {
    const months = await timeline(
      {
        metric_ids: ["fees"],
        group_by: "chains",
        every: "month",
        from: "2025-01",
        to: "2026-05",
      },
      connection,
    );
    const tvl = await timeline(
      {
        metric_ids: ["tvl"],
        group_by: "chains",
        every: "week",
        from: "2025-04-07",
        to: "2026-06-14",
      },
      connection,
    );
    const projects = await timeline(
      {
        metric_ids: ["fees"],
        group_by: "projects",
        every: "month",
        from: "2024-07",
        to: "2026-05",
      },
      connection,
    );
    const fees = await metricBreakdown(
      { metric_ids: ["fees", "active_users"], interval: "30d", group_by: "market-sector" },
      connection,
    );
    return {
      tvl: dated(tvl),
      projects: dated(projects),
      cohorts: dated(await cohortAnalysis({}, connection)),
      chains: dated(await blockchainComparison({}, connection)),
      contracts: dated(await projectContracts({}, connection)),
      fees: dated(fees),
      months: dated(months),
      five: dated(months.filter(pl.col("data_id").isIn(FIVE))),
    };
  } finally {
    await service.close();
  }
}

/** A page of a paper: four charts in one figure. */
export function paperPage({ cohorts, chains, five }: GalleryFrames): Chart {
  const sectors = pooledRetention(retentionCurves(cohorts), { by: "market_sector_id" });
  const sixth = sectors.filter(pl.col("month").eq(6));
  return figure([
    plotTimeline(five, { field: "fees_sum", scale: "log" }),
    plotComparison(sixth, {
      field: "retention",
      lower: "lower",
      upper: "upper",
      title: "Retention in month 6",
      height: 400,
    }),
    plotScatter(chains, { x: "ecosystem_fees_30d_sum", y: "ecosystem_tvl_latest" }),
    plotComparison(chains, { field: "ecosystem_tvl_latest", limit: 14 }),
  ], { width: 960 });
}

/** The charts of the gallery, by the names of their files. */
export function galleryCharts(
  { cohorts, chains, contracts, fees, months, five, tvl, projects }: GalleryFrames,
): Map<string, Chart> {
  const fjord = counterfactual(tvl, {
    field: "tvl_avg",
    starts: { fjord: "2026-01-05" },
    scale: "log",
  });
  const above = Math.round(100 * Math.expm1(Number(fjord.getColumn("effect").get(0))));
  const title = `Deposits on Fjörd are ${above}% above what other chains predict`;
  const starts = Object.fromEntries(
    Object.entries(WAVES).flatMap(([month, ids]) => ids.map((id) => [id, month])),
  );
  const study = eventStudy(projects, { field: "fees_sum", starts, scale: "total", base: -1 });
  setColors({});
  const curves = retentionCurves(cohorts);
  const sectors = pooledRetention(curves, { by: "market_sector_id" });
  const all = pooledRetention(curves);
  const sixth = sectors.filter(pl.col("month").eq(6));
  const tidewater = curves.filter(pl.col("project_id").eq(pl.lit("tidewater")));
  const halfYear = tidewater.filter(
    pl.col("cohort").gtEq(pl.lit("2025-07")).and(pl.col("cohort").ltEq(pl.lit("2025-12"))),
  );
  const pairs = compareRetention(curves, {
    by: "market_sector_id",
    groups: ["lending", "exchanges-dex"],
    month: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  });
  return new Map<string, Chart>([
    ["plot_retention", plotRetention(sectors)],
    [
      "plot_retention_projects",
      plotRetention(pooledRetention(curves), {
        dots: pooledRetention(curves, { by: "project_id" }),
      }),
    ],
    ["plot_retention_cohorts", plotRetention(halfYear)],
    ["plot_difference", plotDifference(pairs)],
    ["plot_cohort_trend", plotCohortTrend(cohortTrend(curves, { month: 1 }))],
    [
      "plot_layers",
      plotLayers(cohortLayers(tidewater, { by: "project_id" })),
    ],
    ["plot_user_flows", plotUserFlows(userFlows(curves))],
    ["plot_event_study", plotEventStudy(study)],
    [
      "plot_counterfactual",
      plotCounterfactual(fjord, { title }),
    ],
    [
      "plot_contributions",
      plotContributions(contributions(months, { field: "fees_sum" })),
    ],
    [
      "plot_contributions_waterfall",
      plotContributions(contributions(months, { field: "fees_sum" }), {
        as: "waterfall",
        from: "2025-06",
        to: "2026-05",
      }),
    ],
    ["plot_retention_bands", plotRetention(all, { startMonth: 1 })],
    [
      "plot_retention_forecast",
      plotRetention(forecastRetention(curves, { by: "all", horizon: 24 })),
    ],
    ["plot_retention_heatmap", plotRetentionHeatmap(where(curves, { project_id: "tidewater" }))],
    ["plot_comparison", plotComparison(chains)],
    [
      "plot_comparison_multiples",
      plotComparison(chains, {
        field: ["ecosystem_fees_30d_sum", "active_users_daily_latest", "ecosystem_tvl_30d_change"],
      }),
    ],
    ["plot_growth", plotGrowth(growthTable(chains, { field: "ecosystem_tvl" }))],
    [
      "plot_contract_flows",
      plotContractFlows(contractFlows(contracts, { by: "market_sector_id" })),
    ],
    ["plot_metrics", plotComparison(fees)],
    ["plot_timeline", plotTimeline(months, { highlight: ["alder", "basalt", "cinder"] })],
    ["plot_timeline_index", plotTimeline(indexed(months), { field: "fees_sum_index" })],
    ["plot_timeline_multiples", plotTimeline(months, { field: "fees_sum" })],
    ["plot_ranks", plotTimeline(months, { field: "fees_sum", as: "rank" })],
    [
      "plot_line",
      plotTimeline(five, { field: "fees_sum", scale: "log" }),
    ],
    [
      "plot_scatter",
      plotScatter(chains, {
        x: "ecosystem_tvl_latest",
        y: "ecosystem_fees_30d_sum",
        label: "chain_name",
      }),
    ],
    [
      "plot_dots",
      plotComparison(sixth, {
        field: "retention",
        lower: "lower",
        upper: "upper",
        label: "market_sector_name",
        title: "Share of first-time users active again in month 6",
      }),
    ],
  ]);
}
