import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { check } from "../../../lib/analysis/series/check.ts";
import { resample } from "../../../lib/analysis/series/resample.ts";
import { rankBy } from "../../../lib/analysis/tables/rank_by.ts";
import { annotate } from "../../../lib/table/track/provenance.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { show, withProvenance } from "../../../lib/table/show/show.ts";
import { computedColumns } from "../../../lib/table/track/descriptions.ts";
import { track } from "../../../lib/table/track/track.ts";
import { trackedPolars as tracked } from "../../../lib/table/track/tracked_polars.ts";
import { withSource } from "../../../lib/table/track/with_source.ts";
import type { Unit } from "../../../lib/schema/dictionary.ts";
import { described } from "../described.ts";
import { response } from "../response.ts";

const provenance = response({ retrieved_at: new Date("2026-06-18T09:00:01Z") });

function bundle(frame: DataFrame): Record<string, unknown> {
  return (frame as unknown as Record<symbol, () => Record<string, unknown>>)[
    Symbol.for("Jupyter.display")
  ]!();
}

function numbered(height: number): DataFrame {
  const rows = Array.from({ length: height }, (_, row) => row);
  return pl.DataFrame({ n: pl.Series("n", rows, pl.Float64) });
}

Deno.test("show returns text/html and text/plain and nothing else", () => {
  deepStrictEqual(Object.keys(bundle(show(numbered(1)))), ["text/html", "text/plain"]);
});

Deno.test("show prints shape, units, readable numbers, nulls, the source and the errors", () => {
  const frame = pl.DataFrame({
    chain_id: pl.Series("chain_id", ["alder", null] as string[], pl.Utf8),
    fees: pl.Series("fees", [1234567.891, 0], pl.Float64),
    angle: pl.Series("angle", [0.123456, null] as number[], pl.Float64),
  });
  annotate(frame, { provenance, errors: pl.DataFrame({ code: ["NOT_FOUND", "NOT_FOUND"] }) });
  strictEqual(
    Deno.inspect(show(frame)),
    [
      "chain_id       fees   angle",
      "                US$",
      "alder     1,234,568  0.1235",
      "null              0    null",
      "2 rows × 3 columns",
      "blockchain_comparison · SAMPLE DATA · 2026-06-18T09:00:01Z · 2 entity errors: see errorsOf(frame)",
    ].join("\n"),
  );
});

Deno.test("show prints the last day of the data if the service stated it", () => {
  const stated = { ...provenance, data_through: new Date("2026-06-17") };
  const frame = annotate(pl.DataFrame({ a: [1] }), { provenance: stated, errors: pl.DataFrame() });
  strictEqual(
    Deno.inspect(show(frame)).split("\n").at(-1),
    "1 row × 1 column · blockchain_comparison · SAMPLE DATA · data through 17 Jun 2026",
  );
});

Deno.test("show prints more rows than a call can have arguments", () => {
  const lines = Deno.inspect(show(numbered(130_000), { limit: 130_000 })).split("\n");
  deepStrictEqual(lines.at(-2), "129,999");
});

Deno.test("show prints all rows up to 25, of a longer frame the first and the last five", () => {
  const lines = (height: number) =>
    Deno.inspect(show(numbered(height))).split("\n").map((line) => line.trim());
  deepStrictEqual(lines(25).slice(1, -1), Array.from({ length: 25 }, (_, row) => String(row)));
  deepStrictEqual(lines(12_000), [
    "n",
    ...["0", "1", "2", "3", "4", "…"],
    ...Array.from({ length: 5 }, (_, row) => `11,99${row + 5}`),
    "12,000 rows × 1 column",
  ]);
});

Deno.test("show prints the requested rows and columns", () => {
  const frame = pl.DataFrame({ id: ["a", "b", "c", "d"], x: [1, 2, 3, 4], y: [5, 6, 7, 8] });
  deepStrictEqual(Deno.inspect(show(frame, { limit: 3, columns: ["y", "id"] })).split("\n"), [
    "y  id",
    "5  a",
    "6  b",
    "…  …",
    "8  d",
    "4 rows × 3 columns · … 1 more column",
  ]);
  strictEqual(Deno.inspect(show(frame)).includes("more column"), false);
});

