import { deepEqual, doesNotMatch, equal, match, ok, throws } from "node:assert/strict";
import { pl } from "../../../lib/table/columns/polars.ts";
import type { VegaChart, VegaSpec } from "../../../lib/chart/chart.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { drawPlot, drawVega } from "../../../lib/chart/own_spec.ts";
import { figure } from "../../../lib/chart/figure.ts";
import { plotRetention } from "../../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../../lib/chart/retention_heatmap.ts";
import { plotScatter } from "../../../lib/chart/scatter.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { timelineFrame } from "../../analysis/timeline_frame.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { comparisonSample, curvesSample, pooledSample } from "../sample_frames.ts";

interface View {
  readonly width?: number;
  readonly mark?: { readonly type: string; readonly fontWeight?: string };
  readonly encoding?: Record<string, { readonly scale?: VegaSpec }>;
  readonly data?: { readonly values: readonly Record<string, unknown>[] };
  readonly concat?: readonly View[];
  readonly layer?: readonly View[];
  readonly params?: readonly { readonly select: { readonly nearest?: boolean } }[];
}

/** Returns the panels of an interactive chart. */
async function panelsOf(chart: VegaChart): Promise<readonly View[]> {
  const { vconcat } = await chart.spec as { vconcat: readonly View[] };
  return vconcat.flatMap(({ concat = [] }) => concat);
}

/** Returns the rows that a panel draws as marks of a type. */
function rowsOf(view: View, type: string): readonly Record<string, unknown>[] {
  const { data, layer = [] } = view;
  return layer.some(({ mark }) => mark?.type === type)
    ? data?.values ?? []
    : layer.flatMap((each) => rowsOf(each, type));
}

/** Returns the tooltips of an interactive chart, in the order of its marks. */
async function tooltipsOf(chart: VegaChart): Promise<Record<string, string>[]> {
  return (await panelsOf(chart)).flatMap(({ layer = [] }) => layer)
    .flatMap(({ data }) => data?.values ?? [])
    .flatMap(({ tooltip }) => tooltip === undefined ? [] : [tooltip as Record<string, string>]);
}

const months = timelineFrame("month", [
  ["2025-02-01", "alder", 1500],
  ["2025-02-01", "birch", 2500],
  ["2025-03-01", "alder", 1000],
  ["2025-04-01", "alder", 2000],
  ["2025-03-01", "birch", 3000],
  ["2025-04-01", "birch", 40],
], ["2025-04-01"]);

/** A frame with columns that no service names. */
const own = pl.DataFrame({
  protocol: ["a", "a", "b", "b"],
  date: ["2024-01-01", "2024-02-01", "2024-01-01", "2024-02-01"].map((day) => new Date(day)),
  amount: [1.5, 2.25, null, 9],
  remark: ["first", "second", "third", "<b>fourth</b>"],
});

Deno.test("a tooltip has the name, the period with its value, and the interval", async () => {
  const lines = await tooltipsOf(plotTimeline(own).interactive());
  deepEqual(lines, [
    { title: "b", "Feb 2024": "9" },
    { title: "a", "Jan 2024": "1.5" },
    { title: "a", "Feb 2024": "2.25" },
  ]);
  const bounded = pl.DataFrame({
    sector: ["dex", "dex"],
    month: [1, 2],
    retention: [0.412345678, 0.3],
    lower: [0.4, 0.25],
    upper: [0.42, 0.35],
    confidence: [0.95, 0.95],
  });
  const [curve] = await tooltipsOf(plotRetention(bounded).interactive());
  deepEqual(curve, { title: "dex", "month 1": "41.2%", "95% interval": "40% to 42%" });
  const bars = await tooltipsOf(
    plotComparison(own.filter(pl.col("amount").gt(2)).head(1), { field: "amount" }).interactive(),
  );
  deepEqual(bars, [{ title: "a", Amount: "2.25" }]);
});

Deno.test("a tooltip has few lines, however many columns the frame has", async () => {
  const more = Array.from({ length: 20 }, (_, at) => pl.lit(1 / 3 + at).alias(`extra_${at}`));
  const [line] = await tooltipsOf(
    plotTimeline(own.withColumns(...more), { field: "amount" }).interactive(),
  );
  equal(Object.keys(line!).length, 2);
  // Vega's tooltips draw members of these names in ways of their own.
  const image = own.select("protocol", "date", pl.col("amount").alias("image"));
  const [bar] = await tooltipsOf(plotComparison(image.head(1), { field: "image" }).interactive());
  deepEqual(Object.keys(bar!), ["title", "Image"]);
});

