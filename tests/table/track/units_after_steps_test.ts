import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { columnIn } from "../../../lib/table/track/descriptions.ts";
import { type DataFrame, pl as bare } from "../../../lib/table/columns/polars.ts";
import { sql } from "../../../lib/table/track/sql.ts";
import { trackedPolars } from "../../../lib/table/track/tracked_polars.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
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

const fees = trackedPolars.col("fees (x)");

Deno.test("an expression keeps the unit of one column or of its statistics, and no other does", () => {
  const kept = [
    ...[fees, fees.sum(), fees.mean(), fees.min(), fees.max(), fees.first(), fees.last()],
    ...[
      fees.median(),
      fees.quantile(0.5),
      fees.abs(),
      fees.round(1),
      fees.fillNull(trackedPolars.lit(0)),
    ],
    ...[fees.shift(1), fees.sum().over("id"), fees.shift(1).over("id").abs()],
  ];
  const lost = [
    ...[
      fees.mul(2),
      fees.add(trackedPolars.col("worth")),
      fees.count(),
      fees.std(),
      fees.cast(trackedPolars.Float64),
    ],
    ...[
      fees.gt(1),
      fees.fillNull(trackedPolars.col("users")),
      fees.log(),
      fees.rank(),
      trackedPolars.lit(1),
    ],
    trackedPolars.when(fees.gt(1)).then(fees).otherwise(trackedPolars.lit(0)),
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
    ["usd", null, "users", null],
  );
  const some = ["id", "worth", "users"];
  const stacked = trackedPolars.concat([chains.select(...some), others.select(...some)]);
  deepStrictEqual(["worth", "users"].map((name) => unitIn(stacked, name)), [null, "users"]);
  const right = chains.join(others, { on: "id", how: "right" as "left" });
  deepStrictEqual(["worth", "users"].map((name) => unitIn(right, name)), [null, null]);
  const long = chains.unpivot("worth", ["users"]);
  deepStrictEqual(["worth", "value"].map((name) => unitIn(long, name)), ["usd", null]);
  const selected = chains.select(trackedPolars.cols("worth", "users").sum());
  deepStrictEqual(["worth", "users"].map((name) => unitIn(selected, name)), ["usd", "users"]);
  // Renamed in a way that is not read.
  const renamed = chains.select(trackedPolars.cols("worth", "users").sum().suffix("_sum"));
  strictEqual(unitIn(renamed, "worth_sum"), null);
  strictEqual(unitIn(chains.withColumn(trackedPolars.Series("worth", [1, 2])), "worth"), null);
});

Deno.test("a column that an expression overwrites loses its unit, wherever the alias is", () => {
  const doubled = trackedPolars.col("users").mul(trackedPolars.lit(2));
  for (const expression of [doubled.alias("worth").round(1), doubled.round(1).alias("worth")]) {
    strictEqual(unitIn(chains.withColumns(expression), "worth"), null);
    strictEqual(unitIn(chains.lazy().withColumns(expression).collectSync(), "worth"), null);
  }
});

Deno.test("only the index of a pivot keeps its units, also after a renaming", () => {
  const long = described(
    bare.DataFrame({ id: ["a", "a"], days: [1, 1], of: ["b", "c"], worth: [1, 2] }),
    ["usd", "worth"],
    ["days", "days"],
  );
  const wide = long.pivot({ index: "days", on: "of", values: "worth" });
  const renamed = wide.rename({ b: "worth" });
  deepStrictEqual(["days", "worth", "c"].map((name) => unitIn(renamed, name)), [
    "days",
    null,
    null,
  ]);
});

Deno.test("a grouping keeps the units of its keys, and not those of keys that it computes", () => {
  const byWorth = chains.groupBy("worth").agg(trackedPolars.col("users").count().alias("own"));
  deepStrictEqual(["worth", "own"].map((name) => unitIn(byWorth, name)), ["usd", null]);
  const computed = chains.groupBy([trackedPolars.col("worth").mul(2)] as never).agg(
    trackedPolars.col("users").sum(),
  );
  deepStrictEqual(["worth", "users"].map((name) => unitIn(computed, name)), [null, "users"]);
  strictEqual(unitIn(chains.groupBy("worth").len(), "worth"), "usd");
  strictEqual(unitIn(chains.groupBy("id").agg({ worth: "nUnique" } as never), "worth"), null);
});

