import assert from "node:assert/strict";
import { contractFlows } from "../../lib/analysis/contract_flows.ts";
import { forecastRetention } from "../../lib/analysis/forecast_retention.ts";
import { growthTable } from "../../lib/analysis/growth_table.ts";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import type { PlotSpec } from "../../lib/chart/chart.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { assertAffine, assertShows, numberIn } from "./awkward_values.ts";
import { drawnSvg, marksOf, placeOf, type SvgElement, textsOf } from "./drawn_svg.ts";
import { galleryCharts, galleryFrames, paperPage } from "./gallery_charts.ts";

const frames = await galleryFrames();
const charts = galleryCharts(frames);
const curves = retentionCurves(frames.cohorts);
const sectors = pooledRetention(curves, { by: "market_sector_id" });
const tidewater = curves.filter(pl.col("project_id").eq(pl.lit("tidewater")));
const halfYear = tidewater.filter(
  pl.col("cohort").gtEq(pl.lit("2025-07")).and(pl.col("cohort").ltEq(pl.lit("2025-12"))),
);
const sixth = sectors.filter(pl.col("month").eq(6));

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
    const marks = ["value", "value, not complete"].map((mark) => marksOf(svg, mark, "path"));
    assert.equal(marks.flat().length, known.length, name);
    const at = along(panels[0]!.y as { type: string });
    const drawn = panels.length === 1
      ? known
      // Small panels are in another order than the rows: by their last complete value.
      : panels.flatMap(({ title }) => known.filter((row) => row.group === title));
    const open = (row: Row) => row.complete === false;
    const parts = [drawn.filter((row) => !open(row)), drawn.filter(open)];
    const pairs = parts.flatMap((rows, part) =>
      rows.map(({ value }, index) => [at(Number(value)), placeOf(marks[part]![index]!).y] as const)
    );
    assertAffine(pairs, name);
  });
}

const BARS: readonly [name: string, frame: DataFrame, label: string, fields: readonly string[]][] =
  [
    ["plot_comparison", frames.chains, "chain_name", ["ecosystem_fees_30d_sum"]],
    ["plot_comparison_multiples", frames.chains, "chain_name", [
      ...["ecosystem_fees_30d_sum", "active_users_daily_latest", "ecosystem_tvl_30d_change"],
    ]],
    ["plot_metrics", frames.fees, "data_id", ["fees_sum"]],
    ["plot_dots", sixth, "market_sector_name", ["retention"]],
  ];

