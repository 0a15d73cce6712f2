import * as chainframe from "../mod.ts";
import { type DataFrame, pl, withSource } from "../mod.ts";
import { COMPARISON_FIELDS } from "../lib/schema/comparison_fields.ts";

/** The names of the columns that say who the rows of a frame are, and when. */
export interface Names {
  /** One column of entities, or two, such as a region and a channel. */
  readonly entity: readonly string[];
  readonly date: string;
  /** A column with another name of each entity. */
  readonly code?: string;
}

/** A call of a public function: its frame, and the options of each call. The first options are the plain call. */
export interface FrameCase {
  readonly frame: DataFrame;
  readonly options: readonly Readonly<Record<string, unknown>>[];
  /** Calls the function, if its arguments are not (frame, options). */
  readonly call?: (frame: DataFrame, options: object) => unknown;
}

/** The texts of six entities. In a frame with two columns of entities, each column has one part. */
const ENTITIES = ["DE · ads", "DE · seo", "FR · ads", "FR · seo", "IT · ads", "IT · seo"];
const MONTHS = 24;

function monthAt(month: number): Date {
  return new Date(Date.UTC(2024, month, 1));
}

/** Returns the columns of the entities of rows, which are indices of `ENTITIES`. */
function entityColumns({ entity, code }: Names, rows: readonly number[]) {
  const texts = rows.map((at) => ENTITIES[at]!);
  const parts = entity.length === 1
    ? [texts]
    : [0, 1].map((part) => texts.map((text) => text.split(" · ")[part]!));
  return {
    ...Object.fromEntries(entity.map((name, at) => [name, parts[at]!])),
    ...code !== undefined && { [code]: rows.map((at) => `e${at}`) },
  };
}

/** Returns fees, users and deposits of six entities in 24 months, of which the last is not over. */
export function seriesOf(names: Names): DataFrame {
  const rows = Array.from({ length: ENTITIES.length * MONTHS }, (_, row) => ({
    at: row % ENTITIES.length,
    month: Math.floor(row / ENTITIES.length),
  }));
  const wave = (at: number, month: number) => 1 + 0.2 * Math.sin(month / 3 + at) + 0.01 * month;
  const frame = pl.DataFrame({
    ...entityColumns(names, rows.map(({ at }) => at)),
    [names.date]: pl.Series(names.date, rows.map(({ month }) => monthAt(month)), pl.Date),
    kind: rows.map(({ at }) => at < 3 ? "x" : "y"),
    fees: rows.map(({ at, month }) => Math.round(1e5 * (at + 1) * wave(at, month))),
    transactions: rows.map(({ at, month }) => Math.round(5e3 * (6 - at) * wave(at + 2, month))),
    tvl: rows.map(({ at, month }) => Math.round(2e6 * (1 + at % 4) * wave(at + 1, month))),
  });
  return withSource(frame, {
    citation: "Own records",
    retrievedAt: "2025-12-20",
    columns: {
      fees: { unit: "usd", adds: "both" },
      transactions: { unit: "transactions", adds: "both" },
      tvl: { unit: "usd", adds: "groups" },
    },
  });
}

/** Returns the retention of 18 cohorts of each of six entities, as counts of users. */
export function cohortsOf(names: Names): DataFrame {
  const rows = Array.from({ length: ENTITIES.length * 18 }, (_, row) => ({
    at: row % ENTITIES.length,
    month: Math.floor(row / ENTITIES.length),
  }));
  const kept = (at: number, month: number, later: number) =>
    Math.round(400 * (0.5 + 0.04 * at + 0.03 * Math.sin(at + 5 * month)) * 0.85 ** later);
  return withSource(
    pl.DataFrame({
      ...entityColumns(names, rows.map(({ at }) => at)),
      cohort: rows.map(({ month }) => monthAt(month).toISOString().slice(0, 7)),
      initial_cohort_size: rows.map(() => 400),
      month_0: rows.map(() => 400),
      ...Object.fromEntries([1, 2, 3, 4, 5].map((later) => [
        `month_${later}`,
        rows.map(({ at, month }) => month + later < 18 ? kept(at, month, later) : null),
      ])),
    }),
    { citation: "Own cohorts", retrievedAt: "2025-07-01" },
  );
}

