import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import * as fc from "fast-check";
import { axisFor, placeOn } from "../../../lib/chart/drawing/axes.ts";
import { crossings, meanOfDays, thinned } from "../../../lib/chart/drawing/density.ts";
import type { DrawnLine } from "../../../lib/chart/drawing/line_plan.ts";
import type { Plane } from "../../../lib/chart/drawing/plane.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { plotRetention } from "../../../lib/chart/retention.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { plotCohortTrend } from "../../../lib/chart/cohort_trend.ts";
import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import type { PlotChart } from "../../../lib/chart/chart.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, cohortFrame } from "../../analysis/cohort_frame.ts";
import { drawnSvg, marksOf, placeOf, textsOf } from "../drawn_svg.ts";
import { ownFees, type Values } from "../own_months.ts";

function lineOf(values: Values): DrawnLine {
  const points = values.map((y, x) => ({ x, y, complete: true }));
  return { id: "a", label: "a", color: "#000000", highlighted: true, points };
}

const domainOf = async (chart: PlotChart) => {
  const { panels: [panel] } = await chart.spec;
  return [...panel!.y!.domain!].map(Number);
};

Deno.test("an axis ends at its data and 4% of its length, or at a tick before that", () => {
  const ends = (values: readonly number[], plan = {}) =>
    axisFor(values, plan).domain.map((end) => Number(end.toPrecision(3)));
  deepEqual(ends([4e6, 10.2e6], { zero: true }), [0, 10.6e6]);
  deepEqual(ends([2, 9.9], { zero: true }), [0, 10]);
  deepEqual(ends([299e3, 79e6]), [239e3, 98.7e6]);
  deepEqual(ends([70, 103]), [70, 104]);
  const value = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(fc.array(value, { minLength: 2 }), fc.boolean(), (values, log) => {
      const axis = axisFor(values, { scale: log ? "log" : "linear" });
      const places = values.map((each) => placeOn(axis, each));
      const [low, high] = [Math.min(...places), Math.max(...places)];
      ok(low >= -1e-9 && high <= 1 + 1e-9, `${axis.domain}`);
      if (Math.max(...values) > 1.001 * Math.min(...values)) {
        ok(1 - high <= 0.08, `${axis.domain} ${high}`);
      }
    }),
    { seed: 4 },
  );
});

Deno.test("the plot area begins 14 px below the header, and 28 px if vertical lines have names", async () => {
  const frame = ownFees({ a: [3, 4, 5], b: [1, 2, 3] });
  const gapOf = async (chart: PlotChart) => {
    const svg = await chart.svg();
    // The page moves its blocks; the subtitle is the second.
    const [, subtitle, panel] = [...svg.matchAll(/<g transform="translate\(20,([\d.]+)\)">/g)]
      .map(([, top]) => Number(top));
    const { panels: [first] } = await chart.spec;
    return panel! + first!.marginTop! - subtitle! - 18;
  };
  equal(await gapOf(plotTimeline(frame)), 14);
  const events = [{ date: "2025-02-01", label: "fork" }];
  equal(await gapOf(plotTimeline(frame, { events })), 28);
});

Deno.test("lines cross each other as often as their order changes", () => {
  equal(crossings([lineOf([1, 2, 3]), lineOf([2, 1, 4])]), 2);
  equal(crossings([lineOf([1, 2, 3]), lineOf([1, 2, 3])]), 0);
  equal(crossings([lineOf([1, null, 3]), lineOf([2, 2, 2])]), 1);
});

/** Lines that are far apart at their ends, and cross each other `times` times in all. */
function crossing(count: number, times: number): Record<string, Values> {
  const lines = Array.from(
    { length: count },
    (_, at) => Array.from({ length: 40 }, () => 100 * (1 + at)),
  );
  // The lowest line jumps above its neighbor and back: two crossings each time.
  for (let at = 0; at < times / 2; at++) lines[0]![1 + 2 * at] = 210;
  return Object.fromEntries(lines.map((values, at) => [`p${at}`, values]));
}

