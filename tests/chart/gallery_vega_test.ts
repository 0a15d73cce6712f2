import assert from "node:assert/strict";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import type { VegaSpec } from "../../lib/chart/chart.ts";
import { drawVega } from "../../lib/chart/draw.ts";
import { type DataFrame, pl } from "../../lib/table/build/polars.ts";
import { assertShows, numberIn } from "./awkward_values.ts";
import { drawnSvg, type SvgElement } from "./drawn_svg.ts";
import { marksIn, placeOf, type Row, saidOf } from "./drawn_vega.ts";
import { galleryCharts, galleryFrames } from "./gallery_charts.ts";

const frames = await galleryFrames();
const charts = galleryCharts(frames);
const curves = retentionCurves(frames.cohorts);
const sectors = pooledRetention(curves, { by: "market_sector_id" });

function rowsOf(frame: DataFrame): Row[] {
  return frame.toRecords() as Row[];
}

function monthOf(date: unknown): string {
  return new Date(date as string).toLocaleDateString("en-US", {
    ...{ month: "short", year: "numeric", timeZone: "UTC" } as const,
  });
}

/** Asserts that places match the values of an axis, computed from its tick labels. */
function assertOnAxis(
  svg: SvgElement,
  pairs: readonly (readonly [value: number, place: number])[],
  { side, log = false, ticks }: {
    readonly side: "x" | "y";
    readonly log?: boolean;
    /** The tick labels of this axis. */
    readonly ticks: RegExp;
  },
): void {
  const at = log ? Math.log10 : (value: number) => value;
  const read = [...svg.querySelectorAll(".role-axis-label text")]
    .filter(({ textContent }) => ticks.test(textContent))
    .map((tick) => [at(numberIn(tick.textContent).value), placeOf(tick)[side]] as const);
  assert.ok(read.length > 1, "ticks");
  const [[low, from], [high, to]] = [read[0]!, read.at(-1)!];
  const offBy = pairs.map(([value, place]) =>
    place - (from + (to - from) * (at(value) - low) / (high - low))
  );
  // A label may stand a few pixels beside its tick, but always as many.
  assert.ok(Math.max(...offBy) - Math.min(...offBy) <= 0.6, `${side}: ${offBy}`);
  assert.ok(Math.abs(offBy[0]!) <= 6, `${side}: ${offBy[0]}`);
}

/** Asserts that lines run through the places of points, and nowhere else. */
function assertLines(svg: SvgElement, points: readonly { x: number; y: number }[]): void {
  type Place = typeof points[number];
  const vertices = [...svg.querySelectorAll(".mark-line path")].flatMap((path) =>
    [...path.getAttribute("d")!.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)]
      .map(([, x, y]): Place => ({ x: Number(x), y: Number(y) }))
  );
  const alone = (some: readonly Place[], others: readonly Place[]) =>
    some.filter(({ x, y }) => !others.some((at) => Math.hypot(at.x - x, at.y - y) < 0.1));
  assert.deepEqual([alone(vertices, points), alone(points, vertices)], [[], []]);
}

Deno.test("the points and lines of vega_retention are what its frame says", async () => {
  const svg = await drawnSvg(charts.get("vega_retention")!);
  const rows = rowsOf(sectors)
    .filter(({ month }) => Number(month) >= 1);
  const said = saidOf(marksIn(svg, ".mark-symbol"), rows, {
    nameOf: (row) => `${row.market_sector_name}, month ${row.month}`,
    valueOf: (row) => row.retention as number | null,
  });
  const places = said.map(({ mark }) => placeOf(mark));
  const up = { side: "y", ticks: /%$/ } as const;
  assertOnAxis(svg, said.map(({ row }, at) => [Number(row.retention), places[at]!.y]), up);
  assertOnAxis(svg, said.map(({ row }, at) => [Number(row.month), places[at]!.x]), {
    side: "x",
    ticks: /^\d+$/,
  });
  assertLines(svg, places);
  for (const { row, text } of said) {
    const bounds = /interval (.*) to (.*)$/.exec(text);
    // Lines of the rest have no intervals.
    if (bounds === null) continue;
    assertShows(bounds[1]!, Number(row.lower), text);
    assertShows(bounds[2]!, Number(row.upper), text);
  }
});

Deno.test("the points and lines of vega_timeline are what its frame says", async () => {
  const chart = charts.get("vega_timeline")!;
  const svg = await drawnSvg(chart);
  const nameOf = new Map(rowsOf(frames.chains).map((row) => [row.chain_id, row.chain_name]));
  const said = saidOf(marksIn(svg, ".mark-symbol"), rowsOf(frames.months), {
    nameOf: (row) => `${nameOf.get(row.data_id)}, ${monthOf(row.date)}`,
    valueOf: (row) => row.fees_sum as number | null,
  });
  for (const { row, text } of said) {
    assert.equal(/not complete/.test(text), row.complete === false, text);
  }
  const places = said.map(({ mark }) => placeOf(mark));
  const { encoding } = await chart.spec as { encoding: { y: { scale: { type: string } } } };
  assertOnAxis(svg, said.map(({ row }, at) => [Number(row.fees_sum), places[at]!.y]), {
    side: "y",
    log: encoding.y.scale.type === "log",
    ticks: /^\$/,
  });
  const days = said.map(({ row }) => Number(row.date) / 86_400_000);
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const [left, right] = [first, last].map((day) => places[days.indexOf(day)]!.x);
  places.forEach(({ x }, at) => {
    const expected = left! + (right! - left!) * (days[at]! - first) / (last - first);
    assert.ok(Math.abs(x - expected) <= 0.5, `${days[at]} at ${x}, not ${expected}`);
  });
  assertLines(svg, places);
});

