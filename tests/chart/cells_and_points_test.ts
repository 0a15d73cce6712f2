import assert from "node:assert/strict";
import type { Chart } from "../../lib/chart/chart.ts";
import { plotContractFlows } from "../../lib/chart/contract_flows.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotGrowth } from "../../lib/chart/growth.ts";
import { plotRetentionHeatmap } from "../../lib/chart/retention_heatmap.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { assertAffine, assertShows, bare, nameOf, VALUES } from "./awkward_values.ts";
import { drawnSvg, marksOf, type SvgElement, textsOf } from "./drawn_svg.ts";
import { frameOf } from "./sample_frames.ts";

const WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"];

function numberOf(element: SvgElement, name: string): number {
  return Number(element.getAttribute(name));
}

/** Texts of a mark with their places in the panel. */
function placedTexts(svg: SvgElement, group: string): { text: string; x: number; y: number }[] {
  return marksOf(svg, group, "text").map((text) => {
    const move = /translate\(([-\d.]+),([-\d.]+)\)/.exec(text.getAttribute("transform") ?? "");
    return { text: text.textContent, x: Number(move?.[1]), y: Number(move?.[2]) };
  });
}

/** The rank of each place among the distinct places. */
function ranksOf(places: readonly number[]): number[] {
  const distinct = [...new Set(places.map(Math.round))].toSorted((a, b) => a - b);
  return places.map((place) => distinct.indexOf(Math.round(place)));
}

/** Asserts that each known value of a table is one cell in its row and column, with the color and text of its size. */
async function assertCells(
  chart: Chart,
  rows: readonly (readonly (number | null)[])[],
  { what, text, plain = [] }: { what: string; text: string; plain?: readonly number[] },
): Promise<void> {
  const svg = await drawnSvg(chart);
  const cells = marksOf(svg, "cell", "rect");
  const known = rows.flatMap((values, row) =>
    values.flatMap((value, column) => value === null ? [] : [{ value, row, column }])
  );
  assert.equal(cells.length, known.length, what);
  const across = ranksOf(cells.map((cell) => numberOf(cell, "x")));
  const down = ranksOf(cells.map((cell) => numberOf(cell, "y")));
  assert.deepEqual(
    known.map(({ row, column }) => [row, column]),
    known.map((_, index) => [down[index], across[index]]),
    what,
  );
  const legend = marksOf(svg, "color legend", "rect").map((step) => step.getAttribute("fill"));
  const steps = known.flatMap(({ value, column }, index) =>
    plain.includes(column)
      ? []
      : [{ value, column, step: legend.indexOf(cells[index]!.getAttribute("fill")) }]
  ).toSorted((a, b) => a.value - b.value);
  assert.ok(steps.every(({ step }) => step >= 0), `${what}: every color is in the legend`);
  // Each column of changes has its own scale.
  for (const own of Map.groupBy(steps, ({ column }) => text === "change" && column).values()) {
    own.slice(1).forEach(({ step, value }, index) =>
      assert.ok(step >= own[index]!.step, `${what}: the color of ${value}`)
    );
  }
  // Labels of the legend begin a step, and stand at the left edge of its color.
  const edges = marksOf(svg, "color legend", "rect").map((step) => numberOf(step, "x"));
  for (const { text, x } of placedTexts(svg, "color legend edge")) {
    const from = edges.findIndex((edge) => Math.abs(edge - x) < 1.5);
    if (from < 0 || !/^[^<>]*\d/.test(text)) continue;
    for (const { value, step } of steps) {
      if (step < from) assertAtMost(value, text, what);
    }
  }
  const texts = textsOf(svg, text);
  if (texts.length === 0) return;
  // The share of month 0 is always 100%, and written once.
  const shares = known.every(({ value, column }) => column > 0 || value === 1);
  const written = shares ? known.filter(({ row, column }) => row === 0 || column > 0) : known;
  assert.equal(texts.length, written.length, what);
  written.forEach(({ value }, index) => assertShows(texts[index]!, value, what));
}

/** Asserts that a value is not above a labeled edge, to half of the label's last digit. */
function assertAtMost(value: number, edge: string, what: string): void {
  const [, sign, digits, decimals = ""] = /([+−]?)([\d,]+(?:\.(\d+))?)/.exec(edge)!;
  const size = Number(digits!.replaceAll(",", "")) / 100 * (sign === "−" ? -1 : 1);
  const half = 0.5 * 10 ** -decimals.length / 100;
  assert.ok(value <= size + half * 1.001 + 1e-9, `${what}: ${value} is below ${edge}`);
}