/** Returns a frame as `blockchainComparison` returns it. */
function chainsOf(): DataFrame {
  const ids = ["alder", "basalt", "cinder"];
  const fields = COMPARISON_FIELDS.filter(({ measure }) => measure === "ecosystem_tvl");
  return withSource(
    pl.DataFrame({
      chain_id: ids,
      chain_name: ["Alder", "Basalt", "Cinder"],
      ...Object.fromEntries(fields.map(({ name }, at) => [name, [0.1 * at, 0.2 + at, 0.3]])),
    }),
    { citation: "Own chains" },
  );
}

/** Returns a frame as `projectContracts` returns it. */
function contractsOf(): DataFrame {
  const columns = ["inflows_1d_sum", "outflows_1d_sum", "net_flows_1d_sum"];
  return withSource(
    pl.DataFrame({
      account_address: ["0x1", "0x2", "0x3", "0x4"],
      ...Object.fromEntries(["project", "market_sector", "chain"].flatMap((word) => [
        [`${word}_id`, ["a", "a", "b", "c"]],
        [`${word}_name`, ["A", "A", "B", "C"]],
      ])),
      ...Object.fromEntries(columns.map((name, at) => [name, [10, 20, 30, 40].map((v) => v + at)])),
    }),
    { citation: "Own contracts" },
  );
}

/** The options of all charts. */
const CHART = {
  title: "A title",
  subtitle: "A subtitle",
  caption: "A caption.",
  note: "A note.",
  width: 640,
  height: 300,
  theme: "dark",
  locale: "de",
  unit: "units",
  format: { maximumFractionDigits: 1 },
  limit: 3,
  highlight: [ENTITIES[0]],
  colors: { [ENTITIES[0]!]: "#aa3300" },
};

