import { deepStrictEqual } from "node:assert/strict";
import * as chainframe from "../mod.ts";

Deno.test("mod.ts exports these names and no others", () => {
  const names = `
    CacheError ChainframeError ConfigurationError HttpError NetworkError NotFoundError
    QueryError ResponseError
    COMPARISON_FIELDS EVERY FLOW_MEASURES GROUP_BYS INTERVALS
    LEVEL_MEASURES SCALES DENO_INSPECT JUPYTER_DISPLAY OPERATIONS WINDOWS
    blockchainComparison catalog cohortAnalysis metricAggregations metricBreakdown project
    projectContracts
    answersOf comparisonOver growthRates indexed restatements rollingMean timeline
    connect errorsOf pl provenanceOf rowsOf show where
    comparisonLong concentration contractFlows forecastRetention growthTable metricsLong
    compareRetention pooledRetention rankBy rankStability ratio retentionCurves retentionSummary
    colorOf setColors series topN drawPlot drawVega loadPlot plotScatter plotShares plotSlope SVG_TEXTS THEMES plotComparison plotContractFlows plotGrowth plotRetention
    plotRetentionHeatmap vegaComparison vegaRetention vegaRetentionHeatmap vegaTimeline plotTimeline
    md openFrame report save sql
    cohortLayers cohortTrend contributions counterfactual decompose detectable retentionValue shares userFlows
    figure plotDifference plotCohortTrend plotContributions plotCounterfactual plotLayers
    dictionary help named
  `.trim().split(/\s+/);
  deepStrictEqual(Object.keys(chainframe).sort(), names.sort());
});