Deno.test("show refuses unknown options and columns", () => {
  const frame = pl.DataFrame({ id: ["a"], x: [1] });
  for (
    const [options, message] of [
      [{ rows: 3 }, "show: rows: did you mean limit? known: limit, columns, summary, locale"],
      [{ limit: 0 }, "show: limit: must be a whole number of at least 1; got 0"],
      [{ columns: 2 }, "show: columns: must be a list; got 2"],
      [
        { columns: ["xs"] },
        'show: columns: each element must be one of id, x (nearest: x); got [ "xs" ]',
      ],
    ] as const
  ) throws(() => show(frame, options as never), { name: "RangeError", message });
});

Deno.test("show gives the numbers of a column one precision", () => {
  const cells = (values: (number | null)[], unit: Unit | "number" = "number") =>
    Deno.inspect(
      described(pl.DataFrame([pl.Series("n", values as number[], pl.Float64)]), [unit, "n"]),
    )
      .split("\n").slice(1, -1).map((line) => line.trim());
  deepStrictEqual(cells([1, 2.5, null, -1200]), ["1.0", "2.5", "null", "-1,200.0"]);
  deepStrictEqual(cells([41, 1_000_000]), ["41", "1,000,000"]);
  match(
    Deno.inspect(show(pl.DataFrame({ launch_year: [2019, null] }))),
    /^launch_year\n +2019\n +null\n/,
  );
  deepStrictEqual(cells([0.5, 1e-9]), ["0.5000", "1.000e-9"]);
  deepStrictEqual(cells([443_127, 1.5, 0, -1.383e-4]), ["443,127", "1.500", "0.000", "-0.0001383"]);
  deepStrictEqual(cells([NaN, Infinity, 0.25]), ["NaN", "Infinity", "0.25"]);
  // NaN is not replaced by a name.
  match(Deno.inspect(show(pl.DataFrame({ n: [NaN] }))), /\n1 row × 1 column$/);
  deepStrictEqual(cells([0.123456, null, 1.5], "fraction"), ["12.3%", "null", "150.0%"]);
  deepStrictEqual(cells([0.5, 0.0004], "fraction"), ["50.00%", "0.04%"]);
  deepStrictEqual(cells([0.01, 0.5], "change"), ["1.0%", "50.0%"]);
  // The name of a column does not decide.
  match(Deno.inspect(show(pl.DataFrame({ share: [5.5], lower: [10] }))), /\n +5\.5 +10\n/);
});

Deno.test("show leaves out times if all are midnight", () => {
  const cells = (dates: Date[]) =>
    Deno.inspect(show(pl.DataFrame([pl.Series("t", dates, pl.Datetime("ms"))])))
      .split("\n").slice(1, -1);
  // A Datetime beyond the range of Date cannot be made of Dates.
  const far = pl.Series("t", [9e15, 0], pl.Float64).cast(pl.Int64).cast(pl.Datetime("ms"));
  match(Deno.inspect(show(pl.DataFrame([far]))), /^t\nout of range\n1970-01-01\n/);
  deepStrictEqual(cells([new Date("2025-03-01")]), ["2025-03-01"]);
  deepStrictEqual(cells([new Date("2025-03-01"), new Date("2025-03-01T10:00:00Z")]), [
    "2025-03-01 00:00:00",
    "2025-03-01 10:00:00",
  ]);
});

Deno.test("show never hides the measure, and cuts texts before it drops columns", () => {
  const wide = (name: string, text: string) => pl.Series(name, [text, `${text}s`], pl.Utf8);
  const long = "a text that is longer than twenty-four places";
  const frame = pl.DataFrame([
    wide("project_name", long),
    wide("project_id", long),
    wide("market_sector_id", long),
    wide("market_sector_name", long),
    pl.Series("size", [41, 42], pl.Float64),
    pl.Series("retention", [0.5, 0.25], pl.Float64),
    pl.Series("upper", [0.75, 0.5], pl.Float64),
  ]);
  const units = [["users", "size"], ["fraction", "retention", "upper"]] as const;
  deepStrictEqual(Deno.inspect(described(frame, ...units)).split("\n"), [
    "project_name              market_sector_name         size  retention  upper  …",
    "                                                    users                    …",
    "a text that is longer t…  a text that is longer t…     41      50.0%  75.0%  …",
    "a text that is longer t…  a text that is longer t…     42      25.0%  50.0%  …",
    "2 rows × 7 columns · … 2 more columns: project_id, market_sector_id",
  ]);
});

