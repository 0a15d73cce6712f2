import assert from "node:assert/strict";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { assertAffine, assertShows, bare, nameOf, NAMES, VALUES } from "./awkward_values.ts";
import { drawnSvg, marksOf, placeOf, textsOf } from "./drawn_svg.ts";
import { frameOf } from "./sample_frames.ts";

const STEPS = 6;

function frame(groups: number, valueOf: (group: number, step: number) => number | null) {
  const rows = Array.from({ length: groups * STEPS }, (_, row) => {
    const [group, step] = [Math.floor(row / STEPS), row % STEPS];
    return { name: nameOf(group), step, value: valueOf(group, step) };
  });
  return frameOf({
    chain_name: rows.map(({ name }) => name),
    step: rows.map(({ step }) => step),
    value: rows.map(({ value }) => value),
  });
}

for (const [name, valueOf] of Object.entries(VALUES)) {
  for (const groups of [3, 8, 36]) {
    Deno.test(`plotTimeline draws ${groups} groups of values (${name}) at the positions of the frame`, async () => {
      const highlight = groups > 12 ? { highlight: NAMES, limit: 40 } : {};
      const chart = plotTimeline(frame(groups, valueOf), {
        ...{ x: "step", field: "value", by: "chain_name", scale: "linear" as const },
        ...highlight,
      });
      const { rows } = await chart.spec;
      const expected = new Map<string, number | null>(
        Array.from(
          { length: groups },
          (_, group) =>
            Array.from(
              { length: STEPS },
              (_, step) => [`${nameOf(group)} ${step}`, valueOf(group, step)] as const,
            ),
        ).flat(),
      );
      assert.equal(rows.length, expected.size);
      for (const { group, x, value } of rows) {
        assert.equal(value, expected.get(`${bare(group)} ${x}`), `${group} ${x}`);
      }
      const known = rows.filter(({ group, value }) =>
        value !== null && (groups <= 12 || NAMES.includes(bare(group)))
      );
      const marks = marksOf(await drawnSvg(chart), "value", "circle").map(placeOf);
      assert.equal(marks.length, known.length);
      assertAffine(known.map(({ value }, index) => [value as number, marks[index]!.y]), "y");
      assertAffine(known.map(({ x }, index) => [x as number, marks[index]!.x]), "x");
    });
  }

  Deno.test(`plotComparison draws bars (${name}) with the lengths of the frame`, async () => {
    const all = NAMES.map((chain, group) => ({ chain, value: valueOf(group, 1) }));
    const chart = plotComparison(
      frameOf({
        chain_name: all.map(({ chain }) => chain),
        value: all.map(({ value }) => value),
      }),
      { field: "value", scale: "linear" },
    );
    const svg = await drawnSvg(chart);
    const { rows } = await chart.spec;
    const known = rows.flatMap((row) => {
      const [, value] = Object.values(row);
      return value === null ? [] : [value as number];
    });
    const lengths = marksOf(svg, "bar", "rect").map((bar) => Number(bar.getAttribute("width")));
    assert.equal(lengths.length, known.length);
    assertAffine(
      [[0, 0], ...known.map((value, row) => [Math.abs(value), lengths[row]!] as const)],
      name,
    );
    textsOf(svg, "value").forEach((text, row) => assertShows(text, known[row]!, name));
    const names = textsOf(svg, "y-axis tick label");
    for (const { chain } of all) assert.ok(names.some((text) => bare(text).includes(chain)), chain);
  });
}

Deno.test("a frame of nulls draws no mark, and the chart states it", async () => {
  const svg = await drawnSvg(plotTimeline(frame(3, () => null), {
    ...{ x: "step", field: "value", by: "chain_name" },
  }));
  assert.equal(marksOf(svg, "value", "circle").length, 0);
  assert.match(svg.textContent, /No data: every value is null/);
});
