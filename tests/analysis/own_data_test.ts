import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import {
  blockchainComparison,
  cohortAnalysis,
  type DataFrame,
  pl,
  projectContracts,
  provenanceOf,
  timeline,
  where,
  withSource,
} from "../../mod.ts";
import { columnIn } from "../../lib/table/track/descriptions.ts";

const [chains, cohorts, contracts, months] = await Promise.all([
  blockchainComparison(),
  cohortAnalysis(),
  projectContracts(),
  timeline({
    metric_ids: ["fees", "transaction_count"],
    group_by: "chains",
    every: "month",
    from: "2024-01",
    to: "2026-05",
  }),
]);

const few = where(cohorts, { market_sector_id: ["lending", "exchanges-dex"] });

/** The same rows as own data, with the units that a user would state. */
function own(frame: DataFrame): DataFrame {
  const columns = frame.columns.filter((name) => frame.getColumn(name).isNumeric()).map((name) => {
    const { unit, adds } = columnIn(frame, name) ?? {};
    return [name, { ...unit && { unit }, ...adds && { adds } }];
  });
  return withSource(pl.DataFrame(frame.getColumns()), {
    citation: "own data",
    columns: Object.fromEntries(columns),
  });
}

const FEES = { field: "fees_sum" } as const;
const CHAIN_FEES = { field: "ecosystem_fees_30d_sum" } as const;
const curvesOf = (frame: DataFrame) => chainframe.retentionCurves(frame, { since: "2024-12" });
const pooledOf = (frame: DataFrame, by: string) =>
  chainframe.pooledRetention(curvesOf(frame), { by });
const feeOf = (frame: DataFrame) =>
  chainframe.ratio(frame, {
    numerator: "fees_sum",
    denominator: "transaction_count_sum",
    name: "fee",
  });

/** Each public analysis, with the frame that it takes. */
const ANALYSES: Record<string, [given: DataFrame, run: (frame: DataFrame) => DataFrame]> = {
  retentionCurves: [cohorts, curvesOf],
  pooledRetention: [few, (f) => pooledOf(f, "market_sector_id")],
  forecastRetention: [
    few,
    (f) => chainframe.forecastRetention(curvesOf(f), { by: "market_sector_id", horizon: 18 }),
  ],
  compareRetention: [few, (f) => chainframe.compareRetention(curvesOf(f), { month: 3 })],
  retentionSummary: [few, (f) => chainframe.retentionSummary(pooledOf(f, "project_id"))],
  cohortTrend: [few, (f) => chainframe.cohortTrend(curvesOf(f), { by: "market_sector_id" })],
  cohortLayers: [few, (f) => chainframe.cohortLayers(curvesOf(f), { by: "project_id" })],
  userFlows: [few, (f) => chainframe.userFlows(curvesOf(f), { by: "project_id" })],
  detectable: [few, (f) => chainframe.detectable(curvesOf(f), { month: 2 })],
  growthTable: [chains, (f) => chainframe.growthTable(f, { field: "ecosystem_tvl" })],
  rankBy: [chains, (f) => chainframe.rankBy(f, CHAIN_FEES)],
  topN: [chains, (f) => chainframe.topN(f, { ...CHAIN_FEES, limit: 4 })],
  ratio: [months, feeOf],
  concentration: [chains, (f) => chainframe.concentration(f, CHAIN_FEES)],
  contractFlows: [contracts, (f) => chainframe.contractFlows(f)],
  resample: [months, (f) => chainframe.resample(f, { every: "quarter", how: "mean" })],
  growthRates: [months, (f) => chainframe.growthRates(f)],
  indexed: [months, (f) => chainframe.indexed(f)],
  rollingMean: [months, (f) => chainframe.rollingMean(f, { periods: 3 })],
  contributions: [months, (f) => chainframe.contributions(f, FEES)],
  shares: [months, (f) => chainframe.shares(f, FEES)],
  decompose: [months, (f) =>
    chainframe.decompose(feeOf(f), {
      product: "fees_sum",
      factors: ["transaction_count_sum", "fee"],
    })],
  counterfactual: [
    months,
    (f) => chainframe.counterfactual(f, { ...FEES, starts: { garnet: "2025-07" }, scale: "log" }),
  ],
  eventStudy: [months, (f) => {
    const starts = { garnet: "2025-07", alder: "2025-07", basalt: "2025-10" };
    return chainframe.eventStudy(f, { ...FEES, starts, scale: "log" });
  }],
  check: [months, (f) => chainframe.check(f)],
};

Deno.test("all analyses give the same numbers from own data as from the frame of the operation", async () => {
  const module = await Deno.readTextFile(new URL("../../mod.ts", import.meta.url));
  const names = [...module.matchAll(/^export \{ (\w+) \} from "\.\/lib\/analysis\//gm)]
    .map(([, name]) => name!);
  ok(names.length > 20);
  deepStrictEqual(Object.keys(ANALYSES).toSorted(), names.toSorted());
  for (const [name, [given, run]] of Object.entries(ANALYSES)) {
    const [expected, found] = [run(given), run(own(given))];
    deepStrictEqual(found.columns, expected.columns, name);
    ok(name === "check" || expected.height > 0, name);
    deepStrictEqual(found.rows(), expected.rows(), name);
    const units = (frame: DataFrame) => frame.columns.map((each) => columnIn(frame, each)?.unit);
    deepStrictEqual(
      units(found).filter((unit) => unit),
      units(expected).filter((unit) => unit),
      name,
    );
    strictEqual(provenanceOf(found).kind, "given", name);
  }
});

Deno.test("entities and groups cannot have the name of a column of the result", () => {
  const named = (frame: DataFrame, from: string, to: string) =>
    pl.DataFrame(frame.getColumns()).rename({ [from]: to });
  const values = (entity: string) =>
    named(months.select("date", "data_id", "fees_sum"), "data_id", entity);
  const product = values("factor").withColumns(
    pl.lit(1).alias("one"),
    pl.col("fees_sum").alias("fees"),
  );
  const curves = chainframe.retentionCurves(few, { since: "2024-01" });
  const calls: [name: string, fn: string, call: () => unknown][] = [
    ["status", "shares", () => chainframe.shares(values("status"), FEES)],
    ["total", "contributions", () => chainframe.contributions(values("total"), FEES)],
    [
      "factor",
      "decompose",
      () => chainframe.decompose(product, { product: "fees_sum", factors: ["fees", "one"] }),
    ],
    ["rule", "check", () => chainframe.check(values("rule"))],
    ...["trend", "complete"].map((name): typeof calls[number] => [
      name,
      "cohortTrend",
      () => chainframe.cohortTrend(named(curves, "market_sector_id", name), { by: name }),
    ]),
  ];
  for (const [name, fn, call] of calls) {
    const expected = `${fn}: the result has a column ${name} of its own: rename that of the frame`;
    throws(call, { name: "RangeError", message: expected });
  }
});
