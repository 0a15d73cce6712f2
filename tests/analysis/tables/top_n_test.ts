import { deepEqual, equal, throws } from "node:assert/strict";
import { resample } from "../../../lib/analysis/series/resample.ts";
import { shares } from "../../../lib/analysis/series/shares.ts";
import { growthRates } from "../../../lib/analysis/series/timeline_columns.ts";
import { concentration } from "../../../lib/analysis/tables/concentration.ts";
import { rankBy } from "../../../lib/analysis/tables/rank_by.ts";
import { topN } from "../../../lib/analysis/tables/top_n.ts";
import { dateColumn, float64, utf8 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
import { described } from "../../table/described.ts";
import { near, warned } from "../measured.ts";

const chains = described(pl.DataFrame([
  utf8("chain_id", ["a", "b", "c", "d", "e"]),
  utf8("chain_name", ["A", "B", "C", "D", "E"]),
  float64("ecosystem_fees_30d_sum", [5, null, 20, 1, 20]),
  float64("active_users_daily_latest", [5, 4, 3, 2, 1]),
]));

Deno.test("topN keeps the largest entities, ties in order, and sums the others where they add up", () => {
  const top = topN(chains, { field: "ecosystem_fees_30d_sum", limit: 3 });
  deepEqual(top.columns, chains.columns);
  deepEqual(top.dtypes, chains.dtypes);
  deepEqual(top.rows(), [
    ["c", "C", 20, 3],
    ["e", "E", 20, 1],
    ["a", "A", 5, 5],
    ["(other)", "Other", 1, null],
  ]);
  const all = topN(chains, { field: "ecosystem_fees_30d_sum", limit: 5 });
  deepEqual(all.getColumn("chain_id").toArray(), ["c", "e", "a", "d", "b"]);
});

Deno.test("topN has no row of the others of users, of changes and of unknown columns, and says so", () => {
  const [users, told] = warned(() =>
    topN(chains, { field: "active_users_daily_latest", limit: 4 })
  );
  deepEqual(users.getColumn("chain_id").toArray(), ["a", "b", "c", "d"]);
  deepEqual(told, [
    "topN: active_users_daily_latest: no row for the sum of the others: " +
    "a user can be counted in several of them",
  ]);
  throws(() => concentration(users, { field: "active_users_daily_latest" }), {
    message: "concentration: topN left 1 entity out; call concentration before topN",
  });
  const own = chains.withColumn(pl.col("ecosystem_fees_30d_sum").mul(2).alias("mine"));
  const [, unknown] = warned(() => topN(own, { field: "mine", limit: 1 }));
  deepEqual(unknown, [
    "topN: mine: no row for the sum of the others: it is not known whether it adds up over entities",
  ]);
  const field = "ecosystem_fees_30d_trend";
  const changes = described(chains.withColumn(pl.lit(0.5).alias(field)));
  const [grown, why] = warned(() => topN(changes, { field, limit: 2 }));
  deepEqual(grown.getColumn("chain_id").toArray(), ["a", "b"]);
  deepEqual(why, [`topN: ${field}: no row for the sum of the others: it is a change`]);
});

function months(): DataFrame {
  const rows = [
    ...[["2025-01-01", "a", 1, "x"], ["2025-01-01", "b", 2, "x"], ["2025-01-01", "c", 4, "y"]],
    ...[["2025-02-01", "a", 3, "x"], ["2025-02-01", "b", 2, "x"], ["2025-02-01", "c", 5, "y"]],
    // The last month is not complete, so it does not decide.
    ...[["2025-03-01", "a", 0, "x"], ["2025-03-01", "b", 9, "x"], ["2025-03-01", "c", null, "y"]],
  ] as [string, string, number | null, string][];
  return described(pl.DataFrame([
    dateColumn("date", rows.map(([date]) => new Date(date))),
    pl.Series("complete", rows.map(([date]) => date < "2025-03"), pl.Bool),
    utf8("data_id", rows.map(([, id]) => id)),
    utf8("market_sector_id", rows.map(([, , , sector]) => sector)),
    float64("fees_sum", rows.map(([, , value]) => value)),
  ]));
}

Deno.test("topN of a frame with dates compares the last complete period, for all dates alike", () => {
  const top = topN(months(), { field: "fees_sum", limit: 1 });
  deepEqual(top.select("data_id", "complete", "market_sector_id", "fees_sum").rows(), [
    ["c", true, "y", 4],
    ["(other)", true, null, 3],
    ["c", true, "y", 5],
    ["(other)", true, null, 5],
    ["c", false, "y", null],
    ["(other)", false, null, 9],
  ]);
});

Deno.test("the row of the others has an id beside ids that are numbers", () => {
  const pools = described(
    pl.DataFrame({ pool_id: [1, 2, 3], fees_sum: [5, 6, 7] }).select(
      pl.col("pool_id").cast(pl.Int64),
      "fees_sum",
    ),
  );
  deepEqual(topN(pools, { field: "fees_sum", limit: 1 }).rows(), [["3", 7], ["(other)", 11]]);
});

Deno.test("topN refuses repeated rows, frames without entities, and a wrong limit", () => {
  const field = "ecosystem_fees_30d_sum";
  const refused = (frame: DataFrame, options: object, message: RegExp) =>
    throws(() => topN(frame, options as Parameters<typeof topN>[1]), message);
  refused(chains, { field, n: 5 }, /^RangeError: topN: n: did you mean limit\?/);
  refused(
    months(),
    { field: "fees_sum", limit: 1, entity: "date" },
    /^RangeError: topN: entity: must be of .*, fees_sum; got date$/,
  );
  refused(
    months().withColumn(pl.lit("Total").alias("date")).head(1),
    { field: "fees_sum", limit: 1 },
    /^RangeError: topN: date: expected days, .*; got "Total"$/,
  );
  refused(chains, { field, limit: 0 }, /limit: must be a whole number of at least 1; got 0$/);
  refused(chains, { limit: 1 }, /topN: field: is required: the column/);
  refused(
    pl.concat([chains, chains]),
    { field, limit: 1 },
    /two rows have the same chain_id; got row 0: chain_id a; row 5: chain_id a; name the columns/,
  );
  refused(
    chains.select(field),
    { field, limit: 1 },
    /entity: the frame has no column of texts that names the entities$/,
  );
});

Deno.test("the row (other) of topN has no rank, and concentration refuses it", () => {
  const field = "ecosystem_fees_30d_sum";
  const top = topN(chains, { field, limit: 2 });
  const ranked = rankBy(top, { field });
  deepEqual(ranked.select("chain_id", "rank").rows(), [["c", 1], ["e", 1], ["(other)", null]]);
  const shares = ranked.getColumn("share").toArray() as number[];
  deepEqual(shares.map((share) => Math.round(share * 46)), [20, 20, 6]);
  throws(() => concentration(top, { field }), {
    message: "concentration: topN left 3 entities out; call concentration before topN",
  });
});

Deno.test("topN ranks entities of several columns", () => {
  const own = described(pl.DataFrame({
    country: ["DE", "DE", "FR", "FR"],
    funnel: ["ads", "direct", "ads", "direct"],
    ecosystem_fees_30d_sum: [4, 3, 2, 1],
  }));
  deepEqual(topN(own, { field: "ecosystem_fees_30d_sum", limit: 2 }).rows(), [
    ["DE", "ads", 4],
    ["DE", "direct", 3],
    ["(other)", "(other)", 3],
  ]);
});

Deno.test("topN refuses dates as entities", () => {
  const dates = pl.DataFrame({ date: ["2025-01-01", "2025-01-02"], fees: [1, 5] });
  throws(() => topN(dates, { field: "fees", limit: 1, entity: "date" }), {
    message: "topN: entity: must be of fees; got date",
  });
});

Deno.test("the others of sums keep their days, so that no function loses their value", () => {
  const days = Array.from({ length: 59 }, (_, at) => new Date(Date.UTC(2025, 0, 1 + at)));
  const rows = days.flatMap((day, at) =>
    [["a", 10], ["b", 6], ["c", 3], ["d", 1]].map(([protocol, fees]) => ({ protocol, day, fees }))
      // d has values on 7 days of February only.
      .filter(({ protocol }) => protocol !== "d" || at < 38)
  );
  const daily = withSource(pl.DataFrame(rows), {
    citation: "a test",
    columns: { fees: { unit: "usd", adds: "both" } },
  });
  const [monthly] = warned(() => resample(daily, { every: "month", through: "2025-02-28" }));
  const [[top, shared, grown]] = warned(() => {
    const top = topN(monthly, { field: "fees", limit: 2 });
    return [top, shares(top, { field: "fees" }), growthRates(top, { field: "fees" })] as const;
  });
  const others = (frame: DataFrame) => frame.filter(pl.col("protocol").eq(pl.lit("(other)")));
  const [january, february] = others(top).getColumn("fees_days").toArray() as number[];
  equal(january, 31);
  // 91 dollars at 3 + 1 a day.
  near(february!, 91 / 4, 1e-12);
  for (const share of others(shared).getColumn("share").toArray()) near(share!, 0.2, 1e-12);
  near(others(grown).getColumn("fees_growth").get(1)!, 0, 1e-12);
});
