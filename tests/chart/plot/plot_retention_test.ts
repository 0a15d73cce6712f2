import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import assert from "node:assert/strict";
import { plotRetention } from "../../../lib/chart/retention.ts";
import { textWidth } from "../../../lib/chart/text/layout.ts";
import { theme } from "../../../lib/chart/theme.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { cohortFrame } from "../../analysis/cohort_frame.ts";
import { OTHER_COLOR, SLATE } from "../../../lib/chart/colors.ts";
import { drawnSvg, marksOf, placeOf, textsOf } from "../drawn_svg.ts";
import { curvesSample, forecastSample, frameOf, pooledSample } from "../sample_frames.ts";

Deno.test("plotRetention draws a line, a band and a name for each group", async () => {
  const svg = await drawnSvg(plotRetention(pooledSample(), { bands: true }));
  assert.equal(marksOf(svg, "line", "path").length, 3);
  assert.equal(marksOf(svg, "confidence band", "path").length, 3);
  assert.equal(marksOf(svg, "value", "circle").length, 33);
  assert.deepEqual(textsOf(svg, "line label"), ["Copperleaf Swap", "Harbor Lend", "Quill Games"]);
  assert.deepEqual(
    textsOf(svg, "x-axis tick label"),
    ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
  );
});

Deno.test("plotRetention has a gap at a null month", async () => {
  const frame = frameOf({
    month: [0, 1, 2, 3, 4],
    size: [100, 100, 100, 100, 100],
    retention: [1, 0.5, null, 0.3, 0.2],
  });
  const chart = plotRetention(frame, { startMonth: 0 });
  const svg = await drawnSvg(chart);
  const [line] = marksOf(svg, "line", "path");
  assert.equal(line!.getAttribute("d")!.match(/M/g)!.length, 2);
  assert.equal(marksOf(svg, "value", "circle").length, 4);
  assert.deepEqual(textsOf(svg, "gap"), ["no data"]);
  // In a narrow gap, the caption counts what is missing.
  const long = frameOf({
    month: Array.from({ length: 40 }, (_, at) => at),
    retention: Array.from({ length: 40 }, (_, at) => at === 9 ? null : 1 / (1 + at)),
  });
  const narrow = await drawnSvg(plotRetention(long, { startMonth: 0 }));
  assert.match(narrow.textContent, /Empty: not yet observed \(1 of 40\)\./);
  assert.match(svg.textContent, /Source not recorded\./);
});

Deno.test("plotRetention draws observed months solid and the forecast dashed", async () => {
  const svg = await drawnSvg(plotRetention(forecastSample()));
  // More than twelve months have no markers.
  assert.equal(marksOf(svg, "value", "circle").length, 0);
  const [group] = [...svg.querySelectorAll('g[aria-description="forecast"]')];
  assert.equal(group!.getAttribute("stroke-dasharray"), "5 3");
  assert.equal(marksOf(svg, "forecast", "path").length, 2);
  assert.equal(textsOf(svg, "x-axis tick label").at(-1), "24");
  assert.deepEqual(textsOf(svg, "legend"), ["observed", "forecast"]);
});

Deno.test("plotRetention labels the last observed value and the value at the horizon", async () => {
  const curve = (low: number) =>
    frameOf({
      month: [1, 2, 3, 4],
      net_activity: [0.5, 0.4, low, null],
      predicted: [0.5, 0.41, 0.3, 0.25],
    });
  const svg = await drawnSvg(plotRetention(curve(0.305)));
  assert.deepEqual(textsOf(svg, "end value"), ["25.0%", "30.5%"]);
  // The line goes on to the right of the last observed point, so that its value is above the line.
  const [observed] = [...marksOf(svg, "value", "circle")].slice(-1).map(placeOf);
  const text = placeOf(marksOf(svg, "end value", "text")[1]!);
  assert.ok(text.y < observed!.y - 8 && text.x > observed!.x);
  const several = await drawnSvg(plotRetention(forecastSample()));
  assert.equal(textsOf(several, "end value").length, 2);
});

Deno.test("plotRetention aligns the first number at risk with the start of the axis", async () => {
  const frame = frameOf({
    month: [1, 2, 3],
    size: [23853, 22790, 21771],
    retention: [0.4, 0.3, 0.2],
  });
  const chart = plotRetention(frame);
  const svg = await drawnSvg(chart);
  const [panel] = (await chart.spec).panels;
  const [first] = marksOf(svg, "at risk", "text");
  assert.equal(first!.textContent, "23,853");
  const left = placeOf(first!).x - textWidth("23,853", theme.label) / 2;
  assert.ok(left >= panel!.marginLeft! && left < panel!.marginLeft! + 2, String(left));
  // Each number is below its month.
  const months = marksOf(svg, "x-axis tick label", "text").map((tick) => placeOf(tick).x);
  const numbers = marksOf(svg, "at risk", "text").map((text) => placeOf(text).x);
  assert.deepEqual(numbers.map(Math.round), months.map(Math.round));
});