Deno.test("a table that is too wide has the keys, then the first results, then the others, and one …", () => {
  const column = (name: string, value = 1) => pl.Series(name, [value, value], pl.Float64);
  const frame = pl.DataFrame([
    pl.Series("chain_id", ["alder", "basalt"]),
    ...Array.from({ length: 12 }, (_, at) => column(`a_metric_that_is_long_${at}`)),
    column("users", 7),
    column("fees", 9),
  ]);
  const computed = withProvenance(
    track(annotate(frame, { provenance, errors: pl.DataFrame() })),
    frame,
    {
      fn: "own",
      first: ["fees", "users"],
      columns: computedColumns([["usd", "fees"], ["users", "users"]]),
    },
  );
  deepStrictEqual(Deno.inspect(computed).split("\n").slice(0, 3), [
    "chain_id  fees  users  a_metric_that_is_long_0  a_metric_that_is_long_1  a_metric_that_is_long_2  …",
    "           US$                                                                                    …",
    "alder        9      7                        1                        1                        1  …",
  ]);
  // If all columns fit, they are in the order of the frame.
  const few = computed.select("chain_id", "users", "a_metric_that_is_long_3", "fees");
  match(Deno.inspect(few), /^chain_id +users +a_metric_that_is_long_3 +fees\n/);
  // A page has room for what fits 900 px.
  const more = computed.withColumns(
    ...Array.from({ length: 12 }, (_, at) => pl.lit(at).alias(`more_${at}`)),
  );
  const html = String(bundle(more)["text/html"]);
  deepStrictEqual(html.match(/(?<=<th [^>]*>)\w+/g)!.slice(0, 4), [
    "chain_id",
    "fees",
    "users",
    "more_11",
  ]);
});

Deno.test("the line below a table has the day of own data, and names an unknown origin once", () => {
  const own = pl.DataFrame({ chain_id: ["a", "b"], fees: [1, 3] });
  const given = withSource(own, { citation: "VC database", retrievedAt: "2026-06-03" });
  const last = (frame: DataFrame) => Deno.inspect(frame).split("\n").at(-1);
  strictEqual(last(given), "2 rows × 2 columns · VC database · 3 Jun 2026");
  const unknown = tracked.DataFrame({ fees: [1, 3] });
  strictEqual(last(unknown), "2 rows × 1 column · origin unknown");
  strictEqual(last(unknown.head(1)), "1 row × 1 column · origin unknown");
  strictEqual(last(given.head(1)), "1 row × 2 columns · derived from VC database · 3 Jun 2026");
});

Deno.test("show prints no control characters", () => {
  const text = "\x1b[31mred\x07\u202e\n";
  const printed = Deno.inspect(show(pl.DataFrame([pl.Series(text, [text], pl.Utf8)])));
  // deno-lint-ignore no-control-regex -- they are what it is about
  strictEqual(/[\x00-\x09\x0b-\x1f\u202e]/.test(printed), false);
});

Deno.test("show stays within 100 columns of text, with … for left-out columns", () => {
  const columns = Array.from(
    { length: 97 },
    (_, index) => pl.Series(`a_rather_long_name_${index}`, [1, 2], pl.Float64),
  );
  const lines = Deno.inspect(show(pl.DataFrame(columns))).split("\n");
  match(lines[0]!, /^a_rather_long_name_0 .* …$/);
  strictEqual(lines.slice(0, -1).every((line) => line.length <= 100), true);
  strictEqual(
    lines.at(-1),
    "2 rows × 97 columns · … 93 more columns: a_rather_long_name_4, a_rather_long_name_5, " +
      "a_rather_long_name_6 and 90 more",
  );
});

