import assert from "node:assert/strict";
import { plotLine } from "../../../lib/chart/line.ts";
import { drawnSvg, marksOf, type SvgElement, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const days = ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"].map((day) => new Date(day));
const frame = frameOf({
  date: [...days, ...days],
  chain_id: [...days.map(() => "a"), ...days.map(() => "b")],
  fees: [0, 100, 50, 25, 80, null, 40, 10],
});
const options = { x: "date", y: "fees", color: "chain_id" };

/** The place of a tick's label, from the top. */
function tickAt(svg: SvgElement, axis: string, label: string, part: 1 | 2): number {
  const tick = marksOf(svg, `${axis}-axis tick label`, "text").find(({ textContent }) =>
    textContent === label
  );
  return Number(/\(([-\d.]+),([-\d.]+)\)/.exec(tick!.getAttribute("transform")!)![part]);
}

Deno.test("plotLine draws a line for each group, and breaks it where a value is null", async () => {
  const svg = await drawnSvg(plotLine(frame, options));
  const lines = marksOf(svg, "series", "path").map((line) => line.getAttribute("d")!);
  assert.equal(lines.length, 2);
  assert.deepEqual(lines.map((d) => d.match(/M/g)!.length), [1, 2]);
  assert.deepEqual(textsOf(svg, "line label").toSorted(), ["a", "b"]);
  assert.match(svg.textContent, /1 value missing: a gap, which is not zero\./);
  assert.match(svg.textContent, /1 Jan 2026 to 1 Apr 2026; 2 lines/);
});

Deno.test("plotLine draws a value at its place on the axis, and a day at its place in time", async () => {
  const svg = await drawnSvg(plotLine(frame, options));
  const [line] = marksOf(svg, "series", "path").map((line) => line.getAttribute("d")!);
  const points = [...line!.matchAll(/([-\d.]+),([-\d.]+)/g)].map((
    [, x, y],
  ) => [Number(x), Number(y)]);
  const [zero, hundred] = [tickAt(svg, "y", "$0", 2), tickAt(svg, "y", "$100", 2)];
  const values = points.map(([, y]) => Math.round((100 * (zero - y!)) / (zero - hundred)));
  assert.deepEqual(values, [0, 100, 50, 25]);
  const [first, last] = [points[0]![0]!, points.at(-1)![0]!];
  // February is 31 days after January, of 90 in all.
  assert.ok(Math.abs((points[1]![0]! - first) / (last - first) - 31 / 90) < 0.001);
});

Deno.test("plotLine takes numbers across, and one line without a group", async () => {
  const one = frameOf({ month: [1, 2, 3], retention: [0.5, 0.4, 0.3] });
  const svg = await drawnSvg(plotLine(one, { x: "month", y: "retention" }));
  assert.equal(marksOf(svg, "series", "path").length, 1);
  assert.deepEqual(textsOf(svg, "line label"), []);
  assert.ok(textsOf(svg, "x-axis tick label").includes("2"));
});

Deno.test("plotLine draws the highlighted lines in colour and the others grey", async () => {
  const chart = plotLine(frame, { ...options, highlight: ["b"], colors: { b: "#123456" } });
  const svg = await drawnSvg(chart);
  const colors = [...svg.querySelectorAll('g[aria-description="series"]')].map((line) =>
    line.getAttribute("stroke")
  );
  assert.deepEqual(colors.toSorted(), ["#123456", "#8b949e"]);
});

Deno.test("plotLine refuses a line with two values at one place, and columns that are no dates", () => {
  assert.throws(() => plotLine(frame, { x: "date", y: "fees" }), {
    name: "RangeError",
    message: 'plotLine: color: each line must have one value for each date, and "fees" has ' +
      "several; name the column that tells the lines apart",
  });
  assert.throws(() => plotLine(frame, { x: "chain_id", y: "fees" }), {
    name: "TypeError",
    message: "plotLine: column chain_id has to hold dates or numbers, and holds string: a",
  });
  assert.throws(() => plotLine(frame, { x: "date" } as never), /y: must name a column/);
});

Deno.test("plotLine has short strokes between the labels of a logarithmic axis, each at its value", async () => {
  const one = frameOf({ month: [1, 2, 3], fees: [1, 30, 100] });
  const line = { x: "month", y: "fees" };
  const svg = await drawnSvg(plotLine(one, { ...line, scale: "log" }));
  const [low, high] = [tickAt(svg, "y", "$1", 2), tickAt(svg, "y", "$100", 2)];
  const labels = textsOf(svg, "y-axis tick label");
  const strokes = marksOf(svg, "minor tick", "path").map((tick) => {
    const [, y] = /translate\([-\d.]+,([-\d.]+)\)/.exec(tick.getAttribute("transform")!)!;
    return Math.round(100 ** ((low - Number(y)) / (low - high)) * 10) / 10;
  });
  const between = [2, 3, 4, 5, 6, 7, 8, 9, 20, 30, 40, 50, 60, 70, 80, 90]
    .filter((value) => !labels.includes(`$${value}`));
  assert.deepEqual(strokes.filter((value) => value >= 1).toSorted((a, b) => a - b), between);
  const linear = await drawnSvg(plotLine(one, { ...line, scale: "linear" }));
  assert.equal(marksOf(linear, "minor tick", "path").length, 0);
});
