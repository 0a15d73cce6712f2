import assert from "node:assert/strict";
import { forecastRetention } from "../../lib/analysis/retention/forecast_retention.ts";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import type { PlotSpec } from "../../lib/chart/chart.ts";
import { OTHER_COLOR } from "../../lib/chart/colors.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { assertAffine, assertShows, numberIn } from "./awkward_values.ts";
import { drawnSvg, marksOf, placeOf, type SvgElement, textsOf } from "./drawn_svg.ts";
import { galleryCharts, galleryFrames } from "./gallery_charts.ts";

const frames = await galleryFrames();
const charts = galleryCharts(frames);
const curves = retentionCurves(frames.cohorts);
const sectors = pooledRetention(curves, { by: "market_sector_id" });
const tidewater = curves.filter(pl.col("project_id").eq(pl.lit("tidewater")));

type Row = Readonly<Record<string, string | number | Date | boolean | null>>;

function rowsOf(frame: DataFrame): Row[] {
  return frame.toRecords() as Row[];
}

/** The picture of a chart, its rows, and its panels. */
async function pictureOf(name: string) {
  const chart = charts.get(name)!;
  const { rows, panels } = await chart.spec as PlotSpec;
  return { svg: await drawnSvg(chart), rows, panels };
}

/** The value as its axis places it. */
function along({ type, constant = 1 }: { type?: string; constant?: number } = {}) {
  return (value: number) =>
    type === "log"
      ? Math.log10(value)
      : type === "symlog"
      ? Math.sign(value) * Math.log1p(Math.abs(value) / constant)
      : value;
}

function numberOf(element: SvgElement, name: string): number {
  return Number(element.getAttribute(name));
}

/** A month in words: `Mar 2026`. */
function monthOf(date: unknown): string {
  return new Date(date as string).toLocaleDateString("en-US", {
    ...{ month: "short", year: "numeric", timeZone: "UTC" } as const,
  });
}

/** The vertices of a path in its panel. */
function verticesOf(path: SvgElement): { x: number; y: number }[] {
  const moved = placeOf(path);
  return [...path.getAttribute("d")!.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)]
    .map(([, x, y]) => ({ x: moved.x + Number(x), y: moved.y + Number(y) }));
}

/** Returns the place of a value on an axis, computed from the tick labels of the axis. */
function axisRead(ticks: readonly SvgElement[], side: "x" | "y", at = along()) {
  const places = ticks.map((tick) =>
    [at(numberIn(tick.textContent).value), placeOf(tick)[side]] as const
  );
  assertAffine(places, "ticks");
  const [[low, from], [high, to]] = [places[0]!, places.at(-1)!];
  return (value: number) => from + (to - from) * (at(value) - low) / (high - low);
}

function assertNear(place: number, expected: number, what: string, most = 0.6) {
  assert.ok(Math.abs(place - expected) <= most, `${what} at ${place}, not ${expected}`);
}

/** Takes the path whose vertices have these places upwards out of a list. */
function takePath(paths: { x: number; y: number }[][], places: readonly number[], what: string) {
  const found = paths.findIndex((path) =>
    path.length === places.length && path.every(({ y }, at) => Math.abs(y - places[at]!) <= 0.6)
  );
  assert.notEqual(found, -1, `${what}: no line has its values`);
  return paths.splice(found, 1)[0]!;
}

function sameRows(drawn: readonly unknown[][], expected: readonly unknown[][], name: string) {
  const text = (rows: readonly unknown[][]) =>
    rows.map((row) => row.map((each) => each instanceof Date ? +each : each).join("|")).toSorted();
  assert.deepEqual(text(drawn), text(expected), name);
}

const LINES: readonly [
  name: string,
  frame: DataFrame,
  group: string | null,
  x: string,
  y: string,
][] = [
  ["plot_retention", sectors, "market_sector_name", "month", "retention"],
  ["plot_retention_bands", pooledRetention(curves), null, "month", "retention"],
];

for (const [name, frame, group, x, y] of LINES) {
  Deno.test(`the points of ${name} are where its frame says`, async () => {
    const { svg, rows, panels } = await pictureOf(name);
    const expected = rowsOf(frame).filter((row) => x === "date" || Number(row[x]) >= 1);
    sameRows(
      rows.map((row) => [group === null ? "" : row.group, row[x], row.value]),
      expected.map((row) => [group === null ? "" : row[group], row[x], row[y]]),
      name,
    );
    const known = rows.filter(({ value }) => value !== null);
    const points = marksOf(svg, "line", "path").filter((line) => (
      line.getAttribute("stroke") !== OTHER_COLOR
    )).flatMap(verticesOf);
    assert.equal(points.length, known.length, name);
    const at = along(panels[0]!.y as { type: string });
    const drawn = panels.length === 1
      ? known
      // Small panels are in another order than the rows: by their last complete value.
      : panels.flatMap(({ title }) => known.filter((row) => row.group === title));
    const pairs = drawn.map(({ value }, index) => [at(Number(value)), points[index]!.y] as const);
    assertAffine(pairs, name);
  });
}