for (const [name, frame, label, fields] of BARS) {
  Deno.test(`the bars, dots and labels of ${name} are what its frame says`, async () => {
    const { svg, rows, panels } = await pictureOf(name);
    const numbers = (row: Row) => Object.values(row).slice(1, 1 + fields.length);
    const shown = rows.map((row) => Object.values(row)[0]);
    const isOther = (label: unknown) => /^other \(/.test(String(label));
    assert.equal(shown.length, Math.min(13, frame.height), name);
    sameRows(
      rows.map((row) => [Object.values(row)[0], ...numbers(row)]).filter(([each]) =>
        !isOther(each)
      ),
      rowsOf(frame).map((row) => [row[label], ...fields.map((field) => row[field])])
        .filter(([each]) => shown.includes(each as string)),
      name,
    );
    assert.deepEqual(
      textsOf(svg, "y-axis tick label").slice(0, rows.length),
      rows.map((row) => Object.values(row)[0]),
    );
    const texts = textsOf(svg, "value");
    const bars = marksOf(svg, "bar", "rect");
    const dots = marksOf(svg, "value dot", "circle");
    for (const [index, panel] of panels.entries()) {
      const values = rows.map((row) => numbers(row)[index] as number)
        .filter((value) => value !== null);
      const own = texts.splice(0, values.length);
      // Negative values may have their labels after the others.
      const inOrder = [...values.filter((v) => v >= 0), ...values.filter((v) => v < 0)];
      const drawn = own.every((text, row) => /−/.test(text) === values[row]! < 0)
        ? values
        : inOrder;
      own.forEach((text, row) => assertShows(text, drawn[row]!, `${name} ${text}`));
      const at = along(panel.x as { type: string });
      const log = (panel.x as { type: string }).type === "log" || name === "plot_dots";
      const places = log
        ? dots.splice(0, values.length).map((dot) => numberOf(dot, "cx"))
        : bars.splice(0, values.length).map((bar) => numberOf(bar, "width"));
      assertAffine(
        values.map((value, row) => [log ? at(value) : Math.abs(value), places[row]!]),
        `${name} ${index}`,
      );
    }
    assert.deepEqual([texts.length, bars.length, dots.length], [0, 0, 0]);
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

Deno.test("the cells of plot_growth show what its frame says, each in its row", async () => {
  const { svg, rows } = await pictureOf("plot_growth");
  const windows = ["1d", "7d", "30d", "90d", "180d", "365d"];
  const expected = rowsOf(growthTable(frames.chains, { field: "ecosystem_tvl" }));
  const numbers = rows.map((row) => Object.values(row).slice(1));
  sameRows(
    rows.map((row) => Object.values(row)),
    expected.map((row) => [row.chain_name, ...windows.map((window) => row[window])]),
    "growth",
  );
  const known = numbers.flat().filter((value) => value !== null);
  const texts = textsOf(svg, "change");
  assert.equal(texts.length, known.length);
  texts.forEach((text, index) => assertShows(text, Number(known[index]), text));
  assert.deepEqual(textsOf(svg, "y-axis tick label"), rows.map(({ chain }) => chain));
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

Deno.test("the points of plot_scatter are where its frame says", async () => {
  const { svg, rows, panels } = await pictureOf("plot_scatter");
  const [x, y] = ["active_users_daily_latest", "ecosystem_fees_30d_sum"];
  sameRows(
    rows.map((row) => [row.label, row.x, row.y]),
    rowsOf(frames.chains).map((row) => [row.chain_name, row[x!], row[y!]]),
    "scatter",
  );
  const dots = marksOf(svg, "value", "circle");
  assert.equal(dots.length, rows.length);
  for (const [side, place] of [["x", "cx"], ["y", "cy"]] as const) {
    const at = along(panels[0]![side] as { type: string });
    assertAffine(
      rows.map((row, index) => [at(Number(row[side])), numberOf(dots[index]!, place)]),
      side,
    );
  }
});

Deno.test("the lines and labels of plot_slope are what its frame says", async () => {
  const { svg, rows, panels } = await pictureOf("plot_slope");
  const at = along(panels[0]!.y as { type: string });
  const five = rowsOf(frames.five);
  for (const { group, x, value } of rows) {
    const row = five.find(({ chain_name, date }) =>
      chain_name === group && (date as Date).getUTCMonth() === 4 &&
      String((date as Date).getUTCFullYear()) === String(x).slice(-4)
    )!;
    assert.equal(value, row.fees_sum, `${group} ${x}`);
  }
  assert.equal(rows.length, 10);
  const ends = marksOf(svg, "line", "path").flatMap((line) =>
    [...line.getAttribute("d")!.matchAll(/,([-\d.]+)/g)].map(([, y]) => Number(y))
  );
  assertAffine(rows.map(({ value }, index) => [at(Number(value)), ends[index]!]), "slope");
  const labels = textsOf(svg, "line label");
  assert.equal(labels.length, 10);
  for (const { group, x, value } of rows) {
    const side = String(x).endsWith("2025");
    const text = labels.find((label) =>
      label.includes(String(group)) && label.startsWith("$") !== side
    )!;
    assertShows(text.replace(String(group), ""), Number(value), text);
  }
});

Deno.test("the bars of plot_shares are what their frame says", async () => {
  const { svg, rows } = await pictureOf("plot_shares");
  const values = rowsOf(frames.chains)
    .map((row) => [row.chain_name, row.ecosystem_tvl_latest as number] as const)
    .toSorted(([, a], [, b]) => b - a);
  const total = values.reduce((sum, [, value]) => sum + value, 0);
  const rest = values.splice(rows.length - 1);
  values.push([`other (${rest.length})`, rest.reduce((sum, [, value]) => sum + value, 0)]);
  assert.deepEqual(
    rows.map((row) => Object.values(row).map((each) => Number(each).toFixed(2))),
    values.map((row) => row.map((each) => Number(each).toFixed(2))),
  );
  const texts = textsOf(svg, "value").map((text) => text.split(" · "));
  values.forEach(([label, value], row) => {
    assertShows(texts[row]![0]!, value, String(label));
    assertShows(texts[row]![1]!, value / total, String(label));
  });
  const bars = marksOf(svg, "bar", "rect").map((bar) => numberOf(bar, "width"));
  assertAffine([[0, 0], ...bars.map((width, row) => [values[row]![1], width] as const)], "bars");
});

Deno.test("the flows of plot_contract_flows are what its frame says", async () => {
  const { svg, rows, panels } = await pictureOf("plot_contract_flows");
  const expected = rowsOf(contractFlows(frames.contracts, { by: "market_sector_id" }));
  sameRows(
    rows.map((row) => Object.values(row)),
    expected.map((row) => [row.market_sector_name, row.net_flows, row.inflows, row.outflows]),
    "flows",
  );
  const at = along(panels[0]!.x as { type: string; constant: number });
  const places = (mark: string) => marksOf(svg, mark, "circle").map((dot) => numberOf(dot, "cx"));
  const [net, inflow, outflow] = ["net", "inflow", "outflow"].map(places);
  assertAffine(
    rows.flatMap((row, index) => [
      [at(Number(Object.values(row)[1])), net![index]!] as const,
      [at(Number(row.inflows)), inflow![index]!] as const,
      [at(-Number(row.outflows)), outflow![index]!] as const,
    ]),
    "flows",
  );
  textsOf(svg, "net value").forEach((text, index) =>
    assertShows(text, Number(Object.values(rows[index]!)[1]), text)
  );
});

Deno.test("the ranks of plot_ranks follow the fees of its frame", async () => {
  const { svg, rows } = await pictureOf("plot_ranks");
  const complete = rowsOf(frames.months).filter((row) => row.complete === true);
  const texts = textsOf(svg, "rank text");
  for (const { group, date, rank } of rows) {
    const month = complete.filter((row) => Number(row.date) === Number(date));
    const own = month.find((row) => row.data_id === group)!.fees_sum as number;
    const above = month.filter((row) => (row.fees_sum as number) > own).length;
    assert.equal(rank, above + 1, `${group} ${date}`);
  }
  // Numbers stand at both ends.
  const ends = [rows[0]!, rows.at(-1)!].map(({ date }) => Number(date));
  const shown = ends.flatMap((end) => rows.filter(({ date }) => Number(date) === end));
  assert.deepEqual(texts, shown.map(({ rank }) => String(rank)));
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

const PATHS: readonly [
  name: string,
  frame: DataFrame,
  group: (row: Row) => unknown,
  x: string,
  y: string,
][] = [
  ["plot_timeline", frames.months, ({ data_id }) => data_id, "date", "fees_sum"],
  ["plot_line", frames.five, ({ chain_name }) => chain_name, "date", "fees_sum"],
  ["plot_retention_cohorts", halfYear, ({ cohort }) => monthOf(cohort), "month", "retention"],
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
    const dashed = marksOf(svg, "not complete", "path");
    const open = dashed.map(verticesOf);
    const lines = marksOf(svg, "line", "path").filter((path) => !dashed.includes(path))
      .map(verticesOf);
    const across: [number, number][] = [];
    for (const [label, rows] of groups) {
      const places = (some: readonly Row[]) => some.map((row) => up(Number(row[y])));
      const complete = rows.filter((row) => row.complete !== false);
      const line = takePath(lines, places(complete), `${name}, ${label}`);
      line.forEach((place, at) => across.push([Number(complete[at]![x]), place.x]));
      if (complete.length === rows.length) continue;
      // A dashed line leads from the last complete period to the incomplete one.
      takePath(open, places(rows.slice(complete.length - 1)), `${name}, ${label}, dashed`);
    }
    assert.deepEqual([lines.length, open.length], [0, 0], name);
    assertAffine(across, name);
    const named = new Set([...groups.keys()].map(String));
    const labels = textsOf(svg, "line label").flatMap((text) => text.split(", "));
    for (const label of labels) assert.ok(named.has(label), label);
    const strong = { plot_timeline: ["alder", "basalt", "cinder"] }[name] ?? [];
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
  const dots = marksOf(svg, "member", "circle").map((dot) => {
    const { x, y } = placeOf(dot);
    return { x: x + numberOf(dot, "cx"), y: y + numberOf(dot, "cy") };
  });
  assert.equal(dots.length, rows.length);
  for (const month of shown) {
    const own = dots.filter(({ x }) => Math.abs(x - across(month)) < 20).map(({ y }) => y);
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
  const dots = marksOf(svg, "value", "path").map(placeOf);
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
  same(dots, seen, "net_activity");
  same(forecast!, ahead, "predicted");
  // An area runs along its upper bounds, and back along its lower bounds.
  const [there, back] = [band!.slice(0, bounded.length), band!.slice(bounded.length).toReversed()];
  const [above, below] = there[0]!.y < back[0]!.y ? [there, back] : [back, there];
  same(above, bounded, "upper");
  same(below, bounded, "lower");
  assertShows(textsOf(svg, "end value")[0]!, Number(rows.at(-1)!.predicted), "end value");
  assertShows(textsOf(svg, "value where the data ends")[0]!, Number(last.net_activity), "data end");
});

Deno.test("the four panels of paper_page are what their frames say", async () => {
  const page = paperPage(frames);
  const svg = await drawnSvg(page);
  const { parts = [] } = await page.spec as PlotSpec;
  const [a, b, c, d] = parts.map(({ rows }) => rows);
  const chains = rowsOf(frames.chains);
  sameRows(
    a!.map(({ group, date, value }) => [group, date, value]),
    rowsOf(frames.five).map((row) => [row.chain_name, row.date, row.fees_sum]),
    "a",
  );
  sameRows(
    b!.map((row) => Object.values(row)),
    rowsOf(sixth).map((row) => [row.market_sector_name, row.retention, row.lower, row.upper]),
    "b",
  );
  sameRows(
    c!.map(({ label, x, y }) => [label, x, y]),
    chains.map((row) => [
      ...[row.chain_name, row.active_users_daily_latest, row.ecosystem_tvl_latest],
    ]),
    "c",
  );
  sameRows(
    d!.slice(0, 13).map((row) => Object.values(row)),
    chains.map((row) => [row.chain_name, row.ecosystem_tvl_latest])
      .toSorted(([, a], [, b]) => (b as number) - (a as number)).slice(0, 13),
    "d",
  );
  const dots = marksOf(svg, "value dot", "circle").map((dot) => numberOf(dot, "cx"));
  const spans = marksOf(svg, "interval", "line");
  assertAffine(
    b!.flatMap((row, at) => [
      [Number(Object.values(row)[1]), dots[at]!] as const,
      [Number(row.lower), numberOf(spans[at]!, "x1")] as const,
      [Number(row.upper), numberOf(spans[at]!, "x2")] as const,
    ]),
    "b",
  );
  textsOf(svg, "value").slice(0, b!.length).forEach((text, at) =>
    assertShows(text, Number(Object.values(b![at]!)[1]), "b")
  );
  const circles = marksOf(svg, "value", "circle");
  assert.equal(circles.length, c!.length);
  const [figure] = parts.slice(2);
  for (const [side, place] of [["x", "cx"], ["y", "cy"]] as const) {
    const at = along(figure!.panels[0]![side] as { type: string });
    assertAffine(c!.map((row, i) => [at(Number(row[side])), numberOf(circles[i]!, place)]), side);
  }
  const names = new Set(chains.map(({ chain_name: name }) => name));
  for (const name of textsOf(svg, "point name")) assert.ok(names.has(name), name);
  for (const [at, { title }] of parts.entries()) {
    assert.ok(svg.textContent.includes(`${"abcd"[at]}  `), title);
  }
});
