import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import * as chainframe from "../mod.ts";
import { loadEntries } from "../lib/help/entries.ts";

const { blockchainComparison, cohortAnalysis, projectContracts } = chainframe;

const BREAKDOWN = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
const TIMELINE = { metric_ids: ["fees"], group_by: "chains", every: "month", from: "2025-01" };

const cohorts = await cohortAnalysis({ project_ids: ["tidewater"] });
const chains = await blockchainComparison();
const contracts = await projectContracts({ chain_ids: ["alder"] });
const series = await chainframe.timeline({ ...TIMELINE, to: "2025-03" } as never);
const curves = chainframe.retentionCurves(cohorts);
const pooled = chainframe.pooledRetention(curves);
const chart = chainframe.plotComparison(chains);
const folder = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const archive = chainframe.connect({
  baseUrl: "https://example.org",
  token: "t",
  cache: { dir: `${folder}/answers` },
});

/** The arguments before the options of a function; for a query, its required fields. */
const BEFORE: Readonly<Record<string, readonly unknown[]>> = {
  concentration: [chains],
  growthTable: [chains],
  rankStability: [chains],
  retentionCurves: [cohorts],
  pooledRetention: [curves],
  compareRetention: [curves],
  show: [chains],
  cell: [chains, "chain_name"],
  forecastRetention: [pooled],
  rankBy: [chains],
  ratio: [chains],
  contractFlows: [contracts],
  topN: [chains],
  growthRates: [series],
  indexed: [series],
  rollingMean: [series],
  plotRetention: [pooled],
  plotRetentionHeatmap: [curves],
  plotComparison: [chains],
  plotGrowth: [chainframe.growthTable(chains, { field: "ecosystem_tvl" })],
  plotContractFlows: [chainframe.contractFlows(contracts, { by: "project_id" })],
  plotTimeline: [series],
  vegaTimeline: [series],
  plotSlope: [chains],
  plotScatter: [chains],
  plotShares: [chains],
  vegaRetention: [pooled],
  vegaRetentionHeatmap: [curves],
  vegaComparison: [chains],
  save: [chains, `${folder}/chains.csv`],
  figure: [[chart]],
  contributions: [series],
  shares: [series],
  decompose: [series],
  deflate: [series],
  withSource: [chainframe.pl.DataFrame({ a: [1] })],
  cohortTrend: [curves],
  cohortLayers: [curves],
  userFlows: [curves],
  retentionValue: [pooled],
  detectable: [curves],
  counterfactual: [series],
  eventStudy: [series],
  plotEventStudy: [series],
  plotCounterfactual: [series],
  plotContributions: [series],
  plotCohortTrend: [series],
  plotLayers: [series],
  plotUserFlows: [series],
  plotDifference: [pooled],
};
const REQUIRED: Readonly<Record<string, object>> = {
  metricBreakdown: BREAKDOWN,
  project: { project_id: "tidewater" },
  timeline: TIMELINE,
  rollingMean: { periods: 3 },
  answersOf: { operation: blockchainComparison },
  restatements: { operation: blockchainComparison },
};

type Call = (...given: readonly unknown[]) => unknown;

async function thrownBy(call: () => unknown): Promise<Error | undefined> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

const { names } = await loadEntries();
/** Parts of custom charts: their options are channels, which Plot checks. */
const PARTS = ["setColors"];
const taking = names.filter(({ name, kind, options }) =>
  kind === "function" && options.length > 0 && !PARTS.includes(name)
);
const OPERATIONS = names.filter(({ record, name }) => record !== null && name !== "errorsOf")
  .map(({ name }) => name);

/** A connection that sends no request and whose cache is empty. */
const OVER: Readonly<Record<string, readonly unknown[]>> = {
  comparisonOver: [archive],
  answersOf: [archive],
  restatements: [archive],
};

function errorOf(name: string): string {
  if (name === "connect") return "ConfigurationError";
  return [...OPERATIONS, "timeline", "comparisonOver"].includes(name) ? "QueryError" : "RangeError";
}

Deno.test("every public function refuses an unknown option or query key, and names the nearest", async () => {
  ok(taking.length > 25, "the test reads the functions");
  const problems: string[] = [];
  for (const { name, options } of taking) {
    const call = (chainframe as unknown as Readonly<Record<string, Call>>)[name]!;
    const [known] = options.map((option) => option.name);
    const unknown = `${known}x`;
    const given = { ...REQUIRED[name], [unknown]: 1 };
    const error = await thrownBy(() => call(...(BEFORE[name] ?? []), given, ...(OVER[name] ?? [])));
    if (error?.name !== errorOf(name) || !error.message.includes(`${unknown}: did you mean `)) {
      problems.push(`${name}: ${error?.name ?? "nothing thrown"}: ${error?.message ?? ""}`);
    }
  }
  deepStrictEqual(problems, []);
});

Deno.test("every public function refuses options that are no object", async () => {
  const problems: string[] = [];
  for (const { name } of taking) {
    const call = (chainframe as unknown as Readonly<Record<string, Call>>)[name]!;
    const error = await thrownBy(() =>
      call(...(BEFORE[name] ?? []), "alder", ...(OVER[name] ?? []))
    );
    if (error?.name !== errorOf(name)) {
      problems.push(`${name}: ${error?.name ?? "nothing thrown"}: ${error?.message ?? ""}`);
    }
  }
  deepStrictEqual(problems, []);
});

Deno.test("svg, png and pdf of a chart refuse an unknown option", async () => {
  for (
    const [call, told] of [
      [() => chart.svg({ txt: "plain" } as never), /^svg: txt: did you mean text\?/],
      [() => chart.png({ dpii: 1 } as never), /^png: dpii: did you mean dpi\?/],
      [() => chart.pdf({ widht: 700 } as never), /^pdf: widht: did you mean width\?/],
    ] as const
  ) {
    const error = await thrownBy(call);
    strictEqual(error?.name, "RangeError");
    match(error.message, told);
  }
});
