import assert from "node:assert/strict";
import { contractFlows } from "../../lib/analysis/contract_flows.ts";
import { growthTable } from "../../lib/analysis/growth_table.ts";
import { indexed } from "../../lib/analysis/indexed.ts";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import type { PlotFigure } from "../../lib/chart/chart.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { assertAffine, assertShows } from "./awkward_values.ts";
import { drawnSvg, marksOf, placeOf, type SvgElement, textsOf } from "./drawn_svg.ts";
import { galleryCharts, galleryFrames } from "./gallery_charts.ts";

const frames = await galleryFrames();
const charts = galleryCharts(frames);
const curves = retentionCurves(frames.cohorts);
const sectors = pooledRetention(curves, { by: "market_sector_id" });
const sixth = sectors.filter(pl.col("month").eq(6));

type Row = Readonly<Record<string, string | number | Date | boolean | null>>;

function rowsOf(frame: DataFrame): Row[] {
  return frame.toRecords() as Row[];
}

/** The picture of a chart, its rows, and its panels. */
async function pictureOf(name: string) {
  const chart = charts.get(name)!;
  const { rows, panels } = await chart.spec as PlotFigure;
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
  ["plot_timeline_multiples", frames.months, "data_id", "date", "fees_sum"],
  ["plot_timeline_index", indexed(frames.months), "data_id", "date", "fees_sum_index"],
  ["plot_line", frames.five, "chain_name", "date", "fees_sum"],
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
    ["plot_dots", sixth, "market_sector_name", ["retention"]],
  ];

for (const [name, frame, label, fields] of BARS) {
  Deno.test(`the bars, dots and labels of ${name} are what its frame says`, async () => {
    const { svg, rows, panels } = await pictureOf(name);
    const numbers = (row: Row) => Object.values(row).slice(1, 1 + fields.length);
    sameRows(
      rows.map((row) => [Object.values(row)[0], ...numbers(row)]),
      rowsOf(frame).map((row) => [row[label], ...fields.map((field) => row[field])]),
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
      const values = rows.map((row) => numbers(row)[index] as number);
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
  const expected = rowsOf(growthTable(frames.chains, "ecosystem_tvl"));
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
  const own = rowsOf(curves.filter(pl.col("project_id").eq(pl.lit("tidewater"))));
  const month = (date: unknown) =>
    new Date(String(date)).toLocaleDateString("en-US", {
      ...{ month: "short", year: "numeric", timeZone: "UTC" } as const,
    });
  const single = rows.filter(({ cohort }) => /^[A-Z][a-z]{2} \d{4}$/.test(String(cohort)));
  sameRows(
    single.map(({ cohort, month, retention }) => [cohort, month, retention]),
    own.map((row) => [month(row.cohort), row.month, row.retention]),
    "heat map",
  );
  const known = rows.filter(({ retention }) => retention !== null);
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
  const { svg, rows } = await pictureOf("plot_slope");
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
  assertAffine(rows.map(({ value }, index) => [Number(value), ends[index]!]), "slope");
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

Deno.test("the parts of plot_shares and the curve of plot_shares_lorenz are what their frame says", async () => {
  const { svg, rows } = await pictureOf("plot_shares");
  const values = rowsOf(frames.chains)
    .map((row) => [row.chain_name, row.ecosystem_tvl_latest as number] as const)
    .toSorted(([, a], [, b]) => b - a);
  const total = values.reduce((sum, [, value]) => sum + value, 0);
  const drawn = rows.filter(({ label }) => !/^other/.test(String(label)));
  assert.deepEqual(drawn.map(({ label, value }) => [label, value]), values.slice(0, drawn.length));
  const texts = [...textsOf(svg, "share"), ...textsOf(svg, "legend")];
  for (const { label, value } of rows) {
    const text = texts.find((text) => text.startsWith(`${label} `))!;
    assertShows(text.slice(String(label).length), Number(value) / total, text);
  }
  const lorenz = await pictureOf("plot_shares_lorenz");
  let sum = 0;
  const shares = values.toReversed().map(([, value]) => (sum += value) / total);
  const dots = marksOf(lorenz.svg, "value", "circle");
  assertAffine(shares.map((share, index) => [share, numberOf(dots[index]!, "cy")]), "lorenz");
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
  assert.equal(texts.length, complete.length);
  for (const { group, date, rank } of rows) {
    const month = complete.filter((row) => Number(row.date) === Number(date));
    const own = month.find((row) => row.data_id === group)!.fees_sum as number;
    const above = month.filter((row) => (row.fees_sum as number) > own).length;
    assert.equal(rank, above + 1, `${group} ${date}`);
  }
  assert.deepEqual(texts, rows.map(({ rank }) => String(rank)));
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

for (const name of ["plot_difference", "plot_cohort_trend"]) {
  Deno.test(`the points and intervals of ${name} are where its rows say`, async () => {
    const { svg, rows } = await pictureOf(name);
    const drawn = rows.filter(({ group, value }) => group !== "trend" && value !== null);
    const marks = marksOf(svg, "value", "path");
    assert.equal(marks.length, drawn.length);
    const values = drawn.map(({ value }, index) =>
      [Number(value), placeOf(marks[index]!).y] as const
    );
    assertAffine(values, name);
    const whiskers = marksOf(svg, "interval", "line");
    const ends = whiskers.flatMap((line, index) => [
      [Number(drawn[index]!.lower), numberOf(line, "y1")] as const,
      [Number(drawn[index]!.upper), numberOf(line, "y2")] as const,
    ]);
    assert.equal(whiskers.length, name === "plot_difference" ? 0 : drawn.length);
    // Bounds are on the axis of the values.
    assertAffine([...values, ...ends], name);
  });
}

Deno.test("the points of plot_counterfactual are where its rows say, in both panels", async () => {
  const { svg, rows } = await pictureOf("plot_counterfactual");
  const marks = marksOf(svg, "value", "path").map((mark) => placeOf(mark).y);
  const above = ["observed", "expected"].flatMap((group) =>
    rows.filter((row) => row.group === group)
  );
  const below = rows.filter(({ group }) => group === "fjord");
  assert.equal(marks.length, above.length + below.length);
  assertAffine(above.map(({ value }, index) => [Number(value), marks[index]!]), "values");
  assertAffine(
    below.map(({ value }, index) => [Number(value), marks[above.length + index]!]),
    "gaps",
  );
});