Deno.test("lines snap: one layer of hidden points selects the nearest", async () => {
  const [panel] = await panelsOf(plotTimeline(own).interactive());
  const nearest = panel!.layer!.filter(({ layer = [] }) =>
    layer.some(({ params = [] }) => params.some(({ select }) => select.nearest === true))
  );
  equal(nearest.length, 1);
  deepEqual(nearest[0]!.data!.values.map(({ group }) => group), ["b", "a", "a"]);
  // The lines below carry no tooltip of their own.
  const lines = panel!.layer!.filter(({ layer = [] }) => layer[0]?.mark?.type === "line");
  ok(lines.every(({ data }) => data!.values.every(({ tooltip }) => tooltip === undefined)));
});

Deno.test("interactive leaves out a period that is not over", async () => {
  const [panel] = await panelsOf(plotTimeline(months).interactive());
  deepEqual(rowsOf(panel!, "line").map(({ y }) => y), [2500, 3000, 1500, 1000]);
});

Deno.test("interactive marks periods that lack days, and joins no line to them", async () => {
  const lacking = timelineFrame("month", [
    ...[["2025-02-01", 1500], ["2025-03-01", 40], ["2025-04-01", 2000]].flatMap(([day, value]) => [
      [String(day), "alder", Number(value)] as const,
      [String(day), "birch", Number(value) + 1000] as const,
    ]),
  ], ["2025-03-01"]);
  const [panel] = await panelsOf(plotTimeline(lacking).interactive());
  deepEqual(rowsOf(panel!, "line").map(({ y }) => y), [2500, null, 3000, 1500, null, 2000]);
  const dots = rowsOf(panel!, "point").filter(({ stroke }) => stroke !== undefined);
  const hollow = dots.filter(({ says }) => /not complete/.test(String(says)));
  deepEqual(hollow.map(({ y }) => y), [1040, 40]);
  equal(hollow[1]!.says, "alder, Mar 2025: $40 (period not complete)");
});

Deno.test("interactive draws no line across a missing value", async () => {
  const frame = timelineFrame(
    "month",
    [
      ...[1, 2, 4, 5].map((month) => [`2025-0${month}-01`, "alder", month] as const),
      ...[1, 2, 3, 4, 5].map((month) => [`2025-0${month}-01`, "birch", 9] as const),
    ],
  );
  const svg = await drawnSvg(drawVega(await plotTimeline(frame).interactive().spec));
  const lines = [...svg.querySelectorAll(".mark-line path")].map((line) => line.getAttribute("d")!);
  deepEqual(lines.map((d) => d.replace(/[^ML]/g, "")), ["MLLLL", "MLML"]);
});

Deno.test("interactive has the domains, colors and texts of the chart", async () => {
  const chart = plotTimeline(months, { colors: { alder: "#123456" } });
  const { panels: [plot], title, subtitle, caption } = await chart.spec;
  const spec = await chart.interactive().spec;
  const [panel] = await panelsOf(chart.interactive());
  deepEqual(panel!.encoding!.y!.scale!.domain, (plot!.y as VegaSpec).domain);
  deepEqual(
    panel!.encoding!.x!.scale!.domain,
    ((plot!.x as VegaSpec).domain as Date[]).map(Number),
  );
  equal(rowsOf(panel!, "line").find(({ group }) => group === "alder")!.stroke, "#123456");
  const texts = spec.title as { text: string[]; subtitle: string[] };
  deepEqual([texts.text.join(" "), texts.subtitle.join(" ")], [title, subtitle]);
  const drawn = (await drawnSvg(drawVega(spec))).textContent.replace(/\s+/g, "");
  for (const line of caption) ok(drawn.includes(line.replace(/\s+/g, "")), line);
});

Deno.test("interactive names the ends of lines where they do not overlap", async () => {
  const names = ["alder", "birch", "cedar", "dogwood", "elm"];
  const frame = timelineFrame(
    "month",
    names.flatMap((name, at) => [
      ["2025-03-01", name, 100 - at],
      ["2025-04-01", name, 50 + at / 10],
    ]),
  );
  const chart = plotTimeline(frame, { highlight: names }).interactive();
  const svg = await drawnSvg(drawVega(await chart.spec));
  const places = [...svg.querySelectorAll('text[role="button"]')].map((text) => (
    Number(/,([-\d.]+)\)/.exec(text.getAttribute("transform")!)![1])
  )).toSorted((a, b) => a - b);
  equal(places.length, 5);
  places.slice(1).forEach((y, at) => ok(y - places[at]! >= 12, `${places}`));
});

