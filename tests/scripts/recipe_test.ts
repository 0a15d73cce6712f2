import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { frameDigest, recipeOf } from "../../lib/output/recipe.ts";
import { METHODS } from "../../lib/output/recipe_methods.ts";
import * as chainframe from "../../mod.ts";
import {
  connect,
  type DataFrame,
  growthRates,
  openFrame,
  pl,
  save,
  shares,
  timeline,
  where,
  withSource,
} from "../../mod.ts";
import { parseRecipe, runRecipe } from "../../scripts/recipe/run_recipe.ts";
import { draws, NO_STEPS, STEPS } from "../../scripts/recipe/steps.ts";
import { frameCases, WITHOUT_FRAME } from "../frame_cases.ts";
import { inFolder } from "../in_folder.ts";
import { again, compareCalls, NAMES, written } from "./recipe_calls.ts";

/** Functions that take a frame and are no steps: they return other things than frames and charts, or need more. */
const OTHERS = ["sql", "rowsOf", "show", "errorsOf", "provenanceOf", "save", "md", "cell", "report"]
  .concat("help");
// deno-lint-ignore no-explicit-any -- recipes have no static type
type Any = any;

Deno.test("each public function is a step, or is listed with a reason", () => {
  const cases = frameCases(NAMES);
  deepStrictEqual(
    [...STEPS, ...OTHERS, "figure"].toSorted(),
    Object.keys(cases).toSorted(),
    "a new function: a step belongs to the categories Analysis or Charts",
  );
  deepStrictEqual(
    [...NO_STEPS.keys()].filter((name) => !WITHOUT_FRAME.includes(name) && name !== "figure"),
    [],
  );
});

Deno.test("each analysis is equal after frame, recipe, JSON and run", async () => {
  const analyses = [...STEPS].filter((name) => !draws(name));
  strictEqual(await compareCalls({ charts: false, calls: 1 }), analyses.length);
});

const DAYS = "day,protocol,fees_usd,note\n" + Array.from({ length: 40 }, (_, at) => {
  const day = new Date(Date.UTC(2025, 0, 1 + Math.floor(at / 2))).toISOString().slice(0, 10);
  return `${day},${at % 2 ? "aave" : "lido"},${at === 7 ? "" : 10 + at * at % 17},${
    at % 3 ? "x" : ""
  }\n`;
}).join("");

/** A call of each method that is a step, eager and lazy. */
const CALLS: Readonly<Record<string, (frame: Any) => Any>> = {
  agg: (f) => f.groupBy("protocol").agg(pl.col("fees_usd").sum(), pl.len().alias("n")),
  concat: (f) => pl.concat([f, f.lazy ? f.head(3) : f.head(3)]),
  drop: (f) => f.drop("note"),
  dropNulls: (f) => f.dropNulls("fees_usd"),
  fillNull: (f) => f.fillNull("zero"),
  filter: (f) => f.filter(pl.col("protocol").isIn(["aave", "none"]).and(pl.col("fees_usd").gt(12))),
  groupBy: (f) => f.groupBy("protocol").agg(pl.col("fees_usd").mean()).sort("protocol").head(1),
  head: (f) => f.head(3),
  join: (f) => f.join(f.groupBy("day").agg(pl.col("fees_usd").max().alias("most")), { on: "day" }),
  limit: (f) => f.limit(4),
  rename: (f) => f.rename({ day: "date" }),
  select: (f) => f.select("day", pl.col("fees_usd").mul(2).alias("twice")),
  slice: (f) => f.slice(2, 5),
  sort: (f) => f.sort({ by: "fees_usd", descending: true, nullsLast: true }),
  tail: (f) => f.tail(3),
  unique: (f) => f.unique({ subset: ["protocol"], keep: "first", maintainOrder: true }).head(1),
  unpivot: (f) => f.unpivot(["day", "protocol"], ["fees_usd"]),
  withColumn: (f) => f.withColumn(pl.col("fees_usd").cumSum().over("protocol").alias("all")),
  withColumns: (f) =>
    f.withColumns(
      pl.when(pl.col("fees_usd").gt(15)).then(pl.lit("high")).otherwise(pl.lit("low")).alias(
        "kind",
      ),
      pl.col("day").dt.truncate("1mo").alias("month"),
    ),
  withRowIndex: (f) => f.withRowIndex("row"),
};

