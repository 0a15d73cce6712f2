import { deepStrictEqual, match, throws } from "node:assert/strict";
import {
  blockchainComparison,
  cohortAnalysis,
  type DataFrame,
  metricAggregations,
  type OptionsOf,
  pl,
  plotRetention,
  pooledRetention,
  project,
  projectContracts,
  rankBy,
  retentionCurves,
  rowsOf,
  where,
} from "../../mod.ts";

// Lines that must not compile are marked; the type check covers this file.
Deno.test("the frames of operations have typed columns, and are DataFrames", async () => {
  const chains = await blockchainComparison({ chain_ids: ["alder"] });
  const plain: DataFrame = chains;
  const [row] = rowsOf(chains);
  const name: string | null = row!.chain_name;
  const fees: number | null = row!.ecosystem_fees_30d_sum;
  deepStrictEqual([typeof name, typeof fees], ["string", "number"]);
  // @ts-expect-error it is a number
  throws(() => where(chains, { ecosystem_fees_30d_sum: "many" }), RangeError);
  // @ts-expect-error there is no such column
  throws(() => where(chains, { ecosystem_fees: 1 }), RangeError);
  deepStrictEqual(where(plain, { chain_id: "alder" }).height, 1);
  deepStrictEqual(chains.filter(pl.col("chain_id").eq(pl.lit("alder"))).height, 1);

  const [cohort] = rowsOf(await cohortAnalysis({ limit: 1 }));
  const size: number | null = cohort!.initial_cohort_size;
  const month: string | null = cohort!.cohort;
  const [contract] = rowsOf(await projectContracts({ limit: 1 }));
  const flows: number | null = contract!.net_flows_1d_sum;
  const event: string | null = contract!.most_emitted_event_1d_name;
  const [aggregation] = rowsOf(await metricAggregations({ project_ids: ["tidewater"] }));
  const value: number | null = aggregation!.value_number;
  const [about] = rowsOf(await project({ project_id: "tidewater" }));
  const symbol: string | null = about!.symbol;
  const links: unknown = about!.links;
  deepStrictEqual(
    [size, month, flows, event, value, symbol, links].map((each) => each === undefined),
    [false, false, false, false, false, false, false],
  );
});

Deno.test("rows of a frame with unknown columns need no cast", () => {
  const unknown: DataFrame = pl.DataFrame({ id: ["a"], n: [1] });
  const [{ id, n }] = rowsOf(unknown) as [{ id: string; n: number }];
  const [row] = rowsOf(unknown);
  const text: string = row!.id;
  deepStrictEqual([id, n, text, where(unknown, { id: text }).height], ["a", 1, "a", 1]);
});

Deno.test("pipe calls a function with a frame and typed options, also after methods of polars", async () => {
  const cohorts = await cohortAnalysis();
  const chart = cohorts.filter(pl.col("cohort").isNotNull()).head(400)
    .pipe(retentionCurves)
    .pipe(pooledRetention, { by: "market_sector_id" })
    .pipe(plotRetention);
  match(chart.title, /8 market sectors/);
  const chains = await blockchainComparison();
  const options: OptionsOf<typeof rankBy> = { field: "ecosystem_tvl_latest" };
  const ranked = chains.pipe(where, { chain_id: ["alder", "basalt"] }).pipe(rankBy, options);
  deepStrictEqual(ranked.getColumn("rank").toArray(), [1, 2]);
  deepStrictEqual(ranked.select("rank").pipe((frame) => frame.height), 2);
  // @ts-expect-error there is no such option
  throws(() => chains.pipe(rankBy, { feild: "ecosystem_tvl_latest" }), /feild: did you mean field/);
  // @ts-expect-error the option is required
  throws(() => chains.pipe(rankBy, {}), /rankBy: field: is required/);
  // @ts-expect-error a frame that is pooled already
  throws(() => cohorts.pipe(retentionCurves).pipe(pooledRetention).pipe(pooledRetention));
  throws(
    () => chains.pipe("rankBy" as never, {} as never),
    /^RangeError: pipe: fn: must be a function/,
  );
});
