import { deepStrictEqual, throws } from "node:assert/strict";
import {
  blockchainComparison,
  cohortAnalysis,
  type DataFrame,
  metricAggregations,
  pl,
  project,
  projectContracts,
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