Deno.test("each method is equal after frame, recipe, JSON and run, lazy or not", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, DAYS);
    deepStrictEqual(Object.keys(CALLS).toSorted(), [...METHODS.keys()].toSorted());
    for (const [name, call] of Object.entries(CALLS)) {
      for (const isLazy of [false, true]) {
        const frame = await openFrame(`${folder}/fees.csv`);
        const made = isLazy ? call(frame.lazy()) : call(frame);
        const result = made.collectSync?.() ?? made;
        const other = await again(written(result), folder) as DataFrame;
        strictEqual(frameDigest(other), frameDigest(result), `${name}, lazy: ${isLazy}`);
        deepStrictEqual(other.columns, result.columns);
      }
    }
  }));

Deno.test("random chains of steps are equal after frame, recipe, JSON and run", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, DAYS);
    const steps: ((frame: Any) => Any)[] = [
      (f) => f.filter(pl.col("fees_usd").gt(11)),
      (f) => f.withColumns(pl.col("fees_usd").plus(1)),
      (f) => f.sort(["day", "protocol"]).head(25),
      (f) =>
        f.lazy().groupBy("day").agg(pl.col("fees_usd").first(), pl.col("protocol").last())
          .collectSync(),
      (f) => f.join(f.select("day", "protocol"), { on: ["day", "protocol"], how: "left" }),
      (f) => f.unique(["day"], "first", true),
      (f) =>
        pl.concat([
          f.select("day", "protocol", "fees_usd"),
          f.select("day", "protocol", "fees_usd"),
        ]),
      (f) => where(f, { day: { from: "2025-01-03" }, protocol: ["aave", "lido"] }),
    ];
    const frame = await openFrame(`${folder}/fees.csv`);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(steps.length - 1), { maxLength: 6 }), async (chain) => {
        const result = chain.reduce((made, at) => steps[at]!(made), frame as DataFrame);
        const { recipe, why } = recipeOf(result);
        // Doubled frames soon have more than 50 steps.
        if (recipe === null) {
          return void match(why!, /more than 50 steps|more than 8 levels|order of rows/);
        }
        const other = await again(recipe, folder) as DataFrame;
        strictEqual(frameDigest(other), frameDigest(result));
      }),
      { numRuns: 60, seed: 68 },
    );
  }));

const DAY = new Date("2025-01-03");
const wholes = (text: string, dtype: Any): Any => pl.Series("", [text, null]).cast(dtype);
const times = (dtype: Any): Any => pl.lit(pl.Series("", [DAY, null]).cast(dtype));
const at = (dtype: Any): Any => pl.col("day").cast(dtype);

/** Expressions whose recipes give equal results. */
const EXPRESSIONS: Readonly<Record<string, Any>> = {
  "dates of JavaScript": at(pl.Datetime("ms")).isIn([DAY, new Date("2025-01-05")]),
  "a Series of dates": at(pl.Date).isIn(times(pl.Date)),
  "a Series of microseconds": at(pl.Datetime("us")).isIn(times(pl.Datetime("us"))),
  "a Series of nanoseconds": at(pl.Datetime("ns")).isIn(times(pl.Datetime("ns"))),
  "whole numbers up to 2^53": pl.lit(7).cast(pl.Int64).isIn(pl.lit(wholes("7", pl.Int64))),
  "unsigned numbers": pl.lit(7).cast(pl.UInt64).isIn(pl.lit(wholes("7", pl.UInt64))),
  "strptime to dates": (pl.lit("03/01/2025") as Any).str.strptime(pl.Date, "%d/%m/%Y"),
  "strptime to times": (pl.lit("03/01/2025") as Any).str.strptime(pl.Datetime("ms"), "%d/%m/%Y"),
  "replace of numbers": pl.col("fees_usd").replace([10, 11], [20, 21]),
  "replace of texts": pl.col("protocol").replace(["aave"], ["Aave"]),
  "replaceStrict": (pl.col("protocol") as Any).replaceStrict(["aave", "lido"], ["A", "L"]),
  "replaceStrict with a default": (pl.col("protocol") as Any)
    .replaceStrict(["aave"], ["A"], pl.lit("other"), pl.Utf8),
};