const MEASURES = [
  ["Ecosystem fees over 30 days", "ecosystem_fees_30d_sum"],
  ["Daily active users, latest", "active_users_daily_latest"],
  ["Ecosystem TVL, change over 30 days", "ecosystem_tvl_30d_change"],
] as const;

for (const [measure, field] of MEASURES) {
  Deno.test(`vega_comparison shows what its frame says for ${measure}`, async () => {
    const spec = await charts.get("vega_comparison")!.spec as VegaSpec;
    const [param] = spec.params as VegaSpec[];
    const svg = await drawnSvg(drawVega({ ...spec, params: [{ ...param, value: measure }] }));
    const isOther = (text: string | null) => /^other \(/.test(text ?? "");
    const rows = rowsOf(frames.chains.sort(pl.col(MEASURES[0][1]), true).head(12));
    const marks = [...marksIn(svg, ".bars_marks"), ...marksIn(svg, ".mark-symbol")]
      .filter((mark) => !isOther(mark.getAttribute("aria-label")));
    const said = saidOf(marks, rows, {
      nameOf: (row) => String(row.chain_name),
      valueOf: (row) => row[field] as number | null,
    });
    const values = said.map(({ row }) => Number(row[field]));
    assert.deepEqual(values, values.toSorted((a, b) => b - a));
    const labels = [...svg.querySelectorAll(".role-axis-label text")]
      .map(({ textContent }) => textContent)
      .filter((text) => !isOther(text));
    assert.deepEqual(labels.slice(-rows.length), said.map(({ row }) => row.chain_name));
    const texts = [...svg.querySelectorAll(".mark-text.role-mark text")]
      .map(({ textContent }) => textContent);
    assert.deepEqual(texts.slice(0, said.length), said.map(({ text }) => text));
    const log = marksIn(svg, ".bars_marks").length === 0;
    const ends = said.flatMap(({ mark }, at): [number, number][] => {
      const value = values[at]!;
      if (log) return [[value, placeOf(mark).x]];
      const [, x, , width] = /^M(-?[\d.]+),(-?[\d.]+)h(-?[\d.]+)/.exec(mark.getAttribute("d")!)!;
      const [left, right] = [Number(x), Number(x) + Number(width)];
      return value < 0 ? [[value, left], [0, right]] : [[0, left], [value, right]];
    });
    assertOnAxis(svg, ends, { side: "x", log, ticks: /^(?!other).*\d/ });
    assert.equal(
      new Set(said.map(({ mark }) => mark.getAttribute("fill"))).size,
      log ? 1 : 1 +
        Number(values.some((value) => value < 0)),
    );
  });
}

Deno.test("the cells, colors and numbers of vega_retention_heatmap are what its frame says", async () => {
  const svg = await drawnSvg(charts.get("vega_retention_heatmap")!);
  const rows = rowsOf(curves.filter(pl.col("project_id").eq(pl.lit("tidewater"))));
  const all = marksIn(svg, ".cells_marks");
  const single = all.filter((cell) => !/^All/.test(cell.getAttribute("aria-label")!));
  const said = saidOf(single, rows, {
    nameOf: (row) => `${monthOf(row.cohort)}, month ${row.month}`,
    valueOf: (row) => row.retention as number | null,
  });
  const corner = (cell: SvgElement) =>
    /^M(-?[\d.]+),(-?[\d.]+)h(-?[\d.]+)v(-?[\d.]+)/.exec(cell.getAttribute("d")!)!.slice(1)
      .map(Number) as [number, number, number, number];
  const cohorts = [...new Set(rows.map((row) => monthOf(row.cohort)))];
  for (const { row, text, mark } of said) {
    const [x, y, width, height] = corner(mark);
    assert.ok(Math.abs(x - Number(row.month) * width) < 0.6, `${text}: ${x}`);
    const place = (1 + cohorts.indexOf(monthOf(row.cohort))) * height;
    assert.ok(Math.abs(y - place) < 0.6, `${text}: ${y}`);
    const [, active, users] = /([\d,]+) of ([\d,]+) users/.exec(text)!;
    assert.equal(numberIn(users!).value, row.size);
    assert.equal(numberIn(active!).value, Math.round(Number(row.retention) * Number(row.size)));
  }
  // The color of a cell is the step of the legend that holds its value.
  const keys = [...svg.querySelectorAll(".role-legend-symbol path")];
  const steps = [...svg.querySelectorAll(".role-legend-label text")].map((label, at) => ({
    from: numberIn(label.textContent.replace("–", "% ")).value,
    color: keys[at]!.getAttribute("fill"),
  }));
  assert.equal(steps.length, 8);
  for (const { row, text, mark } of said.filter(({ row }) => row.month !== 0)) {
    const step = steps.findLast(({ from }) => Number(row.retention) >= from - 1e-9);
    assert.equal(mark.getAttribute("fill"), step?.color, text);
  }
  const texts = [...svg.querySelectorAll("g.mark-text.role-mark")]
    .map((group) => [...group.querySelectorAll("text")].map(({ textContent }) => textContent))
    .find((some) => some.length > 1)!;
  const colored = all.filter((cell) => !/, month 0:/.test(cell.getAttribute("aria-label")!));
  assert.equal(texts.length, colored.length);
  for (const { row, mark } of said.filter(({ row }) => row.month !== 0)) {
    assertShows(texts[colored.indexOf(mark)]!, Number(row.retention), "cell");
  }
});
