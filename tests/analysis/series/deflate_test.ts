import { deepEqual, throws } from "node:assert/strict";
import { contributions } from "../../../lib/analysis/series/contributions.ts";
import { decompose } from "../../../lib/analysis/series/decompose.ts";
import { deflate } from "../../../lib/analysis/series/deflate.ts";
import { dateColumn, float64, utf8 } from "../../../lib/table/build/columns.ts";
import { annotate, inputsOf, provenanceOf } from "../../../lib/table/track/provenance.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import { timelineFrame } from "../timeline_frame.ts";
import { warned } from "../measured.ts";

type Price = readonly [day: string, price: number | null, id?: string];

function pricesOf(rows: readonly Price[]): DataFrame {
  return pl.DataFrame([
    dateColumn("date", rows.map(([day]) => new Date(day))),
    utf8("data_id", rows.map(([, , id]) => id ?? null)),
    float64("eth", rows.map(([, price]) => price)),
  ]);
}

const FEES = timelineFrame("month", [
  ["2025-01-01", "alder", 300],
  ["2025-01-01", "birch", 10],
  ["2025-02-01", "alder", 200],
  ["2025-02-01", "birch", null],
  ["2025-03-01", "alder", 200],
]);
const PRICES = pricesOf([["2025-01-01", 3], ["2025-02-01", 2]]);

function realOf(prices: DataFrame, on?: readonly string[]) {
  const options = { field: "fees_sum", prices, price: "eth", ...on && { on } };
  const [frame, told] = warned(() => deflate(FEES, options));
  deepEqual(frame.columns, [...FEES.columns, "fees_sum_real"]);
  return { real: frame.getColumn("fees_sum_real").toArray(), told };
}

Deno.test("deflate states values at the prices of the first period", () => {
  // 200 dollars at a price of 2 are 100 tokens, or 300 dollars at the price of January. March has no price.
  deepEqual(realOf(PRICES), { real: [300, 10, 300, null, null], told: [] });
  const own = pricesOf([["2025-01-01", 3, "alder"], ["2025-02-01", 6, "alder"], [
    "2025-01-01",
    1,
    "birch",
  ]]);
  deepEqual(realOf(own, ["date", "data_id"]).real, [300, 10, 100, null, null]);
});

Deno.test("deflate averages the prices of a period, and says so", () => {
  const daily = pricesOf([
    ["2025-01-01", 2],
    ["2025-01-31", 4],
    ["2025-02-10", 1],
    ["2025-02-11", null],
    ["2025-02-28", 2],
    ["2025-03-31", 3],
  ]);
  deepEqual(realOf(daily), {
    real: [300, 10, 400, null, 200],
    told: [
      "deflate: eth is averaged over each period; it is better to deflate days and add them up",
    ],
  });
});

Deno.test("deflate makes three factors for decompose, and a column that adds up like the original", () => {
  const prices = PRICES.drop("data_id");
  const real = deflate(FEES, { field: "fees_sum", prices, price: "eth" }).filter(
    pl.col("date").lt(
      pl.lit(new Date("2025-03-01")).cast(pl.Date),
    ),
  );
  const frame = real.join(prices, { on: "date", how: "left" }).withColumns(
    pl.col("fees_sum_real").div(pl.lit(10)).alias("volume"),
    pl.col("eth").div(pl.lit(3)).alias("level"),
    pl.lit(10).cast(pl.Float64).alias("fee"),
  );
  const rows = decompose(frame.filter(pl.col("data_id").eq(pl.lit("alder"))), {
    ...{ product: "fees_sum", factors: ["volume", "fee", "level"], per: "period" },
  }).rows().map(([, , factor, change]) => [factor, Number((change as number).toFixed(9))]);
  deepEqual(rows, [["volume", 0], ["fee", 0], ["level", -100]]);
  const parts = contributions(real.filter(pl.col("data_id").eq(pl.lit("alder"))), {
    field: "fees_sum_real",
  });
  deepEqual([parts.row(1)[7], (parts.row(1)[3] as number).toFixed(4)], [
    "day",
    (31 / 28 - 1).toFixed(4),
  ]);
});

Deno.test("deflate records both origins, and refuses prices that it cannot use", () => {
  const known = (operation: "timeline" | "metric_breakdown") => ({
    provenance: { kind: "response", operation, steps: [] } as unknown as ReturnType<
      typeof provenanceOf
    >,
    errors: pl.DataFrame([utf8("code", []), utf8("field", []), utf8("value", [])]),
  });
  const [fees, prices] = [FEES.clone(), PRICES.clone()];
  annotate(fees, known("metric_breakdown"));
  annotate(prices, known("timeline"));
  const made = deflate(fees, { field: "fees_sum", prices, price: "eth" });
  deepEqual(inputsOf(provenanceOf(made)).map(({ operation }) => operation), [
    ...["metric_breakdown", "timeline"],
  ]);
  const refused = (prices: DataFrame, message: RegExp, on?: string[]) =>
    throws(() => realOf(prices, on), message);
  refused(pricesOf([["2025-01-01", 0]]), /prices must be above 0; got date 2025-01-01, eth 0$/);
  refused(pl.concat([PRICES, PRICES]), /two rows have date 2025-01-01; keep one price$/);
  refused(PRICES.drop("eth"), /deflate: expected prices; missing: eth/);
  refused(PRICES, /missing: chain/, ["date", "chain"]);
  throws(
    () => deflate(FEES, { field: "fees_sum", price: "eth" } as Parameters<typeof deflate>[1]),
    /deflate: prices: is required/,
  );
});