for (
  const [what, lines, panels] of [
    ["5 lines that do not cross", crossing(5, 0), 1],
    ["7 lines with 8 crossings", crossing(7, 8), 1],
    ["6 lines with 12 crossings", crossing(6, 12), 1],
    ["6 lines with 14 crossings", crossing(6, 14), 6],
    ["4 lines with 30 crossings", crossing(4, 30), 1],
    [
      "10 lines that end beside each other",
      Object.fromEntries(
        Array.from({ length: 10 }, (_, at) => [`p${at}`, [10 * at, 100 + at / 10]]),
      ),
      10,
    ],
  ] as const
) {
  Deno.test(`${what} are in ${panels === 1 ? "one panel" : "panels of their own"}`, async () => {
    const frame = ownFees(lines);
    equal((await plotTimeline(frame).spec).panels.length, panels);
    // Lines that are highlighted are always together.
    equal((await plotTimeline(frame, { highlight: ["p0"] }).spec).panels.length, 1);
  });
}

Deno.test("panels have no row of one, and dates only below the lowest panel of a column", async () => {
  const near = (count: number) =>
    ownFees(Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${at}`, [10 * at, 200 - at, 100 + at / 10]]),
    ));
  const ten = await plotTimeline(near(10)).spec;
  equal(ten.columns, 5);
  const seven = await plotTimeline(near(7), { width: 480 }).spec;
  ok(seven.panels.length % seven.columns !== 1, String(seven.columns));
  const svg = await drawnSvg(plotTimeline(near(10)));
  equal(marksOf(svg, "x-axis tick label", "text").length % 5, 0);
  const labels = [...svg.querySelectorAll('g[aria-label="x-axis tick label"]')];
  equal(labels.length, 5);
});

Deno.test("days that are close have a mean of the last seven, from the seventh on", async () => {
  const values = [1, 2, 3, 4, 5, 6, 7, 8, null, 10, 11, 12, 13, 14, 15, 16];
  deepEqual(meanOfDays(lineOf(values)).points.map(({ y }) => y), [
    ...[null, null, null, null, null, null, 4, 5],
    ...[null, null, null, null, null, null, null, 13],
  ]);
  const daily = ownFees({ a: Array.from({ length: 365 }, (_, at) => 100 + at % 9) }, { by: "day" });
  const chart = plotTimeline(daily);
  const { subtitle, rows } = await chart.spec;
  match(subtitle, /thin: days, thick: mean of 7 days/);
  equal(rows.length, 365);
  equal(rows[3]!.value, 103);
  const widths = marksOf(await drawnSvg(chart), "line", "path").map((path) => (
    Number(
      (path as unknown as { parentNode: { getAttribute(name: string): string | null } }).parentNode
        .getAttribute("stroke-width"),
    )
  ));
  deepEqual(widths, [0.75, 2]);
  // Fewer days are apart.
  const few = ownFees({ a: Array.from({ length: 60 }, (_, at) => 100 + at) }, { by: "day" });
  ok(!(await plotTimeline(few).spec).subtitle.includes("thin"));
});

Deno.test("of many points, each column of pixels keeps its lowest and its highest", () => {
  const values = Array.from(
    { length: 1000 },
    (_, at) => at % 100 === 57 ? -1 : at % 100 === 13 ? 99 : 5,
  );
  const plane = { xOf: (x: number) => x / 100, across: 10 } as Plane;
  const kept = thinned(lineOf(values), plane).points;
  equal(kept.length, 20);
  deepEqual(kept.slice(0, 2).map(({ x, y }) => [x, y]), [[13, 99], [57, -1]]);
  equal(thinned(lineOf(values.slice(0, 20)), plane).points.length, 20);
});

Deno.test("a chart of 150,000 points is thinned, and its caption says so", async () => {
  const count = 150_000;
  const frame = pl.DataFrame([
    pl.Series("day", Array.from({ length: count }, (_, at) => at), pl.Float64),
    pl.Series("fees_usd", Array.from({ length: count }, (_, at) => at % 1000), pl.Float64),
  ]);
  const chart = plotTimeline(frame, { x: "day", field: "fees_usd" });
  ok((await chart.svg()).length < 200_000);
  match((await chart.spec).caption.join(" "), /the lowest and the highest are drawn/);
});

Deno.test("a gap is named in the plot where it has room, and counted below where it has none", async () => {
  const frame = ownFees({
    a: [5, 6, 7, null, null, null, 8, 9, 10, 11, 12, 13],
    b: [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2],
  });
  deepEqual(textsOf(await drawnSvg(plotTimeline(frame)), "gap"), ["no data Apr to Jun"]);
  const narrow = plotTimeline(frame, { width: 320 });
  deepEqual(textsOf(await drawnSvg(narrow), "gap"), ["no data"]);
  const two = ownFees({ a: [5, null, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] });
  const { caption } = await plotTimeline(two, { width: 320 }).spec;
  match(caption.join(" "), /Empty: no value \(1 of 12\)\./);
});

const COHORTS = Array.from({ length: 16 }, (_, at): Cohort => ({
  cohort: `2024-${String(1 + at % 12).padStart(2, "0")}`.replace(
    "2024",
    String(2024 + Math.floor(at / 12)),
  ),
  size: 1000,
  months: [1, 0.3 + 0.005 * at, 0.2],
}));
const curves = retentionCurves(cohortFrame(COHORTS), { since: null });

Deno.test("a goal is a line with its name, extends the axis, and is in the alternative text", async () => {
  const reference = { value: 0.6, label: "goal" };
  const charts: [PlotChart, PlotChart][] = [
    [plotRetention(pooledRetention(curves)), plotRetention(pooledRetention(curves), { reference })],
    [
      plotCohortTrend(cohortTrend(curves, { month: 1 })),
      plotCohortTrend(cohortTrend(curves, { month: 1 }), { reference }),
    ],
  ];
  for (const [without, chart] of charts) {
    ok((await domainOf(without))[1]! < 0.6);
    ok((await domainOf(chart))[1]! >= 0.6);
    const svg = await drawnSvg(chart);
    deepEqual(textsOf(svg, "reference value"), ["goal 60%"]);
    equal(marksOf(svg, "reference", "line").length, 1);
    match((await chart.spec).label, /with the line goal 60%/);
  }
});

Deno.test("a goal changes neither the type of an axis nor the form of bars", async () => {
  const frame = ownFees({ a: [100, 110, 120], b: [90, 95, 99] });
  const typeOf = async (chart: PlotChart) => (await chart.spec).panels[0]!.y!.type;
  equal(await typeOf(plotTimeline(frame, { reference: 1 })), "linear");
  equal(await typeOf(plotTimeline(frame, { reference: 1e6 })), "linear");
  equal(await typeOf(plotTimeline(frame, { reference: 1, scale: "log" })), "log");
  const stacked = plotTimeline(frame, { as: "stack", reference: { value: 400, label: "goal" } });
  deepEqual(textsOf(await drawnSvg(stacked), "reference value"), ["goal $400"]);
  ok((await domainOf(stacked))[1]! >= 400);
  throws(
    () => plotTimeline(frame, { reference: 0, scale: "log" }),
    /plotTimeline: reference: must be above 0 on a logarithmic axis; got 0/,
  );
  const bars = pl.DataFrame({ protocol: ["a", "b"], fees_usd: [8e6, 2e6] });
  const svg = await drawnSvg(plotComparison(bars, { field: "fees_usd", reference: 5e6 }));
  equal(marksOf(svg, "bar", "rect").length, 2);
});

Deno.test("a goal beyond all bars extends their axis, and its text stays in the panel", async () => {
  const bars = pl.DataFrame({ protocol: ["a", "b"], fees_usd: [8e6, 2e6] });
  const reference = { value: 9e7, label: "goal" };
  const chart = plotComparison(bars, { field: "fees_usd", reference });
  const { panels: [panel], width } = await chart.spec;
  deepEqual([...panel!.x!.domain!].map(Number), [0, 9e7]);
  const [text] = marksOf(await drawnSvg(chart), "reference value", "text");
  ok(placeOf(text!).x <= width);
});

Deno.test("labels of gaps do not meet, and those left out are counted", async () => {
  const gap = (level: number): Values => [level, null, null, null, ...Array(8).fill(level)];
  const chart = plotTimeline(ownFees({ a: gap(100), b: gap(100), c: gap(5) }));
  equal(textsOf(await drawnSvg(chart), "gap").length, 2);
  match((await chart.spec).caption.join(" "), /Empty: no value \(3 of 36\)\./);
});