for (const [name, valueOf] of Object.entries(VALUES)) {
  for (const groups of [10, 36]) {
    Deno.test(`plotGrowth draws cells of ${groups} chains (${name}) as the frame says`, async () => {
      const all = Array.from(
        { length: groups },
        (_, group) => WINDOWS.map((_, step) => valueOf(group, step)),
      );
      const chart = plotGrowth(
        frameOf({
          chain_id: all.map((_, group) => `c${group}`),
          chain_name: all.map((_, group) => nameOf(group)),
          measure: all.map(() => "ecosystem_tvl"),
          ...Object.fromEntries(WINDOWS.map((window, step) => [window, all.map((v) => v[step]!)])),
        }),
        { limit: 40 },
      );
      const by = WINDOWS.indexOf("30d");
      const order = all.map((values, group) => ({ values, name: nameOf(group) }))
        .toSorted((a, b) => (b.values[by] ?? -Infinity) - (a.values[by] ?? -Infinity) || 0);
      await assertCells(chart, order.map(({ values }) => values), { what: name, text: "change" });
      const names = textsOf(await drawnSvg(chart), "y-axis tick label").map(bare);
      assert.deepEqual(names, order.map(({ name }) => name));
    });
  }

  for (const groups of [10, 36]) {
    Deno.test(`plotScatter draws ${groups} points (${name}) where the frame says`, async () => {
      const all = Array.from({ length: groups }, (_, group) => ({
        name: nameOf(group),
        x: valueOf(group, 1),
        y: valueOf(group, 3),
      }));
      const chart = plotScatter(
        frameOf({
          chain_name: all.map(({ name }) => name),
          x: all.map(({ x }) => x),
          y: all.map(({ y }) => y),
        }),
        { x: "x", y: "y", label: "chain_name", scale: "linear" },
      );
      const svg = await drawnSvg(chart);
      const known = all.flatMap(({ name, x, y }) =>
        x === null || y === null ? [] : [{ name, x, y }]
      )
        .toSorted((a, b) => b.y - a.y);
      const dots = marksOf(svg, "value", "circle");
      assert.equal(dots.length, known.length);
      assertAffine(known.map(({ x }, index) => [x, numberOf(dots[index]!, "cx")]), "x");
      assertAffine(known.map(({ y }, index) => [y, numberOf(dots[index]!, "cy")]), "y");
      const names = textsOf(svg, "point name").map(bare);
      assert.ok(names.length > 0 && names.length === new Set(names).size);
      for (const text of names) {
        assert.ok(known.some(({ name }) => name === text || text.endsWith("…")), text);
      }
    });
  }

  Deno.test(`plotContractFlows draws flows (${name}) as the frame says`, async () => {
    const all = Array.from({ length: 10 }, (_, group) => ({
      name: nameOf(group),
      inflow: absolute(valueOf(group, 0)),
      outflow: absolute(valueOf(group, 2)),
      net: valueOf(group, 4),
    }));
    const chart = plotContractFlows(frameOf({
      chain_name: all.map(({ name }) => name),
      inflows: all.map(({ inflow }) => inflow),
      outflows: all.map(({ outflow }) => outflow),
      net_flows: all.map(({ net }) => net),
    }));
    const svg = await drawnSvg(chart);
    const drawn = textsOf(svg, "y-axis tick label").map(bare);
    const sorted = drawn.map((text) => all.find(({ name }) => name === text)!);
    assert.equal(new Set(drawn).size, all.length);
    const known = sorted.filter(({ net }) => net !== null);
    // Largest first, those without a net flow last.
    assert.deepEqual(known, known.toSorted((a, b) => b.net! - a.net!));
    assert.deepEqual(sorted.slice(0, known.length), known);
    const values = (["net", "inflow", "outflow"] as const)
      .map((flow) => sorted.flatMap((group) => group[flow] ?? []));
    const bars = marksOf(svg, "bar", "rect");
    assert.equal(bars.length, values.flat().length);
    let first = 0;
    for (const own of values) {
      // The end of a bar that is not at zero.
      const ends = own.map((value, at) => {
        const bar = bars[first + at]!;
        return [value, numberOf(bar, "x") + (value < 0 ? 0 : numberOf(bar, "width"))] as const;
      });
      assertAffine(ends, name);
      first += own.length;
    }
    assert.equal(textsOf(svg, "value").length, bars.length);
  });
}