Deno.test("the result of a function that polars cannot serialize has no unit", () => {
  const opaque = trackedPolars.col("users").reinterpret(true).alias("worth");
  strictEqual(unitIn(chains.select(trackedPolars.col("id"), opaque as never), "worth"), null);
});

Deno.test("an SQL query keeps the units of plain columns of one SELECT, and of no others", () => {
  const cases: [query: string, name: string, unit: string | null][] = [
    ["select worth as x from chains", "x", "usd"],
    ["select c.worth from chains as c where own > 1 order by worth limit 1", "worth", "usd"],
    ["select distinct worth as x, round(users, 1) as worth from chains", "x", "usd"],
    ["select distinct worth as x, round(users, 1) as worth from chains", "worth", null],
    ["select coalesce(own, worth, 1) as own, own as worth from chains", "worth", null],
    ["select * from chains where own > 1", "users", "users"],
    [
      "select chains.id, others.users as x from chains join others on chains.id = others.id",
      "x",
      "users",
    ],
    ["select sum(worth) as x, id from chains group by id", "x", null],
    ["select max(s) as x from (select sum(users) as s from chains group by id) as t", "x", null],
    ["with t as (select id, worth as v from chains) select v as x from t", "x", null],
    ["select id, users from chains union all select id, users from others", "users", null],
    ["select id, worth from chains union all select id, users as worth from chains", "worth", null],
    ["select extract(year from cast(own as date)) as worth from chains", "worth", null],
    ["select id, length(' from ') as worth, users from chains", "worth", null],
    ["select id --, worth\n, own as worth from chains -- from", "worth", null],
    ["select worth / users as x from chains", "x", null],
    ["select sum(worth) / sum(users) as users from chains", "users", null],
    ["select own as worth from chains", "worth", null],
    ["select * exclude (own), own * 2 as own from chains", "worth", null],
    // `worth` of the other table is not in US dollars.
    ["select chains.worth as x from chains join others on chains.id = others.id", "x", null],
  ];
  for (const [query, name, unit] of cases) {
    strictEqual(unitIn(sql(query, { chains, others }), name), unit, query);
  }
});

Deno.test("a statistic of a column, and another row, keeps its unit and does not add up over periods", () => {
  const frame = withSource(bare.DataFrame({ id: ["a", "b"], worth: [3, 4], Max: [1, 2] }), {
    citation: "a test",
    columns: { worth: { unit: "usd", adds: "both" }, Max: { unit: "usd", adds: "groups" } },
  });
  const worth = trackedPolars.col("worth");
  const groups = frame.groupBy("id");
  const addsIn = (made: DataFrame, name = "worth") => {
    const { unit, adds } = columnIn(made, name)!;
    return [unit, adds];
  };
  const others = [worth.quantile(0.5), worth.median().over("id"), worth.shift(1), worth.reverse()];
  for (const each of [worth.mean(), worth.max(), ...others]) {
    deepStrictEqual(addsIn(frame.select(each)), ["usd", null], String(each));
    deepStrictEqual(addsIn(groups.agg(each.alias("made")), "made"), ["usd", null], String(each));
  }
  for (const each of [worth.sum(), worth.round(1), worth.first().over("id")]) {
    deepStrictEqual(addsIn(frame.select(each)), ["usd", "both"], String(each));
  }
  for (const made of [frame.mean(), groups.max() as DataFrame]) {
    deepStrictEqual([addsIn(made), addsIn(made, "Max")], [["usd", null], ["usd", null]]);
  }
  deepStrictEqual(addsIn(groups.agg(trackedPolars.col("Max").sum()), "Max"), ["usd", "groups"]);
});