/** Returns a case for each public function that takes a frame. */
export function frameCases(names: Names): Readonly<Record<string, FrameCase>> {
  const cf = chainframe;
  const [series, cohorts, chains] = [seriesOf(names), cohortsOf(names), chainsOf()];
  const { date } = names;
  const entity = [...names.entity];
  const other = names.code ?? entity;
  const curves = cf.retentionCurves(cohorts, { unit: "count", since: null });
  const month = series.filter(pl.col(date).eq(pl.lit(monthAt(20))));
  const pooled = cf.pooledRetention(curves, { by: entity });
  const one = curves.filter(
    entity.map((name, at) =>
      pl.col(name).eq(pl.lit(entity.length === 1 ? ENTITIES[0] : ENTITIES[0]!.split(" · ")[at]))
    ).reduce((all, each) => all.and(each)),
  );
  const starts = { [ENTITIES[0]!]: "2025-03", [ENTITIES[3]!]: "2025-05" };
  const study = { field: "fees", scale: "log", starts } as const;
  const contracts = contractsOf();
  const chart = (frame: DataFrame, ...options: readonly object[]): FrameCase => ({
    frame,
    options: [
      options[0] ?? {},
      ...options.slice(1),
      { ...options[0], ...CHART, source: frame },
      ...names.code === undefined ? [] : [{ ...options[0], label: names.code }],
      // Charts without these options refuse them.
      { ...options[0], events: [{ date: "2025-03-01", label: "start" }] },
      { ...options[0], reference: 0.5 },
    ] as never,
  });
  const compared = cf.compareRetention(curves, { by: entity, month: 1 });
  const shares = [{}, { entity: other }, { date }, { per: "period" }];
  const GROUPS = [{ cluster: "none" }, { washout: 0 }, { confidence: 0.9 }];
  const pools = (options: object, ...more: readonly object[]) => ({
    frame: curves,
    options: [options, ...[...more, ...GROUPS].map((each) => ({ ...options, ...each }))] as never,
  });
  const parts = cf.contributions(series, { field: "fees" });
  return {
    where: { frame: series, options: [rowOf(names, 0)] },
    sql: {
      frame: series,
      options: [{}],
      call: (frame) => cf.sql(`select * from t where fees > 200000`, { t: frame }),
    },
    rowsOf: { frame: series, options: [{}], call: cf.rowsOf },
    show: {
      frame: series,
      options: [{ limit: 2 }, { columns: ["fees", date] }, { summary: true, locale: "de" }],
    },
    errorsOf: { frame: series, options: [{}], call: cf.errorsOf },
    provenanceOf: { frame: series, options: [{}], call: cf.provenanceOf },
    withSource: {
      frame: pl.DataFrame({
        ...entityColumns(names, [0, 1]),
        [date]: [monthAt(0), monthAt(1)],
        fees: [1, 2],
      }),
      options: [
        { citation: "Own" },
        {
          citation: "Own",
          url: "https://example.org",
          retrievedAt: "2025-06-01",
          license: "CC0",
          sample: true,
          through: "2025-05-31",
          columns: { fees: { unit: "usd" } },
        },
        { entity },
        { entity, date },
      ],
    },
    retentionCurves: {
      frame: cohorts,
      options: [{ unit: "count" }, { unit: "count", since: "2024-03" }, {
        unit: "count",
        confidence: 0.8,
        missing: 0,
      }],
    },
    pooledRetention: pools({}, { by: entity }, { by: entity, estimate: "unweighted" }),
    forecastRetention: pools({ by: entity }, { horizon: 9 }, { model: "sbg" }),
    compareRetention: pools(
      { by: entity, month: 1 },
      { groups: ENTITIES.slice(0, 2) },
      { estimate: "unweighted" },
      { paired: true },
    ),
    retentionSummary: {
      frame: pooled,
      options: [{}, { month: 2 }],
      call: (frame, options) => cf.retentionSummary(frame, options),
    },
    growthTable: { frame: chains, options: [{ field: "ecosystem_tvl" }] },
    rankBy: { frame: month, options: [{ field: "fees" }, { field: "tvl", descending: false }] },
    topN: {
      frame: series,
      options: [{ field: "fees", limit: 2 }, { field: "tvl", limit: 3, entity: other }],
    },
    ratio: {
      frame: series,
      options: [{ numerator: "fees", denominator: "transactions", name: "fee" }],
    },
    concentration: { frame: series, options: [{ field: "fees" }] },
    contractFlows: { frame: contracts, options: [{}, { by: "chain_id" }] },
    resample: {
      frame: series,
      options: [
        { every: "quarter", how: "mean" },
        ...[{ through: "2025-09-30" }, { missing: 0 }, { entity: other }, { date }].map((each) => ({
          every: "year",
          how: { fees: "mean", transactions: "max", tvl: "last" },
          ...each,
        })),
        { every: "year", how: "max", zone: "Europe/Berlin" },
      ],
    },
    growthRates: {
      frame: series,
      options: [{}, { periods: "year" }, { field: "fees", per: "period" }, { entity: other }],
    },
    indexed: {
      frame: series,
      options: [{}, { base: "2024-06" }, { field: "fees", per: "period" }, { entity: other }],
    },
    rollingMean: {
      frame: series,
      options: [{ periods: 3 }, { periods: 2, field: "fees", entity: other }],
    },
    contributions: {
      frame: series,
      options: shares.map((each) => ({ field: "fees", ...each })),
    },
    shares: { frame: series, options: shares.map((each) => ({ field: "tvl", ...each })) },
    decompose: {
      frame: cf.ratio(series, { numerator: "fees", denominator: "transactions", name: "fee" }),
      options: shares.map((each) => ({
        product: "fees",
        factors: ["transactions", "fee"],
        ...each,
      })),
    },
    cohortTrend: pools({ by: entity }, { month: 2 }, { every: "quarter" }),
    cohortLayers: { frame: curves, options: [{ by: entity }, {}] },
    userFlows: { frame: curves, options: [{ by: entity }, { washout: 0 }] },
    detectable: {
      ...pools({ by: entity }, { month: 2 }, { power: 0.9 }, { paired: true }),
      frame: curves.filter(pl.col("cohort").lt(pl.lit("2024-04"))),
    },
    counterfactual: {
      frame: series,
      options: [
        { field: "fees", starts: { [ENTITIES[0]!]: "2025-03" } },
        ...[{ method: "synthetic" }, { intercept: true, method: "synthetic" }, { scale: "log" }],
        ...[{ entity: other }, { date }, { confidence: 0.8 }],
      ].map((each, at) =>
        at === 0 ? each : {
          field: "fees",
          starts: { ["entity" in each && names.code ? "e0" : ENTITIES[0]!]: "2025-03" },
          ...each,
        }
      ),
    },
    eventStudy: {
      frame: series,
      options: [
        study,
        ...[{ controls: "not-yet" }, { base: "before" }, { cluster: "kind" }, { within: "kind" }],
        ...[{ aggregate: "simple" }, { date }, { confidence: 0.9 }].map((each) => each),
        { entity: other, ...names.code && { starts: { e0: "2025-03", e3: "2025-05" } } },
      ].map((each) => ({
        ...study,
        ...Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)),
      })),
    },
    check: { frame: series, options: [{}], call: (frame) => cf.check(frame) },
    plotCounterfactual: chart(
      cf.counterfactual(series, { field: "fees", starts: { [ENTITIES[0]!]: "2025-03" } }),
    ),
    plotEventStudy: chart(cf.eventStudy(series, study)),
    plotContributions: chart(
      parts,
      {},
      { as: "waterfall", from: "2025-03", to: "2025-06" },
    ),
    plotCohortTrend: chart(cf.cohortTrend(curves, { by: entity, every: "quarter" }), {}, {
      as: "lines",
    }),
    plotLayers: chart(cf.cohortLayers(one, { by: entity })),
    plotUserFlows: chart(cf.userFlows(one, { by: entity })),
    plotRetention: chart(pooled, {}, { dots: curves }, { bands: false }, { startMonth: 1 }),
    plotRetentionHeatmap: chart(one),
    plotComparison: chart(
      month.withColumns(
        pl.col("fees").mul(0.9).alias("low"),
        pl.col("fees").mul(1.1).alias("high"),
      ),
      { field: "fees" },
      { field: ["fees", "tvl"] },
      { field: "fees", lower: "low", upper: "high", confidence: 0.9 },
      { field: "fees", reference: 1e5 },
      { field: "fees", scale: "log" },
    ),
    plotGrowth: chart(cf.growthTable(chains, { field: "ecosystem_tvl" }), {}, { field: "30d" }),
    plotContractFlows: chart(cf.contractFlows(contracts)),
    plotTimeline: chart(
      series,
      { field: "fees" },
      { x: date, field: "tvl" },
      { field: "fees", by: names.code ?? "kind", limit: 9 },
      { field: "fees", as: "rank", descending: false },
      { field: "fees", as: "stack" },
      { field: "fees", events: [{ date: "2025-03-01", label: "start" }] },
      { field: "fees", axes: "own" },
      { field: "fees", scale: "log" },
    ),
    plotDifference: chart(compared),
    plotScatter: chart(month, { x: "fees", y: "tvl" }, { x: "fees", y: "tvl", scale: "log" }, {
      x: "fees",
      y: "tvl",
      trend: false,
    }),
    figure: {
      frame: series,
      options: [{}, { columns: 1, width: 900, letters: false, caption: "A caption." }],
      call: (frame, options) => {
        const drawn = (field: string) => cf.plotTimeline(frame, { field });
        return cf.figure([drawn("fees"), drawn("tvl")], options);
      },
    },
    save: {
      frame: series,
      options: [{}, { force: true, format: "ndjson" }],
      call: async (frame, options) => {
        const folder = await Deno.makeTempDir();
        await cf.save(frame, `${folder}/frame.csv`, { ...options }).finally(() =>
          Deno.remove(folder, { recursive: true })
        );
      },
    },
    md: { frame: series, options: [{}], call: (frame) => cf.md`${cf.cell(frame.head(1), "fees")}` },
    cell: {
      frame: month,
      options: [
        { row: rowOf(names, 2) },
        { row: rowOf(names, 1), as: "number", locale: "de" },
      ],
      call: (frame, options) => cf.cell(frame, "fees", options as never),
    },
    report: {
      frame: month,
      options: [{ title: "A report" }, { title: "A report", interactive: true, locale: "de" }],
      call: (frame, options) => cf.report({ ...options, parts: [frame] } as never),
    },
    help: { frame: series, options: [{}], call: (frame) => cf.help(frame) },
  };
}

/** Returns the conditions of the row of an entity. */
function rowOf({ entity }: Names, at: number): Record<string, string> {
  const texts = entity.length === 1 ? [ENTITIES[at]!] : ENTITIES[at]!.split(" · ");
  return Object.fromEntries(entity.map((name, part) => [name, texts[part]!]));
}

/** The public functions that take no frame. */
export const WITHOUT_FRAME: readonly string[] = [
  ...["connect", "metricBreakdown", "metricAggregations", "blockchainComparison"],
  ...["projectContracts", "cohortAnalysis", "project", "timeline", "answersOf", "restatements"],
  ...["lockReport", "catalog", "colors", "setColors", "drawPlot", "drawVega", "openFrame"],
  ...["dictionary"],
];

/** Calls a public function with the frame of a case. */
export async function called(
  name: string,
  { frame, call }: FrameCase,
  options: object,
): Promise<unknown> {
  const fn = (chainframe as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!;
  const quiet = { error: console.error, warn: console.warn };
  Object.assign(console, { error: () => {}, warn: () => {} });
  try {
    return await (call === undefined ? fn(frame, options) : call(frame, options));
  } finally {
    Object.assign(console, quiet);
  }
}