Deno.test("lists of dates, strptime and replacements are equal after recipe, JSON and run", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, DAYS);
    const frame: Any = await openFrame(`${folder}/fees.csv`);
    for (const [name, expression] of Object.entries(EXPRESSIONS)) {
      const result = frame.withColumns(expression.alias("made"));
      const other = await again(written(result), folder) as DataFrame;
      strictEqual(frameDigest(other), frameDigest(result), name);
    }
    const { steps } = written(frame.filter(EXPRESSIONS["dates of JavaScript"]));
    match(JSON.stringify(steps), /"values":\["2025-01-03T00:00:00.000Z",/);
  }));

Deno.test("a step that JSON cannot hold ends no call, and is named", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, DAYS);
    const frame: Any = await openFrame(`${folder}/fees.csv`);
    const grouped = frame.groupBy("protocol").agg(pl.col("fees_usd").sum());
    const reasons: [DataFrame, RegExp][] = [
      [
        frame.filter((pl.col("protocol") as Any).str.toUpperCase().eq(pl.lit("AAVE"))),
        /^filter: the function/,
      ],
      [frame.withColumn(pl.Series("z", Array(40).fill(1))), /^withColumn: a Series cannot/],
      [frame.withColumns(pl.lit(NaN).alias("z")), /^withColumns: NaN and infinite/],
      [
        frame.filter(pl.col("fees_usd").lt(pl.lit(9007199254740993n))),
        /^filter: whole numbers above 2\^53/,
      ],
      [
        frame.filter(pl.col("fees_usd").isIn(pl.lit(wholes("9007199254740993", pl.Int64)))),
        /^filter: whole numbers above 2\^53/,
      ],
      [
        frame.filter(pl.col("fees_usd").isIn(pl.lit(wholes("18446744073709551615", pl.UInt64)))),
        /^filter: whole numbers above 2\^53/,
      ],
      [
        frame.filter(
          pl.col("day").cast(pl.Datetime("us")).isIn(
            pl.lit(wholes("86400000001", pl.Int64).cast(pl.Datetime("us"))),
          ),
        ),
        /^filter: times shorter than a millisecond/,
      ],
      [
        frame.groupBy("protocol", true).agg(pl.col("fees_usd").sum()),
        /^groupBy: a boolean in place of a column cannot be written/,
      ],
      [frame.sample({ n: 3, seed: 1 }), /^sample: is not recorded/],
      // A recipe states a forbidden step as a reason when it is written, not as an error when it is run.
      [frame.withColumns(pl.col("note").cast(pl.Categorical)), /^withColumns: .*dtype Categorical/],
      [frame.groupBy("day").agg((pl.col("note") as Any).head(1)), /^agg: .*the node Slice/],
      [frame.filter(pl.col("note").eq(pl.lit("x".repeat(1_001)))), /^filter: .*the value "x/],
      [frame.join(frame.head(2), { how: "cross" }), /^join: how: must be one of inner/],
      [frame.groupBy("day").agg({ fees_usd: "sum" }), /^agg: the argument .* is not permitted/],
      [
        frame.groupBy("protocol").agg(pl.col("note").mode()),
        /^agg: depends on the order of values, which mode does not keep/,
      ],
      [
        frame.withColumns(pl.col("note").unique().first().alias("any")),
        /^withColumns: depends on the order of values, which unique does not keep/,
      ],
      [frame.select(pl.col("note").unique()).head(1), /^head: depends on the order of rows, which/],
      [frame.join(pl.DataFrame({ protocol: ["aave"] }), { on: "protocol" }), /has no recipe/],
      [grouped.head(1), /^head: depends on the order of rows, which groupBy does not keep; sort/],
      [grouped.withColumns(pl.col("fees_usd").shift(1)), /^withColumns: depends on the order/],
      [frame.unique("protocol").withRowIndex(), /^withRowIndex: .*which unique does not keep/],
      [pl.DataFrame({ a: [1] }), /^source: /],
      [Array.from({ length: 51 }).reduce<Any>((made) => made.head(9), frame), /more than 50 steps/],
      [
        Array.from({ length: 9 }).reduce<Any>(
          (made) => frame.join(made, { on: "day", how: "semi" }),
          frame,
        ),
        /8 levels/,
      ],
      [
        where(frame, { protocol: Array(9).fill("x".repeat(120_000)) } as Any),
        /more than 1000000 characters/,
      ],
    ];
    for (const [made, reason] of reasons) {
      const { recipe, why } = recipeOf(made);
      strictEqual(recipe, null, String(reason));
      match(why!, reason);
    }
    for (
      const made of [
        grouped.sort("protocol").head(1),
        frame.select(pl.col("note").unique()).sort("note").head(1),
        frame.groupBy("day").agg(pl.col("fees_usd").unique().sum()),
        frame.filter(pl.col("note").isIn(pl.col("protocol").unique())),
      ]
    ) strictEqual(recipeOf(made).why, null);
  }));