Deno.test("the intervals of plot_dots end at the bounds of its frame", async () => {
  const { svg, rows } = await pictureOf("plot_dots");
  const lines = marksOf(svg, "interval", "line");
  assert.equal(lines.length, rows.length);
  assertAffine(
    rows.flatMap(({ lower, upper }, row) => [
      [Number(lower), numberOf(lines[row]!, "x1")] as const,
      [Number(upper), numberOf(lines[row]!, "x2")] as const,
    ]),
    "bounds",
  );
});

Deno.test("the cells of plot_retention_heatmap show the shares of its frame", async () => {
  const { svg, rows } = await pictureOf("plot_retention_heatmap");
  const own = rowsOf(tidewater);
  const single = rows.filter(({ cohort }) => /^[A-Z][a-z]{2} \d{4}$/.test(String(cohort)));
  sameRows(
    single.map(({ cohort, month, retention }) => [cohort, month, retention]),
    own.map((row) => [monthOf(row.cohort), row.month, row.retention]),
    "heat map",
  );
  const known = rows.filter(({ retention, month }, row) =>
    retention !== null && (row === 0 || month !== 0)
  );
  const texts = textsOf(svg, "share");
  assert.equal(texts.length, known.length);
  known.forEach(({ retention }, index) => assertShows(texts[index]!, Number(retention), "share"));
});

for (const name of ["plot_contributions", "plot_layers", "plot_contributions_waterfall"]) {
  Deno.test(`the stacked parts of ${name} are as long as its rows say`, async () => {
    const { svg, rows } = await pictureOf(name);
    const waterfall = name.endsWith("waterfall");
    const [mark, side] = waterfall ? ["bar", "width"] as const : ["part", "height"] as const;
    const drawn = rows.filter(({ group, value }) =>
      value !== null && value !== 0 && (waterfall || group !== "total")
    );
    const parts = marksOf(svg, mark, "rect");
    assert.equal(parts.length, drawn.length);
    assertAffine(
      [
        [0, 0],
        ...drawn.map(({ value }, index) =>
          [Math.abs(Number(value)), numberOf(parts[index]!, side)] as const
        ),
      ],
      name,
    );
    const totals = rows.filter(({ group }) => group === "total");
    const dots = marksOf(svg, "total", "circle").map((dot) => numberOf(dot, "cy"));
    if (waterfall || totals.length === 0) return;
    assertAffine(totals.map(({ value }, index) => [Number(value), dots[index]!]), "total");
  });
}

const CHAIN_NAMES = new Map(
  rowsOf(frames.chains).map(({ chain_id, chain_name }) => [chain_id, chain_name]),
);

const PATHS: readonly [
  name: string,
  frame: DataFrame,
  group: (row: Row) => unknown,
  x: string,
  y: string,
][] = [
  ["plot_timeline", frames.months, ({ chain_id }) => CHAIN_NAMES.get(chain_id), "date", "fees_sum"],
  ["plot_line", frames.five, ({ chain_id }) => CHAIN_NAMES.get(chain_id), "date", "fees_sum"],
];

for (const [name, frame, group, x, y] of PATHS) {
  Deno.test(`each line of ${name} runs through the values of its group`, async () => {
    const { svg, panels } = await pictureOf(name);
    const up = axisRead(
      marksOf(svg, "y-axis tick label", "text"),
      "y",
      along(panels[0]!.y as { type: string }),
    );
    const known = rowsOf(frame).filter((row) =>
      row[y] !== null && (x === "date" || Number(row[x]) >= 1)
    );
    const groups = Map.groupBy(known, group);
    // An incomplete period has a mark, and no line leads to it.
    const open = marksOf(svg, "value, not complete", "circle").map((dot) => [placeOf(dot)]);
    const lines = marksOf(svg, "line", "path").map(verticesOf);
    const across: [number, number][] = [];
    for (const [label, rows] of groups) {
      const places = (some: readonly Row[]) => some.map((row) => up(Number(row[y])));
      const complete = rows.filter((row) => row.complete !== false);
      const line = takePath(lines, places(complete), `${name}, ${label}`);
      line.forEach((place, at) => across.push([Number(complete[at]![x]), place.x]));
      if (complete.length === rows.length) continue;
      takePath(open, places(rows.slice(complete.length)), `${name}, ${label}, so far`);
    }
    assert.deepEqual([lines.length, open.length], [0, 0], name);
    assertAffine(across, name);
    const named = new Set([...groups.keys()].map(String));
    const labels = textsOf(svg, "line label").flatMap((text) => text.split(", "));
    for (const label of labels) assert.ok(named.has(label), label);
    const strong = { plot_timeline: ["Alder", "Basalt", "Cinder"] }[name] ?? [];
    for (const label of strong) assert.ok(labels.includes(label), label);
  });
}

