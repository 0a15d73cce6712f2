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
  retentionCurves: [cohorts],
  pooledRetention: [curves],
  compareRetention: [curves],
  show: [chains],
  cell: [chains, "chain_name"],
  forecastRetention: [curves],
  rankBy: [chains],
  ratio: [chains],
  contractFlows: [contracts],
  topN: [chains],
  growthRates: [series],
  resample: [series],
  indexed: [series],
  rollingMean: [series],
  plotRetention: [pooled],
  plotRetentionHeatmap: [curves],
  plotComparison: [chains],
  plotGrowth: [chainframe.growthTable(chains, { field: "ecosystem_tvl" })],
  plotContractFlows: [chainframe.contractFlows(contracts, { by: "project_id" })],
  plotTimeline: [series],
  plotScatter: [chains],
  save: [chains, `${folder}/chains.csv`],
  figure: [[chart]],
  contributions: [series],
  shares: [series],
  decompose: [series],
  withSource: [chainframe.pl.DataFrame({ a: [1] })],
  cohortTrend: [curves],
  cohortLayers: [curves],
  userFlows: [curves],
  detectable: [curves],
  retentionSummary: [pooled],
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
  save: { force: true },
  timeline: { ...TIMELINE, to: "2025-02" },
  rollingMean: { periods: 3 },
  resample: { every: "quarter", how: "mean" },
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
// `openFrame` sends a request to any good address: its own tests have its options.
const PARTS = ["setColors", "openFrame"];
const taking = names.filter(({ name, kind, options }) =>
  kind === "function" && options.length > 0 && !PARTS.includes(name)
);
const OPERATIONS = names.filter(({ record, name }) => record !== null && name !== "errorsOf")
  .map(({ name }) => name);

/** A connection that sends no request and whose cache is empty. */
const OVER: Readonly<Record<string, readonly unknown[]>> = {
  answersOf: [archive],
  restatements: [archive],
};

function errorOf(name: string): string {
  if (name === "connect") return "ConfigurationError";
  return [...OPERATIONS, "timeline"].includes(name) ? "QueryError" : "RangeError";
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

const FRAMES: readonly unknown[] = [
  ...[null, undefined, 7, NaN, "alder", "", [], ["a"], {}, { a: { b: 1 } }, () => 1],
  ...[Promise.resolve(chains), chains.lazy(), chains.getColumn("chain_id"), chart],
  ...[chainframe.pl.DataFrame({}), chainframe.pl.DataFrame({ a: [1], date: ["2025-06-01T00:00"] })],
  chains.filter(chainframe.pl.lit(false)),
];
const VALUES: readonly unknown[] = [
  ...[null, -1, NaN, 1e308, "", "an id with spaces", "2025-06-01T00:00", "\ud800"],
  ...[
    ["a", "a"],
    [null],
    { a: { b: [1] } },
    Symbol("x"),
    new Date(NaN),
    Promise.resolve(1),
    chains,
  ],
];
/** Words of the runtime or of polars, or values without a form. */
const FOREIGN =
  /\bundefined\b|\[object |is not (a function|iterable)|Cannot |reading '|Invalid time|panicked|Malformed|malformed|cloned|napi|not supported/;

/** Returns what is wrong with the error of a call: its class, its words, or that it names neither function nor field. */
function faultOf(error: Error | undefined, name: string): string | undefined {
  if (error === undefined) return undefined;
  const isOwn = error instanceof chainframe.ChainframeError ||
    ["RangeError", "TypeError"].includes(error.name) ||
    (error as { code?: string }).code === "EEXIST";
  const spelled = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // A query within a request is that of its operation.
  const names = [name, spelled, "blockchain_comparison", "path"];
  const isNamed = name === "connect" || names.some((each) => error.message.startsWith(`${each}:`));
  const isGood = isOwn && isNamed && !FOREIGN.test(error.message);
  return isGood ? undefined : `${name}: ${error.name}: ${error.message}`;
}

Deno.test("every public function refuses bad input with its own name, the field and the value", async () => {
  const problems = new Set<string>();
  for (const { name, signature, options } of taking) {
    const call = (chainframe as unknown as Readonly<Record<string, Call>>)[name]!;
    const before = BEFORE[name] ?? [];
    const good = REQUIRED[name] ?? {};
    const tried = async (...given: readonly unknown[]) => {
      problems.add(faultOf(await thrownBy(() => call(...given)), name) ?? "");
    };
    const isOfFrame = /^\w+\((?!query|request|options|connection)/.test(signature);
    for (const frame of isOfFrame ? FRAMES : []) await tried(frame, ...before.slice(1), good);
    const plain = await thrownBy(() => call(...before, "alder", ...(OVER[name] ?? [])));
    if (plain?.name !== errorOf(name)) problems.add(`${name}: a text as options: ${plain}`);
    for (const value of VALUES) {
      await tried(...before, value, ...(OVER[name] ?? []));
      for (const option of options) {
        await tried(...before, { ...good, [option.name]: value }, ...(OVER[name] ?? []));
      }
    }
  }
  const others = ["drawVega", "md", "openFrame", "rowsOf", "sql", "where"] as const;
  for (const name of others) {
    for (const value of [...FRAMES, ...VALUES]) {
      const call = chainframe[name] as Call;
      problems.add(faultOf(await thrownBy(() => call(value, value)), name) ?? "");
    }
  }
  problems.delete("");
  deepStrictEqual([...problems], []);
});

Deno.test("a format that returns no text is refused, and a chart is not a spec", async () => {
  const format = (() => 1) as never;
  const drawn = await thrownBy(() =>
    chainframe.plotComparison(chains, { field: "ecosystem_tvl_latest", format }).svg()
  );
  match(drawn!.message, /^plotComparison: format: must return a text, not 1; got /);
  const spec = await thrownBy(() => chainframe.drawVega(chart as never));
  match(spec!.message, /^drawVega: spec: must be a Vega-Lite spec, .*; got a chart$/);
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