Deno.test("only a sort by all keys gives rows an order again", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, DAYS);
    const frame: Any = await openFrame(`${folder}/fees.csv`);
    const pairs = frame.groupBy("protocol", "day").agg(pl.col("fees_usd").sum());
    const most = frame.groupBy("protocol").agg(pl.col("fees_usd").max().alias("most"));
    const ordered: Readonly<Record<string, Any>> = {
      "all keys": pairs.sort(["day", "protocol"]).head(3),
      "more than the keys": pairs.sort({ by: ["day", "fees_usd", "protocol"] }).head(3),
      "renamed keys": pairs.rename({ day: "date" }).sort(["protocol", "date"]).tail(3),
      "selected keys": pairs.select(pl.col("day").alias("d"), "protocol").sort(["d", "protocol"])
        .head(3),
      "keys of unique": frame.unique(["protocol", "day"]).sort(["protocol", "day"]).head(3),
      "a key that is an expression": frame.groupBy(pl.col("day").dt.month().alias("m"))
        .agg(pl.len()).sort("m").head(1),
      "groups of groups": pairs.groupBy("protocol").agg(pl.col("fees_usd").sum())
        .sort("protocol").head(1),
      "one match for each row": frame.join(most, { on: "protocol" }).sort(["day", "protocol"]).head(
        3,
      ),
      "rank after a sort": chainframe.rankBy(most.sort("protocol"), { field: "most" }),
    };
    for (const [name, result] of Object.entries(ordered)) {
      const other = await again(written(result), folder) as DataFrame;
      strictEqual(frameDigest(other), frameDigest(result), name);
    }
    const tied: Readonly<Record<string, Any>> = {
      "one key of two": pairs.sort("protocol").head(3),
      "another column": pairs.sort("fees_usd").tail(3),
      "a form of the key": pairs.sort([pl.col("day").dt.month(), pl.col("protocol")]).head(3),
      "a replaced key": pairs.withColumns(pl.col("day").dt.truncate("1mo"))
        .sort(["day", "protocol"]).head(3),
      "a dropped key": pairs.drop("day").sort("protocol").head(3),
      "lazy": frame.lazy().unique(["protocol", "day"]).sort("protocol").head(3).collectSync(),
      "all columns of unique": frame.select("protocol", "fees_usd").unique().sort("protocol")
        .lazy().groupBy("protocol", true).agg(pl.col("fees_usd").first()).collectSync(),
      "the first of each": pairs.unique(["protocol"], "first", true),
      "two frames": pl.concat([pairs, pairs]).sort(["day", "protocol"]).head(3),
      "several matches": frame.join(pairs, { on: "protocol" }).sort("day").head(3),
      "rankBy": chainframe.rankBy(most, { field: "most" }),
      "topN": chainframe.topN(
        withSource(frame.unique(["day", "protocol"]), {
          citation: "Own",
          columns: { fees_usd: { unit: "usd", adds: "both" } },
        }),
        { field: "fees_usd", limit: 1 },
      ),
    };
    for (const [name, result] of Object.entries(tied)) {
      match(recipeOf(result).why ?? "none", /depends on the order of rows/, name);
    }
  }));

