import { deepStrictEqual, ok } from "node:assert/strict";

const ROOT = new URL("..", import.meta.url);

/** The public names of each entry, types too. A name that leaves a list leaves the public interface. */
const NAMES = {
  "mod.ts": `
    Connection ConnectOptions lockReport connect
    metricBreakdown MetricBreakdownQuery metricAggregations MetricAggregationsQuery
    blockchainComparison BlockchainComparisonQuery projectContracts ProjectContractsQuery
    cohortAnalysis CohortAnalysisQuery project ProjectQuery
    timeline TimelineQuery answersOf restatements catalog
    DataFrame Frame FrameOf OptionsOf RowOf pl where Bounds sql rowsOf show
    errorsOf Provenance provenanceOf withSource
    retentionCurves pooledRetention forecastRetention compareRetention
    retentionSummary growthTable rankBy topN ratio concentration
    contractFlows resample growthRates indexed rollingMean
    contributions shares decompose cohortTrend cohortLayers userFlows detectable
    counterfactual eventStudy plotEventStudy check
    plotCounterfactual plotContributions plotCohortTrend plotLayers plotUserFlows
    plotRetention plotRetentionHeatmap plotComparison
    plotGrowth plotContractFlows plotTimeline plotDifference
    plotScatter figure colors setColors
    Chart ChartOptions Color EventOptions ReferenceOptions PlotChart PlotSpec VegaChart drawPlot drawVega
    save md cell report openFrame
    dictionary help
    CacheError ChainframeError ConfigurationError HttpError NetworkError NotFoundError
    QueryError ResponseError
  `,
  "lib/declarations.ts": `
    CacheOptions LockOptions DatasetQuery Catalog
    CombinedProvenance GivenProvenance ResponseProvenance UnknownProvenance
    AtStage Staged CohortOptions ById Drawable Markdown Cell TableOptions Report Fields
  `,
  "lib/service/mod.ts": `
    createService ServiceOptions Service listen Listener buildData writeSample
    FactsError ClusterError
  `,
  "lib/chart/marks.ts": `
    retentionLine retentionBand incompleteLine LineRow endLabels
    colorOf colors setColors SERIES_COLORS ORDERED_COLORS SEQUENTIAL_COLORS DIVERGING_COLORS SLATE theme
    formatCount formatDay formatMonth formatValue formatterFor NumberUnit
    series SeriesRow
  `,
};

const wordsIn = (text: string) => text.trim().split(/\s+/).sort();

Deno.test("each entry exports these names and no others", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...Object.keys(NAMES)],
    cwd: ROOT,
    stderr: "null",
  }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as {
    nodes: Record<string, { symbols: { name: string }[] }>;
  };
  for (const [entry, names] of Object.entries(NAMES)) {
    const { symbols } = nodes[new URL(entry, ROOT).href]!;
    deepStrictEqual(symbols.map(({ name }) => name).sort(), wordsIn(names), entry);
  }
});

Deno.test("the import makes no formatter of Intl: the first one takes 10 ms", async () => {
  const code = `for (const name of ["DateTimeFormat", "NumberFormat", "Segmenter"]) {
    Intl[name] = class { constructor() { throw new Error("made an Intl." + name); } };
  }
  await import(Deno.args[0]);`;
  const { stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", code, new URL("mod.ts", ROOT).href],
    env: { NO_COLOR: "1" },
  }).output();
  ok(success, new TextDecoder().decode(stderr));
});