Deno.test("show hides no column that the user named", () => {
  const names = Array.from({ length: 9 }, (_, at) => `a_column_with_a_long_name_${at}`);
  const frame = pl.DataFrame({
    id: ["x"],
    ...Object.fromEntries(names.map((name) => [name, [1]])),
  });
  const lines = Deno.inspect(show(frame, { columns: ["id", ...names] })).split("\n");
  deepStrictEqual(lines, [
    ["id", ...names].join("  "),
    `x   ${names.map((name) => "1".padStart(name.length)).join("  ")}`,
    "1 row × 10 columns",
  ]);
});

Deno.test("toString of a frame is what console.log prints", () => {
  const frame = show(pl.DataFrame({ id: ["a"], fees: [1_000] }));
  strictEqual(`${frame}`, Deno.inspect(frame));
  match(String(frame), /^id +fees\na +1,000\n1 row/);
});

Deno.test("show prints and displays 2 000 columns in about a second, also names that polars reads as patterns", () => {
  const names = ["*", "^c.*$", ...Array.from({ length: 2_000 }, (_, index) => `c${index}`)];
  const column = pl.Series("c", Array.from({ length: 40 }, (_, row) => row), pl.Float64);
  const empty = pl.Series("c", Array(40).fill(null), pl.Float64);
  const frame = show(
    pl.DataFrame(names.map((name, index) => (index % 10 === 5 ? empty : column).rename(name))),
  );
  const begin = performance.now();
  const [head, first, ...rest] = Deno.inspect(frame).split("\n");
  const html = bundle(frame)["text/html"] as string;
  // With a time that grows with the square, this takes minutes.
  ok(performance.now() - begin < 10_000);
  match(head!, /^ *\* +\^c\.\*\$ +c0 +c1 +c2 +c4 +c5 /);
  match(first!, /^ *0 +0 +0 /);
  strictEqual(rest.filter((line) => /^ *…/.test(line)).length, 1);
  match(
    rest.join(" · "),
    /40 rows × 2,002 columns · … 1,\d+ more columns: c\d+, c\d+, c\d+ and 1\d+ more/,
  );
  match(rest.at(-1)!, /all null: c3, c13, c23 and 197 more$/);
  match(html, />\^c\.\*\$</);
});

Deno.test("a page shows the columns that fit 900 px, and names how many more there are", () => {
  const columns = [pl.Series("chain_id", ["a", "b"], pl.Utf8)].concat(
    Array.from({ length: 60 }, (_, index) => pl.Series(`n_${index}`, [1, 2], pl.Float64) as never),
  );
  const html = String(bundle(show(pl.DataFrame(columns)))["text/html"]);
  const heads = html.split("<th ").length - 1;
  ok(heads > 15 && heads < 30, String(heads));
  match(html, /<th [^>]*>…<\/th>/);
  match(html, /… \d\d more columns: n_\d+, n_\d+, n_\d+ and \d+ more/);
});

Deno.test("a table in a notebook is no formula between two US$", () => {
  const frame = described(pl.DataFrame({ fees: [1, 2], tvl: [3, 4] }), ["usd", "fees", "tvl"]);
  match(String(bundle(frame)["text/html"]), /^<div class="tex2jax_ignore mathjax_ignore">/);
});

Deno.test("show escapes every text in HTML", () => {
  const name = `<img src=x onerror="alert('1')">&`;
  const frame = pl.DataFrame([pl.Series(name, [name], pl.Utf8)]);
  const html = String(bundle(show(frame))["text/html"]);
  strictEqual(html.includes("<img"), false);
  strictEqual(
    html.split("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;").length,
    3,
  );
});

Deno.test("show shows a frame without rows and columns", () => {
  strictEqual(Deno.inspect(show(pl.DataFrame())), "0 rows × 0 columns");
  match(String(bundle(show(numbered(0)))["text/html"]), /<tbody><\/tbody>.*0 rows × 1 column/);
});

Deno.test("show leaves out columns without a value and names them, unless they are asked for", () => {
  const none = (name: string) => pl.Series(name, [null, null] as never, pl.Utf8);
  const frame = pl.DataFrame([
    pl.Series("data_id", ["a", "b"]),
    ...["chain_id", "product_id", "x", "y"].map(none),
    pl.Series("fees", [1, null] as number[], pl.Float64),
  ]);
  const lines = Deno.inspect(show(frame)).split("\n");
  match(lines[0]!, /^data_id +fees$/);
  strictEqual(lines.at(-1), "2 rows × 6 columns · all null: chain_id, product_id, x and 1 more");
  const asked = Deno.inspect(show(frame, { columns: ["x", "data_id"] })).split("\n");
  match(asked[0]!, /^x +data_id$/);
  const empty = Deno.inspect(show(pl.DataFrame([none("x"), none("y")])));
  match(empty, /^x +y\n/);
});