Deno.test("withSource is a step with all its options, also after others, and for data of a program", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, DAYS);
    const options = {
      citation: "Own node",
      url: "https://example.org/fees",
      license: "CC0",
      retrievedAt: new Date("2025-02-01"),
      columns: { fees_usd: { unit: "usd", adds: "both" } },
    } as const;
    const renamed = (await openFrame(`${folder}/fees.csv`)).rename({ day: "date" });
    const result = shares(withSource(renamed, options).fillNull("zero"), { field: "fees_usd" });
    const recipe = written(result);
    deepStrictEqual(recipe.steps.map(([name]) => name), [
      "rename",
      "withSource",
      "fillNull",
      "shares",
    ]);
    deepStrictEqual(recipe.steps[1], ["withSource", {
      ...options,
      retrievedAt: "2025-02-01T00:00:00.000Z",
    }]);
    const other = await again(recipe, folder) as DataFrame;
    strictEqual(frameDigest(other), frameDigest(result));
    const { license, url } = chainframe.provenanceOf(other) as Any;
    deepStrictEqual([license, url], ["CC0", "https://example.org/fees"]);
    const own = withSource(pl.DataFrame({ n: [1, 2] }), { citation: "Program" });
    await save(own, `${folder}/own.parquet`);
    strictEqual(
      frameDigest(await again(written(own.head(1)), folder) as DataFrame),
      frameDigest(own.head(1)),
    );
  }));

Deno.test("the source of a response is requested once, and nothing else is sent", () =>
  inFolder(async () => {
    let count = 0;
    const sample = connect();
    const months = await timeline({
      metric_ids: ["fees"],
      group_by: "chains",
      every: "month",
      from: "2025-01",
      to: "2025-06",
    }, sample);
    const growth = growthRates(months, { field: "fees_sum" });
    const joined = growth.join(months.select("data_id", "date"), { on: ["data_id", "date"] });
    const recipe = written(joined);
    strictEqual((recipe.source as Any).operation, "timeline");
    const result = await runRecipe(recipe, {
      connection: () => (count++, connect()),
      tables: null,
    }) as DataFrame;
    strictEqual(frameDigest(result), frameDigest(joined));
    strictEqual(count, 1);
  }));

Deno.test("errors name the step, counted after the source", async () => {
  const source = { operation: "blockchain_comparison", query: {} };
  const run = (...steps: unknown[]) =>
    runRecipe({ source, steps }, { connection: () => connect(), tables: null });
  const cases: [unknown[], RegExp][] = [
    [[["head", 5], ["shares", { field: "nothing" }]], /^step 2, shares: /],
    [[["shares", { feild: "x" }]], /^step 1, shares: feild: did you mean field\?/],
    [
      [["topN", { field: "x", limit: "many" }]],
      /^step 1, topN: limit: must be a number; got "many"/,
    ],
    [[["filter", { expr: { Column: "no" } }]], /^step 1, filter: /],
    [[["figure", {}]], /^step 1, figure: it takes several charts; it is not a step/],
    [
      [["plotComparison"], ["head", 1]],
      /^step 1, plotComparison: draws a chart, which is the last step/,
    ],
  ];
  for (const [steps, message] of cases) await rejects(() => run(...steps), { message });
});

const BYTES = JSON.parse(String(pl.col("x").isIn(["a"]).serialize("json"))).Function.input[1];
const column = { Column: "fees_usd" };
const fn = (called: unknown, ...more: unknown[]) => ({
  Function: { input: [column, ...more], function: called },
});
const literal = (value: number) => ({ Literal: { Scalar: { Float64: value } } });

/** A replacement in texts. */
const replaced = (
  of: unknown,
  { pattern, text, n = 1, literal = false }: Any,
) => ({
  Function: {
    input: [of, ...[pattern, text].map((String) => ({ Literal: { Scalar: { String } } }))],
    function: { StringExpr: { Replace: { n, literal } } },
  },
});

