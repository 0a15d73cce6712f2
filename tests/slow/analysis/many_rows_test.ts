import { match, ok } from "node:assert/strict";
import * as chainframe from "../../../mod.ts";
import type { DataFrame } from "../../../mod.ts";
import { COMPARISON_FIELDS } from "../../../lib/schema/comparison_fields.ts";

const { pl } = chainframe;

const ROWS = 1_000_000;
const DAYS = 1_000;

const numbers = (name: string, valueOf: (row: number) => number | null) =>
  pl.Series(name, Array.from({ length: ROWS }, (_, row) => valueOf(row)), pl.Float64);
const texts = (name: string, textOf: (row: number) => string) =>
  pl.Series(name, Array.from({ length: ROWS }, (_, row) => textOf(row)), pl.Utf8);

/** A thousand protocols on a thousand days. */
const daily = () =>
  chainframe.withSource(
    pl.DataFrame([
      texts("protocol", (row) => `p${Math.floor(row / DAYS)}`),
      numbers("day", (row) => 19_000 + row % DAYS),
      numbers("fees_usd", (row) => 1 + (row * 7919) % 1009 + Math.floor(row / DAYS)),
      numbers("users", (row) => 1 + (row * 104_729) % 997),
    ]).withColumns(
      pl.col("day").cast(pl.Int32).cast(pl.Date),
      pl.col("fees_usd").div(pl.col("users")).alias("fee"),
    ),
    { citation: "test", columns: { fees_usd: { unit: "usd", adds: "both" } } },
  );

/** A million protocols. */
const flat = () =>
  chainframe.withSource(
    pl.DataFrame([
      texts("protocol", (row) => `p${row}`),
      numbers("fees_usd", (row) => 1 + (row * 7919) % 1009),
      numbers("fees_usd_before", (row) => 1 + (row * 7907) % 1013),
      numbers("users", (row) => 1 + row % 997),
    ]),
    { citation: "test", columns: { fees_usd: { unit: "usd", adds: "both" } } },
  );

/** The curves of 27 778 projects, each of 36 months. */
const curves = () =>
  pl.DataFrame([
    texts("project_id", (row) => `p${Math.floor(row / 36)}`),
    texts("market_sector_id", (row) => `s${Math.floor(row / 36) % 8}`),
    texts("cohort_date", (row) => `20${20 + Math.floor(row / 36) % 4}-01-01`),
    numbers("month", (row) => row % 36),
    numbers("size", (row) => 50 + Math.floor(row / 36) % 400),
    numbers("retained", (row) => {
      const size = 50 + Math.floor(row / 36) % 400;
      return row % 36 === 0 ? size : Math.round(size * (0.2 + (row % 7) / 40) / (row % 36) ** 0.3);
    }),
  ]).withColumns(
    pl.col("cohort_date").str.strptime(pl.Date, "%Y-%m-%d"),
    pl.col("retained").div(pl.col("size")).alias("retention"),
  );

/** The amounts of 250 000 wallets of four cohorts each. */
const amounts = () =>
  chainframe.withSource(
    pl.DataFrame([
      texts("wallet", (row) => `w${Math.floor(row / 4)}`),
      texts("cohort_date", (row) => `2024-0${1 + row % 4}-01`),
      numbers("month", () => 1),
      numbers("size", (row) => 10 + row % 90),
      numbers("retained", (row) => 5 + (row * 7919) % 100),
    ]).withColumns(
      pl.col("cohort_date").str.strptime(pl.Date, "%Y-%m-%d"),
      pl.col("retained").div(pl.col("size")).alias("retention"),
    ),
    { citation: "test", columns: { size: { unit: "usd" }, retained: { unit: "usd" } } },
  );

/** The wide cohorts of a million projects, of two months. */
const cohorts = () =>
  pl.DataFrame([
    texts("project_id", (row) => `p${row}`),
    texts("cohort", (row) => `202${row % 5}-01`),
    numbers("initial_cohort_size", (row) => 50 + row % 400),
    numbers("month_0", () => 1),
    numbers("month_1", (row) => (row % 7) / 10),
  ]);

/** The contracts of ten thousand projects. */
const contracts = () =>
  pl.DataFrame([
    texts("project_id", (row) => `p${row % 10_000}`),
    texts("project_name", (row) => `P${row % 10_000}`),
    ...["inflows", "outflows", "net_flows"].map((flow) =>
      numbers(`${flow}_1d_sum`, (row) => row % 11 === 0 ? null : row % 1009)
    ),
  ]);