Deno.test("show of a wide table leaves out ids beside their names, and data_id beside the ids of its kind", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`a_metric_that_is_long_${at}`, [1, 2]]),
  );
  const first = (frame: DataFrame) => Deno.inspect(frame).split("\n")[0]!.split(/ +/)[0];
  strictEqual(
    first(described(
      pl.DataFrame({ chain_id: ["alder", "basalt"], chain_name: ["Alder", "Basalt"], ...wide }),
    )),
    "chain_name",
  );
  strictEqual(
    first(described(pl.DataFrame({ chain_id: ["alder", "basalt"], ...wide }))),
    "chain_id",
  );
  const narrow = described(pl.DataFrame({ chain_id: ["alder"], chain_name: ["Alder"], fees: [1] }));
  match(Deno.inspect(narrow), /^chain_id +chain_name +fees/);
  const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" };
  const made = pl.DataFrame({ data_id: ["alder", "b"], chain_id: ["alder", "b"], ...wide });
  const asked = annotate(track(made), {
    provenance: response({ operation: "metric_breakdown", query }),
    errors: pl.DataFrame({}),
  });
  match(Deno.inspect(asked), /^chain_id +a_metric_that_is_long_0 /);
});

Deno.test("show keeps the newest column of a derived frame, and the first ones of a response", () => {
  const wide = pl.DataFrame([
    pl.Series("data_id", ["a", "b"]),
    ...Array.from(
      { length: 30 },
      (_, n) => pl.Series(`some_metric_${n}_sum`, [n, n + 1], pl.Float64),
    ),
  ]);
  const known = show(annotate(wide, { provenance, errors: pl.DataFrame() }));
  const shown = (frame: DataFrame) => Deno.inspect(frame).split("\n")[0]!;
  match(shown(known), /^data_id +some_metric_0_sum .*…$/);
  const derived = known.withColumns(pl.col("some_metric_0_sum").alias("some_metric_0_sum_growth"));
  match(shown(derived), /^data_id +some_metric_0_sum_growth +some_metric_0_sum .*…$/);
});

Deno.test("the result of a frame without provenance says that it is unknown", () => {
  const own = pl.DataFrame({ chain_id: ["a", "b"], fees: [1, 3] });
  const ranked = Deno.inspect(rankBy(own, { field: "fees" }));
  match(ranked, /\n2 rows × \d columns · origin unknown$/);
  ok(!Deno.inspect(show(own)).includes("unknown"));
});

Deno.test("a page shows at most 60 letters of a text", () => {
  for (const [length, shown] of [[60, "x".repeat(60)], [61, `${"x".repeat(59)}…`]] as const) {
    const html = String(bundle(show(pl.DataFrame({ note: ["x".repeat(length)] })))["text/html"]);
    strictEqual(/>(x+…?)</.exec(html)?.[1], shown);
  }
});

Deno.test("a column of very different sizes has whole numbers from five digits on, and four digits below", () => {
  const n = pl.Series("n", [12345.6, 9999.4, 0.000012346], pl.Float64);
  const [, ...lines] = Deno.inspect(show(pl.DataFrame({ n }))).split("\n");
  deepStrictEqual(lines.slice(0, 3).map((line) => line.trim()), ["12,346", "9,999", "0.00001235"]);
});

/** The result of an analysis: shares of two protocols over three months, with what the call stated. */
function computedShares(height = 3) {
  const at = Array.from({ length: height }, (_, row) => row);
  const frame = pl.DataFrame({
    protocol: at.map((row) => `p${row}`),
    share: at.map((row) => row / height),
    lower: at.map(() => 0.25),
    fees: at.map(() => 7),
    confidence: at.map(() => 0.95),
    cluster: at.map(() => "project_id"),
  });
  return withProvenance(frame, frame, {
    fn: "shares",
    first: ["share"],
    columns: computedColumns([
      ["fraction", "share", "lower", "confidence"],
      ["usd over both", "fees"],
      ["note", "cluster"],
    ]),
  });
}