/** Expressions that a recipe must not have. */
const FORBIDDEN: readonly unknown[] = [
  { SubPlan: [{ Scan: { sources: { Paths: ["/etc/passwd"] } } }, ["a"]] },
  { AnonymousFunction: { input: [column], function: [1, 2, 3] } },
  { Eval: { expr: column, evaluation: "Element", variant: "List" } },
  { Display: { inputs: [column], fmt_str: "x" } },
  ...["Append", { Append: { upcast: true } }, { Reinterpret: true }, { SetSortedFlag: "Ascending" }]
    .map((each) => fn(each)),
  fn({ RowDecode: [] }),
  fn({ Range: { IntRange: { step: 1, dtype: { Literal: "Int64" } } } }, literal(1e11)),
  ...["Repeat", "RepeatBy", "ExtendConstant", "Gather"].map((each) => fn(each, literal(1e8))),
  fn({ Reshape: [{ Specified: 1e9 }] }),
  fn({ Random: { method: "Shuffle", seed: 1 } }),
  fn({ StringExpr: { PadStart: { fill_char: "x" } } }, literal(1e9)),
  fn({ StringExpr: { PadEnd: { fill_char: "x" } } }, literal(1e9)),
  fn({ StringExpr: "ZFill" }, literal(1e9)),
  fn({ FfiPlugin: { lib: "/tmp/x.so", symbol: "f" } }),
  fn("constructor"),
  fn("Atan2"),
  fn({ StringExpr: { Replace: null } }, literal(1), literal(1)),
  { Function: { input: [], function: "Abs" } },
  fn({ __proto__: null, constructor: "Abs" }),
  { Explode: { input: column, options: {} } },
  { Slice: { input: column, offset: literal(0), length: literal(1) } },
  { Cast: { expr: column, dtype: { Literal: { Array: ["Float64", 1e9] } }, options: "NonStrict" } },
  { Agg: { Implode: column } },
  { Over: { function: column, partition_by: [column], order_by: null, mapping: "Explode" } },
  { Literal: { Range: [0, 1e11] } },
  { Literal: { Series: BYTES.Literal.Scalar.List } },
  BYTES,
  {
    Literal: {
      Scalar: {
        List: BYTES.Literal.Scalar.List.map((byte: number, at: number) => at === 40 ? 255 : byte),
      },
    },
  },
  { Alias: [fn("RepeatBy", literal(1e8)), "x"] },
  Array.from({ length: 2_000 }).reduce((made) => ({ Alias: [made, "x"] }), column),
  Array.from({ length: 60 }).reduce(
    (made) => ({ BinaryExpr: { left: made, op: "Plus", right: column } }),
    column,
  ),
  ...["Replace", { ReplaceStrict: { return_dtype: null } }].map((each) => {
    const list = (text: string) => ({
      Literal: { Scalar: { List: { dtype: "String", values: [text] } } },
    });
    return fn(each, list("a"), list("x".repeat(100_000)));
  }),
  fn({ StringExpr: { Strptime: [{ Literal: { Array: ["Int8", 1e6] } }, {}] } }),
  fn({ ReplaceStrict: { return_dtype: { Literal: { List: "Int8" } } } }, literal(1), literal(1)),
  ...[
    { dtype: "Datetime", values: ["2025-01-01"] },
    { dtype: "Datetime", unit: "ms", zone: "Mars/North", values: ["2025-01-01"] },
    { dtype: "Date", values: ["soon"] },
    { dtype: "Date", values: [{}] },
  ].map((List) =>
    fn({ Boolean: { IsIn: { nulls_equal: false } } }, { Literal: { Scalar: { List } } })
  ),
  replaced(column, { pattern: "^.*$", text: "${0}".repeat(50) }),
  replaced(column, { pattern: "^(?P<all>.*)$", text: "$all$all" }),
  replaced(column, { pattern: "", text: "x", n: -1 }),
  replaced(column, { pattern: "", text: "x", n: 40, literal: true }),
  replaced(column, { pattern: "x", text: "xx", n: -1, literal: true }),
  fn({ StringExpr: { Replace: { n: 1, literal: true } } }),
  fn({ StringExpr: { Replace: { n: 1, literal: true } } }, {
    Literal: { Scalar: { String: "a" } },
  }),
  { Column: 7 },
  "Wildcard",
  null,
];

