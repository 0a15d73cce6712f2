import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { columnIn } from "../../../lib/table/track/frame_columns.ts";
import { type DataFrame, pl as bare } from "../../../lib/table/build/polars.ts";
import { sql } from "../../../lib/table/track/sql.ts";
import { pl } from "../../../lib/table/track/tracked_polars.ts";
import { described } from "../described.ts";

const chains = described(
  bare.DataFrame({ id: ["a", "b"], "fees (x)": [1, 2], worth: [3, 4], users: [5, 6], own: [7, 8] }),
  ["usd", "fees (x)", "worth"],
  ["users", "users"],
);
const others = described(bare.DataFrame({ id: ["a"], worth: [9], users: [1] }), ["users", "users"]);

function unitIn(frame: DataFrame, name: string): string | null {
  return columnIn(frame, name)?.unit ?? null;
}

const fees = pl.col("fees (x)");

Deno.test("an expression keeps the unit of one column or of its statistics, and no other does", () => {
  const kept = [
    ...[fees, fees.sum(), fees.mean(), fees.min(), fees.max(), fees.first(), fees.last()],
    ...[fees.median(), fees.quantile(0.5), fees.abs(), fees.round(1), fees.fillNull(pl.lit(0))],
    ...[fees.shift(1), fees.sum().over("id"), fees.shift(1).over("id").abs()],
  ];
  const lost = [
    ...[fees.mul(2), fees.add(pl.col("worth")), fees.count(), fees.std(), fees.cast(pl.Float64)],
    ...[fees.gt(1), fees.fillNull(pl.col("users")), fees.log(), fees.rank(), pl.lit(1)],
    pl.when(fees.gt(1)).then(fees).otherwise(pl.lit(0)),
  ];
  for (const [each, unit] of [...kept.map((e) => [e, "usd"]), ...lost.map((e) => [e, null])]) {
    const expression = each as typeof fees;
    const text = String(expression);
    // The column had another unit before.
    strictEqual(unitIn(chains.withColumns(expression.alias("users")), "users"), unit, text);
    strictEqual(unitIn(chains.select(expression.alias("x")), "x"), unit, text);
    const lazy = chains.lazy().groupBy("id").agg(expression.alias("x")).collectSync();
    strictEqual(unitIn(lazy, "x"), unit, text);
    const [name = ""] = chains.select(expression).columns;
    strictEqual(unitIn(chains.withColumns(expression), name), unit, text);
  }
});

Deno.test("columns of joins, concatenations and renamings keep their units", () => {
  const joined = chains.join(others, { on: "id" });
  deepStrictEqual(
    ["worth", "tvl_right", "users", "users_right"].map((name) => unitIn(joined, name)),
    ["usd", null, "users", "users"],
  );
  const some = ["id", "worth", "users"];
  const stacked = pl.concat([chains.select(...some), others.select(...some)]);
  deepStrictEqual(["worth", "users"].map((name) => unitIn(stacked, name)), [null, "users"]);
  strictEqual(unitIn(chains.unpivot("id", ["fees (x)", "worth"]), "value"), "usd");
  strictEqual(unitIn(chains.unpivot("id", ["worth", "users"]), "value"), null);
  strictEqual(
    unitIn(chains.select(pl.cols("worth", "users").sum().suffix("_sum")), "worth_sum"),
    "usd",
  );
  strictEqual(unitIn(chains.withColumn(pl.Series("worth", [1, 2])), "worth"), null);
  const changed = chains.clone() as DataFrame & { worth: unknown; columns: string[] };
  changed.worth = pl.Series("worth", [1, 2], pl.Float64);
  changed.columns = ["id", "a", "b", "c", "d"];
  deepStrictEqual(["a", "b", "c"].map((name) => unitIn(changed, name)), ["usd", null, "users"]);
});

Deno.test("an SQL query keeps the units of its columns", () => {
  const cases: [query: string, name: string, unit: string | null][] = [
    ["select worth as x from chains", "x", "usd"],
    ["select sum(worth) as x, id from chains group by id", "x", "usd"],
    ["select round(avg(users), 1) as x from chains", "x", "users"],
    ["select max(s) as x from (select sum(users) as s from chains group by id) as t", "x", "users"],
    [
      "with t as (select id, worth as v from chains) select v as x from t order by v limit 1",
      "x",
      "usd",
    ],
    ["select sum(users) over (partition by id) as x from chains", "x", "users"],
    ["select * from chains where own > 1", "users", "users"],
    ["select id, users from chains union all select id, users from others", "users", "users"],
    [
      "select chains.worth, others.users as x from chains join others on chains.id = others.id",
      "x",
      "users",
    ],
    ["select worth / users as x from chains", "x", null],
    ["select sum(worth) / sum(users) as users from chains", "users", null],
    ["select count(worth) as x from chains", "x", null],
    ["select own as worth from chains", "worth", null],
    // `worth` of the other table is not in US dollars.
    ["select chains.worth as x from chains join others on chains.id = others.id", "x", null],
  ];
  const context = pl.SQLContext({ chains, others });
  for (const [query, name, unit] of cases) {
    strictEqual(
      unitIn(sql(query, query.includes("others") ? { chains, others } : { chains }), name),
      unit,
      query,
    );
    if (query.includes("others")) {
      strictEqual(unitIn(context.execute(query, { eager: true }), name), unit, query);
    }
  }
});