Deno.test("what an analysis states for all rows is said once, below the table, from three rows on", () => {
  const printed = (frame: DataFrame) => Deno.inspect(frame).split("\n");
  const [head, , ...rest] = printed(computedShares());
  // Neither a result that is the same in all rows, nor a sum.
  match(head!, /^protocol +share +lower +fees$/);
  match(
    rest.join("\n"),
    /3 rows × 6 columns · in all rows: confidence 95\.0%, cluster project_id\b/,
  );
  match(printed(computedShares(2))[0]!, /confidence +cluster$/);
  // All rows count, not only those that are shown.
  const long = computedShares(100);
  const middle = pl.when(pl.col("protocol").eq(pl.lit("p50"))).then(pl.lit("none"))
    .otherwise(pl.col("cluster")).alias("cluster");
  const [name] = printed(long.withColumns(middle) as DataFrame);
  match(name!, /cluster$/);
  // Texts of a user's own table are keys.
  const own = pl.DataFrame({ country: ["DE", "DE", "DE"], day: [1, 2, 3] });
  match(printed(show(own))[0]!, /^country +day$/);
});

Deno.test("one row that does not fit is a list, with the signs of its units", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`a_metric_that_is_long_${at}`, [at]]),
  );
  const frame = pl.DataFrame({
    chain_id: ["alder"],
    fees: [1200],
    share: [0.5],
    users: [3],
    ...wide,
  });
  const units = [["usd", "fees"], ["fraction", "share"], ["addresses", "users"]] as const;
  const list = described(frame, ...units);
  deepStrictEqual(Deno.inspect(list).split("\n").slice(0, 5), [
    "chain_id                  alder",
    "fees                      US$1,200",
    "share                     50.0%",
    "users                     3 addresses",
    "a_metric_that_is_long_0   0",
  ]);
  match(Deno.inspect(list), /\na_metric_that_is_long_11 {2}11\n1 row × 16 columns/);
  const html = String(bundle(list)["text/html"]);
  strictEqual(html.includes("<thead>"), false);
  match(html, /<tr><th [^>]*>fees<\/th><td [^>]*>US\$1,200<\/td><\/tr>/);
  match(
    Deno.inspect(described(pl.DataFrame({ chain_id: ["alder"], fees: [3] }))),
    /^chain_id +fees/,
  );
});

Deno.test("a unit that repeats the name of its column has no line", () => {
  const frame = described(
    pl.DataFrame({ id: ["a", "b"], month: [1, 2], clusters: [7, 8] }),
    ["months", "month"],
    ["clusters", "clusters"],
  );
  deepStrictEqual(Deno.inspect(frame).split("\n").slice(0, 2), [
    "id  month  clusters",
    "a       1         7",
  ]);
});

Deno.test("a page has what each column of a long frame holds, in words and as histograms", () => {
  const at = Array.from({ length: 60_000 }, (_, row) => row);
  const frame = pl.DataFrame([
    pl.Series("protocol", at.map((row) => `p${row % 7}`)),
    pl.Series("day", at.map((row) => new Date(86_400_000 * (row % 90))), pl.Date),
    pl.Series("fees", at.map((row) => row % 4 === 0 ? null : row % 1_000), pl.Float64),
    pl.Series("rare", at.map((row) => row === 9 ? null : row === 10 ? NaN : 5), pl.Float64),
  ]);
  const html = String(bundle(show(frame))["text/html"]);
  match(html, /protocol<br><small><\/small><br><small>7 values<\/small>/);
  match(html, /<small>1970-01-01 to 1970-03-31<\/small>/);
  match(
    html,
    /<img width="60" height="16" alt="histogram of 20 equal parts, most values in part \d+, of every 6th row" src="data:image\/svg\+xml,[^"]+"><br><small>1 to 999, 25% null<\/small>/,
  );
  match(html, /<small>5, &lt;1% null<\/small>/);
  strictEqual(html.match(/<img /g)!.length, 1);
  strictEqual(html.includes("<svg"), false);
  ok(html.match(/<img [^>]*>/)![0].length < 700);
  // Words in a terminal only if they are asked for, and no line for a short frame.
  const words = "7 values  1970-01-01 to 1970-03-31  1 to 999, 25% null  5, <1% null";
  strictEqual(Deno.inspect(show(frame, { summary: true })).includes(words), true);
  strictEqual(Deno.inspect(show(frame)).includes("7 values"), false);
  strictEqual(String(bundle(show(frame.head(25)))["text/html"]).includes("values"), false);
});