Deno.test("forged recipes run and read nothing, each within a second", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/data`);
    await Deno.writeTextFile(`${folder}/secret.csv`, "key,value\na,1\n");
    await Deno.writeTextFile(`${folder}/data/fees.csv`, DAYS);
    await Deno.symlink("../secret.csv", `${folder}/data/link.csv`);
    await Deno.symlink("../gone.csv", `${folder}/data/gone.csv`);
    await Deno.writeTextFile(`${folder}/data/beside.csv`, DAYS);
    await Deno.symlink("../secret.csv", `${folder}/data/beside.csv.provenance.json`);
    await Deno.symlink("fees.csv", `${folder}/data/newest.csv`);
    await Deno.symlink("data", `${folder}/linked`);
    const source = { file: "fees.csv" };
    const own = { source, steps: [] as unknown[] };
    const nested = (levels: number): unknown =>
      levels === 0
        ? own
        : { source, steps: [["join", { recipe: nested(levels - 1) }, { on: "day", how: "semi" }]] };
    const recipes: [unknown, RegExp?][] = [
      ...FORBIDDEN.map((expr): [unknown] => [{ source, steps: [["withColumns", { expr }]] }]),
      ...[
        "save",
        "openFrame",
        "connect",
        "eval",
        "constructor",
        "__proto__",
        "toString",
        "lazy",
        "sql",
      ]
        .map((name): [unknown] => [{ source, steps: [[name, {}]] }]),
      ...["../secret.csv", "/etc/passwd", "..", "", "x/../../secret.csv", "secret.csv", "C:\\x.csv"]
        .map((file): [unknown] => [{ source: { file }, steps: [] }]),
      // Links that lead out of the folder are no files, whether the files that they lead to exist or not.
      ...["link.csv", "gone.csv", "beside.csv", "missing.csv"]
        .map((file): [unknown, RegExp] => [{ source: { file }, steps: [] }, /data has no file /]),
      [{ source: { address: "https://example.org/x.csv" }, steps: [] }, /needs --cache/],
      [{ source: { operation: "save", query: {} }, steps: [] }],
      [{ source: { operation: "__proto__", query: {} }, steps: [] }],
      [JSON.parse('{"source":{"file":"fees.csv"},"steps":[],"__proto__":{"a":1}}')],
      [{
        source,
        steps: [["shares", JSON.parse('{"field":"fees_usd","__proto__":{"per":"period"}}')]],
      }],
      [{ source, steps: [["join", { recipe: own }, { how: "cross" }]] }, /how: must be one of/],
      [{ source, steps: [["select", { lambda: "x" }]] }],
      [{ source, steps: Array(1_000).fill(["head", 1]) }, /at most 50 steps; got 1000/],
      [nested(9), /at most 8 levels of frames/],
      [{
        source,
        steps: [["concat", Array(60).fill({ recipe: { source, steps: [["head", 1]] } })]],
      }, /at most 50/],
      [{ source, steps: "head" }],
      [[]],
      [null],
    ];
    for (const [recipe, reason = /./] of recipes) {
      const start = performance.now();
      await rejects(
        () => runRecipe(recipe, { connection: null, tables: `${folder}/data` }),
        (error: Error) => {
          match(error.message, reason);
          ok(
            !/is not a function|Cannot (?:read|destructure)|undefined|out of bounds|Resolved plan/
              .test(error.message),
            error.message,
          );
          return true;
        },
        JSON.stringify(recipe)?.slice(0, 200),
      );
      const took = performance.now() - start;
      ok(took < 1_000, `${took} ms: ${JSON.stringify(recipe).slice(0, 200)}`);
    }
    const read = (file: string, tables: string, given?: string) =>
      runRecipe({ source: { file }, steps: [] }, { connection: null, tables, given });
    const tables = `${folder}/data`;
    const opened = [
      await read("newest.csv", tables),
      await read("fees.csv", `${folder}/linked`),
      await read("link.csv", tables, "link.csv"),
    ] as DataFrame[];
    deepStrictEqual(opened.map(({ height }) => height), [40, 40, 1]);
    const frame_sha256 = frameDigest(pl.DataFrame({ key: ["a"], value: [1] }));
    const secret = { source: { frame_sha256 }, steps: [] };
    const data = { connection: null, tables: folder };
    strictEqual((await runRecipe(secret, data) as DataFrame).height, 1);
    await rejects(() => runRecipe(secret, { ...data, tables }), /no file of .*data has the values/);
    const texts = [`{"source":"${"x".repeat(1e7)}"}`, "[".repeat(900_000), "{"];
    for (const text of texts) {
      const start = performance.now();
      throws(() => parseRecipe(text));
      ok(performance.now() - start < 1_000);
    }
  }));

const T = { Column: "t" };
const nest = (times: number, make: (of: unknown) => unknown) =>
  Array.from({ length: times }).reduce(make, T);
/** Expressions that make more than 100 million characters of 20 000 texts of 10. */
const LONG: readonly unknown[] = [
  nest(15, (of) => replaced(of, { pattern: "a*", text: "x", n: -1 })),
  nest(15, (of) => replaced(of, { pattern: "^", text: "y".repeat(1000) })),
  {
    Function: {
      input: Array(8).fill(T),
      function: {
        StringExpr: { ConcatHorizontal: { delimiter: "z".repeat(1000), ignore_nulls: true } },
      },
    },
  },
  {
    Function: {
      input: [{
        Cast: {
          expr: { Literal: { Dyn: { Int: 0 } } },
          dtype: { Literal: "Date" },
          options: "Strict",
        },
      }],
      function: { TemporalExpr: { ToString: "%c".repeat(500) } },
    },
  },
];

Deno.test("sums of numbers, and texts of usual length, are not refused", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/many.csv`, `n,t\n${"1,xxxxx\n".repeat(200_000)}`);
    const n = pl.col("n");
    const frame = (await openFrame(`${folder}/many.csv`)).select(
      Array.from({ length: 20 }).reduce<Any>((sum) => sum.plus(n), n),
      pl.concatString({ exprs: [pl.col("t"), n.cast(pl.Utf8)], separator: "-" } as Any).alias("id"),
      (pl.col("t") as Any).str.replaceAll("x", "y").alias("y"),
    );
    strictEqual(
      frameDigest(await again(written(frame), folder) as DataFrame),
      frameDigest(frame),
    );
  }));

