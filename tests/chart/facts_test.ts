import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { contributions } from "../../lib/analysis/series/contributions.ts";
import { growthRates, indexed } from "../../lib/analysis/series/timeline_columns.ts";
import { shares } from "../../lib/analysis/series/shares.ts";
import { ratio } from "../../lib/analysis/tables/ratio.ts";
import { plotContributions } from "../../lib/chart/contributions.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { cell } from "../../lib/output/cell.ts";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { columnIn } from "../../lib/table/track/descriptions.ts";
import { withSource } from "../../lib/table/track/with_source.ts";
import { curvesOf } from "../analysis/cohort_frame.ts";

/** Half a year of two pools. Sums of months have different numbers of days. */
function pools(columns: Readonly<Record<string, string>>): DataFrame {
  const rows = ["oak", "elm"].flatMap((pool, at) =>
    Array.from({ length: 6 }, (_, month) => ({
      pool,
      date: new Date(Date.UTC(2025, month)),
      ...Object.fromEntries(
        Object.keys(columns).map((name, k) => [name, 310 * (at + 1) + 31 * month * (k + 1)]),
      ),
    }))
  );
  return withSource(pl.DataFrame(rows), {
    citation: "Pools",
    retrievedAt: "2025-09-01",
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, title]) => [name, { unit: "usd", adds: "both", title }]),
    ),
  }) as unknown as DataFrame;
}

const SENTENCE = /Sums are compared per day of the period\./;

async function captionOf(frame: DataFrame, field: string): Promise<string> {
  return (await plotTimeline(frame, { field }).spec).caption.join(" ");
}

Deno.test("a caption says of the drawn column whether its sums were compared per day", async () => {
  const both = indexed(
    growthRates(pools({ gas: "Gas", fees: "Fees" }), { field: "gas" }),
    { field: "fees", per: "period" },
  );
  const renamed = both.rename({ gas_growth: "heat", fees_index: "level" });
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/pools.parquet`;
    await save(renamed, path);
    const opened = await openFrame(path) as unknown as DataFrame;
    for (
      const [frame, growth, index] of [
        [both, "gas_growth", "fees_index"],
        [renamed, "heat", "level"],
        [opened, "heat", "level"],
      ] as const
    ) {
      match(await captionOf(frame, growth), SENTENCE);
      doesNotMatch(await captionOf(frame, index), SENTENCE);
      strictEqual(columnIn(frame, growth)?.per, "day");
      deepStrictEqual(columnIn(frame, index)?.of, [{ name: "fees", title: "Fees", unit: "usd" }]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a chart names what was divided, by the title of its column at that time", () => {
  const frame = pools({ "cost of capital": "cost of capital", burnt: "Gas burnt" });
  const titles = [
    plotTimeline(shares(frame, { field: "cost of capital" }), {}),
    plotContributions(contributions(frame, { field: "cost of capital" })),
    plotTimeline(shares(frame, { field: "burnt" }).rename({ share: "part" }), { field: "part" }),
    plotContributions(contributions(frame, { field: "burnt" }), { as: "waterfall" }),
  ].map(({ title }) => title);
  match(titles[0]!, /^Share of cost of capital of 2 pools/);
  match(titles[1]!, /growth of cost of capital/);
  match(titles[2]!, /^Share of gas burnt of 2 pools/);
  match(titles[3]!, /growth of gas burnt/);
});

Deno.test("totals per day say so, in charts and in cells", () => {
  const frame = pools({ fees: "Fees" });
  const [daily, whole] = [
    shares(frame, { field: "fees" }),
    shares(frame, { field: "fees", per: "period" }),
  ];
  match(plotTimeline(daily, { field: "total" }).title, /^Total of fees, a day: 2 pools/);
  doesNotMatch(plotTimeline(whole, { field: "total" }).title, /day/);
  const row = { pool: "oak", date: new Date(Date.UTC(2025, 0)) };
  strictEqual(cell(daily, "total", { row }).text, "US$30 a day");
  strictEqual(cell(whole, "total", { row }).text, "US$930");
});

Deno.test("a computed column has the columns that it was made of", () => {
  const frame = pools({ fees: "Fees", trades: "Trades" });
  const made = ratio(frame, { numerator: "fees", denominator: "trades", name: "each" });
  deepStrictEqual(columnIn(made, "each")?.of?.map(({ name }) => name), ["fees", "trades"]);
  strictEqual(columnIn(made, "fees")?.of, undefined);
});

Deno.test("results of retention have the columns that they were made of, also in files", async () => {
  const curves = curvesOf(
    ...["ash", "oak"].flatMap((project) =>
      ["2025-01", "2025-02", "2025-03"].map((cohort, at) => (
        { project, cohort, size: 40 + at, months: [1, 0.5, 0.3 + at / 10] }
      ))
    ),
  );
  const pooled = chainframe.pooledRetention(curves, { by: "project_id" });
  const months = Array.from({ length: 12 }, (_, month) => `month_${month}`);
  const users = ["retained", "size"];
  const results: [frame: DataFrame, of: string[]][] = [
    [curves, [...months, "initial_cohort_size"]],
    [pooled, users],
    [chainframe.retentionSummary(pooled), ["retention", "size", "cumulative"]],
    [chainframe.forecastRetention(curves), users],
    [chainframe.compareRetention(curves, { by: "project_id" }), users],
    [chainframe.cohortTrend(curves), users],
    [chainframe.cohortLayers(curves), users],
    [chainframe.userFlows(curves), users],
    [chainframe.detectable(curves, { by: "project_id" }), users],
  ];
  for (const [frame, of] of results) {
    const computed = frame.columns.filter((name) => {
      const column = columnIn(frame, name);
      return column?.role === "value" && column.from !== null;
    });
    const renamed = frame.rename({ [computed[0]!]: "other" });
    strictEqual(computed.length > 0, true);
    for (const name of computed) {
      deepStrictEqual(columnIn(frame, name)?.of?.map((part) => part.name), of, name);
    }
    deepStrictEqual(columnIn(renamed, "other")?.of, columnIn(frame, computed[0]!)?.of);
  }
  doesNotMatch(plotTimeline(chainframe.userFlows(curves), { field: "total" }).title, /retained/i);
  const folder = await Deno.makeTempDir();
  try {
    await save(pooled, `${folder}/pooled.csv`);
    const read = await openFrame(`${folder}/pooled.csv`);
    deepStrictEqual(columnIn(read, "lost")?.of, columnIn(pooled, "lost")?.of);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Calls that match a text against a pattern. */
const MATCHES =
  /\.(match|matchAll|test|exec|replace|replaceAll|split|endsWith|startsWith|includes|indexOf|search)\(/;

Deno.test("charts and files match no step against a pattern", async () => {
  let seen = 0;
  for (const folder of ["chart", "output"]) {
    const root = new URL(`../../lib/${folder}/`, import.meta.url);
    for await (const path of modules(root)) {
      for (const line of (await Deno.readTextFile(path)).split(";\n")) {
        if (!/provenance\.steps|\bsteps\.(some|map|flatMap|find|findLast|filter|at)\(/.test(line)) {
          continue;
        }
        seen++;
        ok(!MATCHES.test(line), `${path.pathname}: ${line}`);
      }
    }
  }
  ok(seen > 0);
});

async function* modules(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* modules(new URL(`${name}/`, folder));
    else if (name.endsWith(".ts")) yield new URL(name, folder);
  }
}