Deno.test("plotRetention labels every line in its color if many lines end close together", async () => {
  const groups = Array.from({ length: 36 }, (_, group) => group);
  const frame = frameOf({
    project_id: groups.flatMap((group) => [`p${group}`, `p${group}`]),
    month: groups.flatMap(() => [1, 2]),
    size: groups.flatMap((group) => [100 + group, 100 + group]),
    // The six largest end within three hundredths of each other, at the bottom.
    retention: groups.flatMap((group) => [0.9, group < 30 ? 0.3 : 0.005 * (group - 30)]),
  });
  const chart = plotRetention(frame);
  const { legend } = await chart.spec;
  const svg = await drawnSvg(chart);
  assert.deepEqual(legend, []);
  const names = textsOf(svg, "line label");
  for (const group of groups.slice(30)) assert.ok(names.includes(`p${group}`), `p${group}`);
  // Of the gray lines, the highest and the lowest have a name.
  assert.equal(names.length, 8);
  // Only names that were moved have a leader.
  const leaders = marksOf(svg, "leader", "path").length;
  assert.ok(leaders > 0 && leaders < names.length, String(leaders));
  const heights = marksOf(svg, "line label", "text").map((text) => placeOf(text).y)
    .toSorted((a, b) => a - b);
  for (const [index, height] of heights.slice(1).entries()) {
    assert.ok(height - heights[index]! > 12);
  }
});

Deno.test("plotRetention with highlight marks the own line of each small panel", async () => {
  const frame = curvesSample(5);
  const highlight = ["Jan 2025"];
  const svg = await drawnSvg(plotRetention(frame, { highlight }));
  const bands = marksOf(svg, "confidence band", "path").map((band) => band.getAttribute("fill"));
  assert.deepEqual(bands, ["#025480", OTHER_COLOR, OTHER_COLOR, OTHER_COLOR]);
});

Deno.test("plotRetention names cohorts by month, and panels have one ink", async () => {
  const chart = plotRetention(curvesSample(8), { startMonth: 0 });
  const svg = await drawnSvg(chart);
  const { panels, subtitle } = await chart.spec;
  assert.deepEqual(panels.map(({ title }) => title), [
    ...["Jan 2025", "Feb 2025", "Mar 2025", "Apr 2025", "May 2025"],
    ...["Jun 2025", "Jul 2025", "Aug 2025"],
  ]);
  assert.match(subtitle, /values: month 0$/);
  const bands = marksOf(svg, "confidence band", "path").map((band) => band.getAttribute("fill"));
  assert.deepEqual([bands.length, bands[0], bands[7]], [8, SLATE, SLATE]);
});

/** Four groups over two months, whose intervals cover each other. */
function wideGroups(half: number) {
  const groups = ["a", "b", "c", "d"].flatMap((id, index) =>
    [1, 2].map((month) => ({ id, month, retention: 0.8 - 0.1 * index - 0.05 * month }))
  );
  return frameOf({
    project_id: groups.map(({ id }) => id),
    month: groups.map(({ month }) => month),
    size: groups.map(() => 1200),
    retention: groups.map(({ retention }) => retention),
    lower: groups.map(({ retention }) => retention - half),
    upper: groups.map(({ retention }) => retention + half),
    bounds: groups.map(() => "cluster"),
    confidence: groups.map(() => 0.95),
  });
}

Deno.test("plotRetention draws pale bands of three lines, and whiskers on lone points", async () => {
  const three = wideGroups(0.2).limit(6);
  const svg = await drawnSvg(plotRetention(three));
  const bands = marksOf(svg, "confidence band", "path");
  assert.deepEqual(bands.map((band) => band.getAttribute("fill-opacity")), ["0.1", "0.1", "0.1"]);
  assert.equal(marksOf(svg, "interval", "line").length, 0);
  assert.deepEqual(textsOf(svg, "legend"), []);
  const alone = await drawnSvg(plotRetention(wideGroups(0.2).filter(pl.col("month").eq(1))));
  const whiskers = marksOf(alone, "interval", "line");
  const dots = marksOf(alone, "value", "circle");
  assert.equal(whiskers.length, 4);
  for (const [at, whisker] of whiskers.entries()) {
    const [low, high] = ["y1", "y2"].map((end) => Number(whisker.getAttribute(end)));
    const middle = Number(dots[at]!.getAttribute("cy"));
    assert.ok(Math.abs((low! + high!) / 2 - middle) < 0.6, `${low} ${high} ${middle}`);
    assert.equal(whisker.getAttribute("x1"), dots[at]!.getAttribute("cx"));
  }
});

Deno.test("plotRetention draws further curves as dots beside one curve", async () => {
  const months = (share: number) => [1, share, share / 2, share / 3, null];
  const curves = retentionCurves(
    cohortFrame(["a", "b", "c", "d"].map((project, at) => ({
      ...{ project, sector: at < 2 ? "lending" : "games", size: 100 * (at + 1) },
      months: months(0.2 + 0.1 * at),
    }))),
    { since: null },
  );
  const options = { dots: pooledRetention(curves, { by: "project_id" }) };
  const pooled = pooledRetention(curves);
  const chart = plotRetention(pooled, options);
  const svg = await drawnSvg(chart);
  const dots = marksOf(svg, "member", "circle");
  // Months 1 and 3 of four projects.
  assert.equal(dots.length, 8);
  const { rows, caption } = await chart.spec;
  assert.deepEqual(
    rows.filter(({ group, month }) => group === "The d" && month === 1).map(({ value }) => value),
    [0.5],
  );
  const [a, b, , , aLater] = dots.map((dot) => Number(dot.getAttribute("cy")));
  assert.ok(aLater! > a! && a! > b!, `${a} ${aLater} ${b}`);
  assert.match(caption.join(" "), /Dots: single projects\./);
  assert.equal(marksOf(svg, "interval", "line").length, 0);
  const late = await drawnSvg(plotRetention(pooled, { ...options, startMonth: 3 }));
  assert.equal(marksOf(late, "member", "circle").length, 4);
  assert.throws(
    () => plotRetention(pooledRetention(curves, { by: "market_sector_id" }), options),
    /plotRetention: dots: the frame must hold one curve; got 2 curves/,
  );
  assert.match(
    JSON.stringify(await plotRetention(pooled, options).interactive().spec),
    /"title":"The d"/,
  );
});