function absolute(value: number | null): number | null {
  return value === null ? null : Math.abs(value);
}

for (const name of ["plain", "huge", "tiny", "nearly equal", "some null"]) {
  for (const groups of [5, 36]) {
    const valueOf = VALUES[name]!;
    const all = Array.from({ length: groups }, (_, group) => ({
      name: nameOf(group),
      value: valueOf(group, 1),
    }));
    const known = all.flatMap(({ name, value }) => value === null ? [] : [{ name, value }])
      .toSorted((a, b) => b.value - a.value);
    const total = known.reduce((sum, { value }) => sum + value, 0);
    const frame = frameOf({
      chain_name: all.map(({ name }) => name),
      fees: all.map(({ value }) => value),
    });

    Deno.test(`plotComparison draws the bars of ${groups} parts (${name}) as the frame says`, async () => {
      const options = { field: "fees", unit: "count", label: "chain_name", limit: 40 };
      const svg = await drawnSvg(plotComparison(frame, options));
      const texts = textsOf(svg, "value");
      const widths = marksOf(svg, "bar", "rect").map((bar) => numberOf(bar, "width"));
      assertAffine(
        [[0, 0], ...known.map(({ value }, row) => [value, widths[row]!] as const)],
        name,
      );
      known.forEach(({ value, name }, row) => {
        const [amount, share] = texts[row]!.split(" · ");
        assertShows(amount!, value, name);
        assertShows(share!, value / total, name);
      });
    });
  }
}

Deno.test("plotRetentionHeatmap draws 36 cohorts as cells of their shares", async () => {
  const shares: readonly ((cohort: number, month: number) => number | null)[] = [
    (cohort, month) => month + cohort > 40 ? null : (0.9 - cohort / 100) / (month + 1),
    (cohort, month) => 1e-9 * (cohort + month + 1),
    (cohort, month) => 0.5 + 1e-4 * cohort + 1e-5 * month,
  ];
  for (const [kind, shareOf] of shares.entries()) {
    const months = Array.from({ length: 12 }, (_, month) => month);
    const rows = Array.from(
      { length: 36 },
      (_, cohort) => months.map((month) => month === 0 ? 1 : shareOf(cohort, month)),
    );
    const cells = rows.flatMap((values, cohort) =>
      values.map((value, month) => ({ cohort, month, value }))
    );
    const chart = plotRetentionHeatmap(frameOf({
      project_id: cells.map(() => "one"),
      cohort: cells.map(({ cohort }) => nameOf(cohort)),
      month: cells.map(({ month }) => month),
      retention: cells.map(({ value }) => value),
    }));
    await assertCells(chart, rows, { what: `kind ${kind}`, text: "share", plain: [0] });
    const names = textsOf(await drawnSvg(chart), "y-axis tick label").map(bare);
    assert.deepEqual(names, rows.map((_, cohort) => nameOf(cohort)));
  }
});

Deno.test("charts of nulls draw no mark, and say so", async () => {
  const names = ["a", "b", "c"];
  const nulls = names.map(() => null);
  const charts: readonly [mark: string, element: string, chart: Chart][] = [
    [
      "cell",
      "rect",
      plotGrowth(frameOf({
        ...{ chain_id: names, measure: names.map(() => "ecosystem_tvl") },
        ...Object.fromEntries(WINDOWS.map((window) => [window, nulls])),
      })),
    ],
    [
      "value",
      "circle",
      plotScatter(frameOf({ id: names, x: nulls, y: nulls }), { x: "x", y: "y" }),
    ],
    ["bar", "rect", plotComparison(frameOf({ id: names, x: nulls }), { field: "x" })],
    [
      "net",
      "circle",
      plotContractFlows(frameOf({
        ...{ chain_id: names, inflows: nulls, outflows: nulls, net_flows: nulls },
      })),
    ],
  ];
  for (const [mark, element, chart] of charts) {
    const svg = await drawnSvg(chart);
    assert.equal(marksOf(svg, mark, element).length, 0);
    assert.match(svg.textContent, /No data: every value is null/);
  }
});