Deno.test("show writes months of cohorts in the unit that their sizes prove, and decimals", () => {
  const cohorts = (month_0: number[], month_1: number[]) =>
    described(
      pl.DataFrame({
        cohort: ["2025-01", "2025-02"],
        initial_cohort_size: [40, 80],
        month_0,
        month_1,
      }),
      ["retention", "month_0", "month_1"],
    );
  const first = (frame: DataFrame) => Deno.inspect(frame).split("\n").at(-3)!.trim().split(/ +/);
  deepStrictEqual(first(cohorts([1, 1], [0.625, 0.5])), ["2025-01", "40", "100.0%", "62.5%"]);
  deepStrictEqual(first(cohorts([40, 80], [25, 40])), ["2025-01", "40", "40", "25"]);
  deepStrictEqual(first(cohorts([0.5, 0.75], [0.25, 0.5])), ["2025-01", "40", "0.50", "0.25"]);
  const money = pl.DataFrame({ id: ["a"], eth: pl.Series("eth", [1.5], pl.Float64) })
    .withColumns(pl.col("eth").cast(pl.Decimal(10, 2)));
  strictEqual(Deno.inspect(show(money)).split("\n")[1], "a   1.50");
});

Deno.test("numbers that are times have no separators", () => {
  const frame = withSource(
    pl.DataFrame({ dapp: ["a", "b"], day: [202512, 202601], n: [1e4, 2e4] }),
    {
      entity: "dapp",
      date: "day",
    },
  );
  match(Deno.inspect(frame), /202601 +20,000/);
  match(Deno.inspect(tracked.DataFrame({ date: [20260101], n: [1e4] })), /20260101 +10,000/);
});

Deno.test("the footer says who the rows are and when, if the user stated it", () => {
  const at = Array.from({ length: 60 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
  const rows = ["a", "b"].flatMap((dapp) => at.map((day) => ({ dapp, day, fees: 1 })));
  const plain = { citation: "Own node", through: "2026-02-27" };
  const last = (frame: DataFrame) => Deno.inspect(frame).split("\n").at(-1);
  const stated = withSource(tracked.DataFrame(rows), { ...plain, entity: "dapp", date: "day" });
  strictEqual(
    last(stated),
    "2 dapps by day, 2026-01-01 to 2026-02-27; 2026-02-28 is not over · Own node · " +
      "data through 27 Feb 2026",
  );
  const months = resample(stated, { every: "month", how: "sum" });
  match(last(months)!, /^2 dapps by month, Jan 2026; Feb 2026 is not over · derived from Own node/);
  // Quarters of other months than those of the calendar are named by their months.
  const quarters = ["2023-11-01", "2024-02-01", "2024-05-01", "2024-08-01"].map((date) => (
    { dapp: "a", day: new Date(date), fees: 1 }
  ));
  const through = { ...plain, through: "2024-08-20", entity: "dapp", date: "day" };
  match(
    last(withSource(tracked.DataFrame(quarters), through))!,
    /^1 dapp by quarter, Nov 2023 to Jul 2024; Aug 2024 to Oct 2024 is not over · /,
  );
  match(last(withSource(tracked.DataFrame(rows), plain))!, /^120 rows × 3 columns · Own node · /);
});

Deno.test("the footer of findings of check says nothing about their rows", () => {
  const months = [0, 1, 4].map((month) => new Date(Date.UTC(2026, month)));
  const rows = months.map((day, at) => ({ dapp: "a", day, fees: at }));
  const stated = withSource(tracked.DataFrame(rows), { entity: "dapp", date: "day" });
  match(Deno.inspect(check(stated)).split("\n").at(-1)!, /^\d rows × 7 columns · origin unknown$/);
});
