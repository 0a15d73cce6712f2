import { pooledRetention } from "../../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention_curves.ts";
import assert from "node:assert/strict";
import { plotRetention, vegaRetention } from "../../../lib/chart/retention.ts";
import { textWidth } from "../../../lib/chart/text/layout.ts";
import { theme } from "../../../lib/chart/theme.ts";
import { cohortFrame } from "../../analysis/cohort_frame.ts";
import { drawnSvg, marksOf, placeOf, textsOf } from "../drawn_svg.ts";
import { curvesSample, forecastSample, frameOf, pooledSample } from "../sample_frames.ts";

Deno.test("plotRetention draws a line, a band and a name for each group", async () => {
  const svg = await drawnSvg(plotRetention(pooledSample()));
  assert.equal(marksOf(svg, "line", "path").length, 3);
  assert.equal(marksOf(svg, "confidence band", "path").length, 3);
  assert.equal(marksOf(svg, "value", "path").length, 33);
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
  assert.equal(marksOf(svg, "value", "path").length, 4);
  assert.match(svg.textContent, /Empty: not yet observed \(1 of 5\)\./);
  assert.match(svg.textContent, /Source not recorded\./);
});

Deno.test("plotRetention names missing columns", () => {
  assert.throws(
    () => plotRetention(frameOf({ a: [1], b: ["x"] })),
    (error) =>
      error instanceof RangeError &&
      /plotRetention: expected a frame .*; missing: month, retention; got a, b/.test(
        error.message,
      ),
  );
});

/** Twelve months for a given number of groups, larger groups later. */
function manyGroups(groups: number) {
  const rows = Array.from(
    { length: groups * 2 },
    (_, row) => ({ group: row >> 1, month: row % 2 }),
  );
  return frameOf({
    project_id: rows.map(({ group }) => `p${group}`),
    month: rows.map(({ month }) => month),
    size: rows.map(({ group }) => group + 1),
    retention: rows.map(({ group, month }) =>
      month === 0 ? 1 : group < 4 ? 0.1 * (group + 1) : 0.5
    ),
  });
}

Deno.test("plotRetention folds more groups than the limit into the largest and the rest by size", async () => {
  const chart = plotRetention(manyGroups(14), { limit: 11, startMonth: 0 });
  const { rows, caption } = await chart.spec;
  const groups = [...new Set(rows.map(({ group }) => group))];
  assert.deepEqual(groups, [
    ...["p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13"],
    "other (3 groups)",
  ]);
  const other = rows.filter(({ group }) => group === "other (3 groups)");
  // Sizes 1, 2, 3 with retention 0.1, 0.2, 0.3.
  assert.deepEqual(other.map(({ value }) => Number((value as number).toFixed(6))), [
    1,
    Number((1.4 / 6).toFixed(6)),
  ]);
  assert.match(
    caption[0]!,
    /^Drawn: the 11 largest groups of 14, the others as one, weighted by size\./,
  );
});

Deno.test("plotRetention draws twelve groups without a rest", async () => {
  const svg = await drawnSvg(plotRetention(manyGroups(12)));
  assert.equal(marksOf(svg, "line", "path").length, 12);
  assert.doesNotMatch(svg.textContent, /other/);
});

Deno.test("plotRetention draws observed months solid and the forecast dashed", async () => {
  const svg = await drawnSvg(plotRetention(forecastSample()));
  assert.equal(marksOf(svg, "value", "path").length, 22);
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
  assert.deepEqual(textsOf(svg, "value where the data ends"), ["31%"]);
  assert.deepEqual(textsOf(svg, "end value"), ["25%"]);
  // The curve comes from above left: the text is below its end; near the bottom it is above.
  const dot = (svg: Parameters<typeof marksOf>[0]) =>
    placeOf(marksOf(svg, "value", "path").at(-1)!);
  const text = (svg: Parameters<typeof marksOf>[0]) =>
    placeOf(marksOf(svg, "value where the data ends", "text")[0]!);
  assert.ok(text(svg).y > dot(svg).y + 8 && text(svg).x < dot(svg).x);
  const low = await drawnSvg(plotRetention(curve(0.01)));
  assert.ok(text(low).y < dot(low).y - 8 && text(low).x > dot(low).x);
  const several = await drawnSvg(plotRetention(forecastSample()));
  assert.deepEqual(textsOf(several, "value where the data ends"), []);
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
  // Only lines in color have markers, and so have their names; the names of gray lines have a thin line alone.
  assert.equal(marksOf(svg, "line key", "path, circle").length, 6);
  assert.ok(marksOf(svg, "leader", "path").length >= names.length - 6);
  const heights = marksOf(svg, "line label", "text").map((text) => placeOf(text).y)
    .toSorted((a, b) => a - b);
  for (const [index, height] of heights.slice(1).entries()) {
    assert.ok(height - heights[index]! > 12);
  }
});