Deno.test("interactive draws a panel of a fixed width for each of three fields, in saved files, too", async () => {
  const field = ["ecosystem_fees_30d_sum", "active_users_daily_latest", "ecosystem_tvl_30d_change"];
  const chart = plotComparison(comparisonSample(), { field }).interactive();
  const panels = await panelsOf(chart);
  const titles = panels.map(({ layer = [] }) =>
    layer.filter((each) => each.layer?.[0]?.mark?.fontWeight === "bold")
  );
  deepEqual(titles.map((lines) => lines.map(({ data }) => data!.values[0]!.text).join(" ")), [
    ...["Ecosystem fees over 30 days", "Daily active users, latest"],
    "Ecosystem TVL, change over 30 days",
  ]);
  ok(panels.every(({ width }) => width! > 80));
  for (const text of ["$41.2M", "+39.1%", "no value"]) {
    ok((await drawnSvg(drawVega(await chart.spec))).textContent.includes(text), text);
  }
  const html = await chart.html();
  match(html, /"Ecosystem TVL, change over"|"Ecosystem TVL, change over 30 days"/);
});

Deno.test("interactive draws error bars at the month of their value", async () => {
  const chart = plotRetention(pooledSample(), { startMonth: 1 }).interactive();
  const [panel] = await panelsOf(chart);
  const domain = panel!.encoding!.x!.scale!.domain as number[];
  deepEqual(domain, [1, 11]);
  const tooltips = await tooltipsOf(chart);
  deepEqual([...new Set(tooltips.flatMap((tip) => Object.keys(tip)[1]!))].length, 11);
  const places = rowsOf(panel!, "line").flatMap(({ x }) => x === null ? [] : Number(x));
  ok(places.length > 0 && places.every((x) => x >= 1 && x <= 11));
});

Deno.test("interactive cells have the values, colors and the outlines of the chart", async () => {
  const chart = plotRetentionHeatmap(curvesSample());
  const [, cells] = await panelsOf(chart.interactive());
  const known = (await chart.spec).rows.filter(({ retention }) => retention !== null);
  const tooltips = await tooltipsOf(chart.interactive());
  equal(tooltips.length, known.length);
  deepEqual(
    tooltips.map((tip) => Object.keys(tip)[1]),
    known.map(({ month }) => `month ${month}`),
  );
  equal(tooltips[0]!["month 0"], "100%");
  const colors = rowsOf(cells!, "rect").flatMap(({ fill, says }) => says ? [String(fill)] : []);
  ok(colors.length === known.length && colors.every((color) => /^#[0-9a-f]{6}$/.test(color)));
});

Deno.test("interactive dots have the places and names of the chart", async () => {
  const [x, y] = ["ecosystem_fees_30d_sum", "active_users_daily_latest"] as const;
  const chart = plotScatter(comparisonSample(), { x, y, label: "chain_name" });
  const [panel] = await panelsOf(chart.interactive());
  const { rows } = await chart.spec;
  const dots = rowsOf(panel!, "point");
  deepEqual(
    dots.map(({ tooltip }) => (tooltip as { title: string }).title),
    rows.map(({ label }) => label),
  );
  const places = [...(await drawnSvg(chart)).querySelectorAll("circle")]
    .map((dot) => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]);
  deepEqual(
    dots.map(({ x, y }) => [Number(Number(x).toFixed(2)), Number(Number(y).toFixed(2))]),
    places,
  );
});

Deno.test("the PNG, SVG and PDF of an interactive chart are those of the chart", async () => {
  const chart = plotComparison(comparisonSample());
  const interactive = chart.interactive();
  deepEqual(await interactive.png(), await chart.png());
  equal(await interactive.svg(), await chart.svg());
  equal(await interactive.svg({ width: 360 }), await chart.svg({ width: 360 }));
  deepEqual(await interactive.pdf(), await chart.pdf());
});

Deno.test("data cannot break out of the page of an interactive chart", async () => {
  const named = own.withColumn(pl.lit("<b>bold</b>").alias("protocol")).head(2);
  const html = await plotTimeline(named, { label: "protocol" }).interactive().html();
  doesNotMatch(html, /<script[^>]+src=|<link|@import|<b>bold/);
  match(html, /addTable\(document, title, specs\[0\]\)/);
});

Deno.test("interactive of a chart without values states why it is empty", async () => {
  const frame = months.withColumn(pl.lit(null).cast(pl.Float64).alias("fees_sum"));
  const chart = plotTimeline(frame, { field: "fees_sum" }).interactive();
  match((await drawnSvg(drawVega(await chart.spec))).textContent, /No data: every value is null/);
});

Deno.test("interactive throws for charts of other forms, and names the forms that work", () => {
  const chart = plotComparison(comparisonSample());
  for (
    const other of [
      plotTimeline(months, { as: "stack" }),
      plotTimeline(months, { as: "rank" }),
      figure([chart, chart]),
      drawPlot({ title: "Own", panels: [{ marks: [] }] }),
    ]
  ) {
    throws(() => other.interactive(), {
      name: "RangeError",
      message: /^interactive: expected a chart of lines, bars, cells or dots; got /,
    });
  }
});