Deno.test("the dots of plot_retention_projects are the projects, and its users add up", async () => {
  const { svg } = await pictureOf("plot_retention_projects");
  const up = axisRead(marksOf(svg, "y-axis tick label", "text"), "y");
  const months = marksOf(svg, "x-axis tick label", "text");
  const across = axisRead(months, "x");
  const shown = [1, 3, 6, 11];
  const rows = rowsOf(pooledRetention(curves, { by: "project_id" }))
    .filter(({ month, retention }) => retention !== null && shown.includes(Number(month)));
  const dots = marksOf(svg, "member", "circle").map(placeOf);
  assert.equal(dots.length, rows.length);
  for (const [at, a] of dots.entries()) {
    const free = dots.slice(at + 1).every((b) => Math.hypot(a.x - b.x, a.y - b.y) > 4.4);
    assert.ok(free, "no dot covers another");
  }
  for (const month of shown) {
    const own = dots.filter(({ x }) => Math.abs(x - across(month)) < 65).map(({ y }) => y);
    const places = rows.filter((row) => row.month === month).map((row) =>
      up(Number(row.retention))
    );
    assert.equal(own.length, places.length);
    const sorted = places.toSorted((a, b) => a - b);
    own.toSorted((a, b) => a - b).forEach((place, at) => assertNear(place, sorted[at]!, "project"));
  }
  const users = textsOf(svg, "at risk").map((text) => numberIn(text).value);
  assert.deepEqual(
    users,
    months.map((tick) =>
      rowsOf(pooledRetention(curves)).reduce(
        (sum, { month, size }) => sum + (month === Number(tick.textContent) ? Number(size) : 0),
        0,
      )
    ),
  );
});

Deno.test("the points, forecast and band of plot_retention_forecast are what its frame says", async () => {
  const { svg } = await pictureOf("plot_retention_forecast");
  const rows = rowsOf(forecastRetention(curves, { by: "all", horizon: 24 }))
    .filter(({ month }) => Number(month) >= 1);
  const up = axisRead(marksOf(svg, "y-axis tick label", "text"), "y");
  const across = axisRead(marksOf(svg, "x-axis tick label", "text"), "x");
  const seen = rows.filter(({ net_activity }) => net_activity !== null);
  const last = seen.at(-1)!;
  const ahead = rows.filter(({ month }) => Number(month) >= Number(last.month));
  const [line] = marksOf(svg, "line", "path").map(verticesOf);
  const [forecast] = marksOf(svg, "forecast", "path").map(verticesOf);
  const [band] = marksOf(svg, "confidence band", "path").map(verticesOf);
  const bounded = rows.filter(({ lower, upper }) => lower !== null && upper !== null);
  const same = (drawn: readonly { x: number; y: number }[], some: readonly Row[], of: string) => {
    assert.equal(drawn.length, some.length, of);
    some.forEach((row, at) => {
      assertNear(drawn[at]!.x, across(Number(row.month)), of);
      assertNear(drawn[at]!.y, up(Number(row[of])), of);
    });
  };
  // The line ends with a dot, because 24 months have no markers.
  same(line!, seen, "net_activity");
  same(forecast!, ahead, "predicted");
  // An area runs along its upper bounds, and back along its lower bounds.
  const [there, back] = [band!.slice(0, bounded.length), band!.slice(bounded.length).toReversed()];
  const [above, below] = there[0]!.y < back[0]!.y ? [there, back] : [back, there];
  same(above, bounded, "upper");
  same(below, bounded, "lower");
  const [end, observed] = textsOf(svg, "end value");
  assertShows(end!, Number(rows.at(-1)!.predicted), "end value");
  assertShows(observed!, Number(last.net_activity), "data end");
});