Deno.test("plotRetention labels the end of a single line with its value", async () => {
  const one = frameOf({ month: [1, 2, 3], size: [100, 100, 100], retention: [0.5, 0.4, 0.25] });
  assert.deepEqual(textsOf(await drawnSvg(plotRetention(one)), "end value"), ["25%"]);
  assert.deepEqual(textsOf(await drawnSvg(plotRetention(pooledSample())), "end value"), []);
});

Deno.test("plotRetention draws a share at its value on the axis", async () => {
  const frame = frameOf({ month: [0, 1], size: [10, 10], retention: [1, 0.25] });
  const svg = await drawnSvg(plotRetention(frame, { startMonth: 0 }));
  const d = marksOf(svg, "line", "path")[0]!.getAttribute("d")!;
  const [, top, low] = /M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)/.exec(d)!.map(Number);
  const at = (label: string) => {
    const tick = marksOf(svg, "y-axis tick label", "text").find(({ textContent }) =>
      textContent === label
    );
    return Number(/,([\d.]+)\)/.exec(tick!.getAttribute("transform")!)![1]);
  };
  assert.equal(top, at("100%"));
  assert.ok(Math.abs(low! - (at("0%") + (at("100%") - at("0%")) * 0.25)) < 0.02);
});

Deno.test("plotRetention names cohorts by month, and colors them in order", async () => {
  const svg = await drawnSvg(plotRetention(curvesSample(5), { startMonth: 0 }));
  assert.deepEqual(textsOf(svg, "legend").slice(0, 5), [
    "Jan 2025",
    "Feb 2025",
    "Mar 2025",
    "Apr 2025",
    "May 2025",
  ]);
  const colors = marksOf(svg, "line", "path").map((line) => line.getAttribute("stroke"));
  assert.equal(colors[0], "#440154");
  assert.equal(colors[4], "#3ca055");
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

Deno.test("plotRetention draws a panel with a band for each of four to twelve groups", async () => {
  const chart = plotRetention(wideGroups(0.2));
  const { panels, axis, columns } = await chart.spec;
  assert.deepEqual(panels.map(({ title }) => title), ["a", "b", "c", "d"]);
  assert.equal(columns, 4);
  assert.equal(axis, "Months since the cohort began, from month 1; values: month 2");
  const svg = await drawnSvg(chart);
  assert.equal(marksOf(svg, "confidence band", "path").length, 4);
  // Each panel has its line, and the three others behind.
  assert.equal(marksOf(svg, "line", "path").length, 16);
  assert.match(
    svg.textContent,
    /Shaded: 95% intervals, allowing for differences between projects\./,
  );
  assert.equal((await plotRetention(wideGroups(0.2), { width: 360 }).spec).columns, 2);
  for (const [bands, drawn] of [[true, 4], [false, 0]] as const) {
    const one = plotRetention(wideGroups(0.2), { bands });
    assert.equal((await one.spec).panels.length, 1);
    assert.equal(marksOf(await drawnSvg(one), "confidence band", "path").length, drawn);
  }
});

Deno.test("plotRetention draws whiskers of three lines whose bands would overlap", async () => {
  const three = wideGroups(0.2).limit(6);
  const svg = await drawnSvg(plotRetention(three));
  assert.equal(marksOf(svg, "confidence band", "path").length, 0);
  // Months 1 of the lines: side by side, from bound to bound.
  const whiskers = marksOf(svg, "interval", "line");
  assert.equal(whiskers.length, 3);
  const [line] = marksOf(svg, "line", "path");
  const [, y] = /M[\d.]+,([\d.]+)/.exec(line!.getAttribute("d")!)!.map(Number);
  const [low, high] = ["y1", "y2"].map((end) => Number(whiskers[0]!.getAttribute(end)));
  assert.ok(Math.abs((low! + high!) / 2 - y!) < 0.6, `${low} ${high} ${y}`);
  assert.equal(new Set(whiskers.map((whisker) => whisker.getAttribute("x1"))).size, 3);
  assert.deepEqual(textsOf(svg, "legend"), ["95% interval"]);
});

Deno.test("plotRetention refuses more than eight cohorts", () => {
  assert.throws(
    () => plotRetention(curvesSample(12)),
    /plotRetention: the frame has 11 cohorts; at most 8 .* plotRetentionHeatmap or pooledRetention/,
  );
});

Deno.test("plotRetention names forecasts with a poor fit", async () => {
  const frame = (off: number) =>
    frameOf({
      month: [1, 2, 3, 4, 5],
      size: [9000, 9000, 9000, 9000, 9000],
      net_activity: [0.5, 0.4, 0.3, 0.25, 0.2],
      predicted: [0.5 + off, 0.4, 0.3, 0.25, 0.2],
    });
  assert.match((await plotRetention(frame(0.1)).spec).caption[0]!, /fits badly: 1 of 5 months/);
  assert.doesNotMatch((await plotRetention(frame(0)).spec).caption[0]!, /fits badly/);
});

Deno.test("vegaRetention shows the interval of the selected line if all would overlap", async () => {
  const { layer } = await vegaRetention(wideGroups(0.2)).spec;
  const [area] = (layer as { mark: { type: string }; transform: unknown[] }[])
    .filter(({ mark }) => mark.type === "area");
  assert.deepEqual(area!.transform[0], { filter: { param: "selected", empty: false } });
});

Deno.test("plotRetention states the reason for a missing forecast", async () => {
  const { caption } = await plotRetention(frameOf({
    project_id: ["a", "a"],
    month: [0, 1],
    net_activity: [1, 0.5],
    predicted: [null, null],
    reason: ["two months are too few", "two months are too few"],
  })).spec;
  assert.match(caption.join(" "), /No forecast: a: two months are too few\./);
});

Deno.test("plotRetention refuses an invalid startMonth", () => {
  assert.throws(() => plotRetention(pooledSample(), { startMonth: -1 }), {
    name: "RangeError",
    message: "plotRetention: startMonth: must be a whole number of at least 0; got -1",
  });
});

Deno.test("plotRetention refuses a non-numeric column", () => {
  assert.throws(() => plotRetention(frameOf({ month: [0], retention: ["high"] })), {
    name: "TypeError",
    message: "plotRetention: column retention: expected numbers; got dtype String",
  });
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
  const [a, aLater, b] = dots.map((dot) => Number(dot.getAttribute("cy")));
  assert.ok(aLater! > a! && a! > b!, `${a} ${aLater} ${b}`);
  assert.match(caption.join(" "), /Dots: single projects\./);
  assert.equal(marksOf(svg, "interval", "line").length, 0);
  const late = await drawnSvg(plotRetention(pooled, { ...options, startMonth: 3 }));
  assert.equal(marksOf(late, "member", "circle").length, 4);
  assert.throws(
    () => plotRetention(pooledRetention(curves, { by: "market_sector_id" }), options),
    /plotRetention: dots: the frame must hold one curve; got 2 curves/,
  );
  assert.match(JSON.stringify(await vegaRetention(pooled, options).spec), /"member":"The d"/);
});

Deno.test("plotRetention draws bands of forecasts with cluster or block bounds only", async () => {
  const frame = (bounds: string) =>
    frameOf({
      month: [1, 2, 3],
      size: [100, 100, 0],
      net_activity: [0.5, 0.4, null],
      predicted: [0.5, 0.4, 0.3],
      lower: [0.4, 0.3, 0.2],
      upper: [0.6, 0.5, 0.4],
      bounds: [bounds, bounds, bounds],
    });
  for (const [bounds, count] of [["cluster", 1], ["block", 1], ["binomial", 0]] as const) {
    const svg = await drawnSvg(plotRetention(frame(bounds)));
    assert.equal(marksOf(svg, "confidence band", "path").length, count, bounds);
  }
});