Deno.test("steps that multiply rows or texts end before memory does", () =>
  inFolder(async (folder) => {
    const many = `k,t\n${"a,xxxxxxxxxx\n".repeat(20_000)}`;
    await Deno.writeTextFile(`${folder}/many.csv`, many);
    const recipe = { source: { file: "many.csv" }, steps: [] };
    const double = ["withColumns", {
      expr: { BinaryExpr: { left: { Column: "t" }, op: "Plus", right: { Column: "t" } } },
    }];
    const cases: [unknown[], RegExp][] = [
      [
        [["join", { recipe }, { on: "k" }]],
        /^step 1, join: its result has 1600160000 cells; at most/,
      ],
      [Array(30).fill(double), /^step 7, withColumns: makes texts of \d+ characters; at most/],
      ...LONG.map((expr): [unknown[], RegExp] => [
        [["withColumns", { expr }]],
        /^step 1, withColumns: can make texts of \d+ characters; at most/,
      ]),
      [
        [["groupBy", ["k"], true], ["agg", { expr: { Agg: { First: LONG[0] } } }]],
        /^step 2, agg: can make texts/,
      ],
      [[["agg", { expr: { Column: "t" } }]], /^step 1, agg: must follow groupBy$/],
      [[["groupBy", "k"], ["join", { recipe }, { on: "k" }]], /cannot follow groupBy; add agg$/],
      [[["groupBy", "k"], ["rankBy", { field: "k" }]], /cannot follow groupBy; add agg$/],
    ];
    for (const [steps, message] of cases) {
      await rejects(() => runRecipe({ ...recipe, steps }, { connection: null, tables: folder }), {
        message,
      });
    }
  }));

Deno.test("a recipe of an address with a secret finds the response by its digest, offline only", () =>
  inFolder(async (folder) => {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("protocol,fees\naave,12\n"),
    );
    const address =
      `http://127.0.0.1:${server.addr.port}/fees.csv?api_key=0123456789abcdef0123&day=1`;
    const cache = { dir: folder } as const;
    const frame = await openFrame(address, { citation: "Own" }, connect({ cache }));
    const recipe = written(frame.filter(pl.col("fees").gt(1)));
    ok(!JSON.stringify(recipe).includes("0123456789"));
    match((recipe.source as Any).address, /day=1/);
    const offline = connect({ cache: { ...cache, mode: "offline" } });
    await server.shutdown();
    const data = { connection: () => offline, tables: null };
    strictEqual(frameDigest(await runRecipe(recipe, data) as DataFrame), frameDigest(frame));
    const other = { ...recipe, source: { ...recipe.source, sha256: "0".repeat(64) } };
    await rejects(() => runRecipe(other, data), { name: "CacheError" });
  }));