/** A million chains, with changes over some windows. */
const comparison = () =>
  pl.DataFrame([
    texts("chain_id", (row) => `c${row}`),
    texts("chain_name", (row) => `C${row}`),
    ...COMPARISON_FIELDS.filter(({ measure }) => measure === "ecosystem_fees")
      .map(({ name }, at) => numbers(name, (row) => (row * (at + 1)) % 7 / 10 - 0.2)),
  ]);

const FEES = { field: "fees_usd" } as const;
const SECTOR = { by: "market_sector_id" } as const;

type Call = (frame: DataFrame) => DataFrame;

/** Analyses by the frame that they take. */
const CALLS: readonly (readonly [frame: () => DataFrame, calls: Readonly<Record<string, Call>>])[] =
  [
    [daily, {
      resample: (f) => chainframe.resample(f.drop("fee"), { every: "month" }),
      growthRates: (f) => chainframe.growthRates(f, FEES),
      indexed: (f) => chainframe.indexed(f, FEES),
      rollingMean: (f) => chainframe.rollingMean(f, { ...FEES, periods: 7 }),
      shares: (f) => chainframe.shares(f, FEES),
      contributions: (f) => chainframe.contributions(f, FEES),
      decompose: (f) =>
        chainframe.decompose(f, { product: "fees_usd", factors: ["users", "fee"], per: "period" }),
      topN: (f) => chainframe.topN(f, { ...FEES, limit: 5 }),
      concentration: (f) => chainframe.concentration(f, FEES),
      check: (f) => chainframe.check(f),
      ratio: (f) =>
        chainframe.ratio(f, { numerator: "fees_usd", denominator: "users", name: "each" }),
      counterfactual: (f) =>
        chainframe.counterfactual(f, { ...FEES, starts: { p7: "2024-06-01" }, method: "did" }),
      eventStudy: (f) =>
        chainframe.eventStudy(f, { ...FEES, starts: { p7: "2024-06-01", p9: "2024-06-01" } }),
    }],
    [flat, {
      rankBy: (f) => chainframe.rankBy(f, FEES),
      concentration: (f) => chainframe.concentration(f, FEES),
      topN: (f) => chainframe.topN(f, { ...FEES, limit: 5 }),
      ratio: (f) =>
        chainframe.ratio(f, { numerator: "fees_usd", denominator: "users", name: "each" }),
    }],
    [curves, {
      pooledRetention: (f) => chainframe.pooledRetention(f, SECTOR),
      forecastRetention: (f) => chainframe.forecastRetention(f, SECTOR),
      compareRetention: (f) => chainframe.compareRetention(f, { ...SECTOR, month: 3 }),
      cohortLayers: (f) => chainframe.cohortLayers(f, SECTOR),
      userFlows: (f) => chainframe.userFlows(f, SECTOR),
      cohortTrend: (f) => chainframe.cohortTrend(f, { ...SECTOR, month: 3, every: "year" }),
      retentionSummary: (f) =>
        chainframe.retentionSummary(chainframe.pooledRetention(f, { by: "project_id" })),
      detectable: (f) =>
        chainframe.detectable(
          f.filter(pl.col("market_sector_id").isIn(["s0", "s1"])),
          { ...SECTOR, month: 3 },
        ),
    }],
    [amounts, { pooledRetention: (f) => chainframe.pooledRetention(f) }],
    [cohorts, { retentionCurves: (f) => chainframe.retentionCurves(f) }],
    [contracts, { contractFlows: (f) => chainframe.contractFlows(f) }],
    [comparison, {
      growthTable: (f) => chainframe.growthTable(f, { field: "ecosystem_fees" }),
    }],
  ];

for (const [make, calls] of CALLS) {
  let frame: DataFrame | undefined;
  for (const [name, call] of Object.entries(calls)) {
    Deno.test(`${name} takes a million rows of ${make.name}, or says what is too many`, () => {
      frame ??= make();
      try {
        const { height } = call(frame);
        ok(height > 0 || name === "check", name);
      } catch (error) {
        // "Maximum call stack size exceeded" is a RangeError, too.
        match(String(error), new RegExp(`^RangeError: ${name}: .*too many`));
      }
    });
  }
}
