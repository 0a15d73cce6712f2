import assert from "node:assert/strict";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { drawnSvg, marksOf, placeOf, textsOf } from "./drawn_svg.ts";
import { frameOf } from "./sample_frames.ts";

const NAMES = [
  ...["BNB Chain", "OP Mainnet", "zkSync Era", "Base", "Arbitrum One", "Polygon PoS", "Linea"],
  ...["Scroll", "Gnosis", "שרשרת"],
];

/** What the values of a group are at a step. */
const VALUES: Readonly<Record<string, (group: number, step: number) => number | null>> = {
  plain: (group, step) => 10 * (group + 1) + 3 * Math.sin(group + step),
  huge: (group, step) => 1e21 * (group + 1 + step / 10),
  tiny: (group, step) => 1e-9 * (group + 1 + step / 10),
  "nearly equal": (group, step) => 1e6 + group + step / 10,
  negative: (group, step) => -5 - group - step,
  "both sides of zero": (group, step) => (group % 2 === 0 ? 1 : -1) * (group + step + 1),
  "some null": (group, step) => (group + step) % 4 === 0 ? null : group + step,
};

const STEPS = 6;

function frame(groups: number, valueOf: (group: number, step: number) => number | null) {
  const rows = Array.from({ length: groups * STEPS }, (_, row) => {
    const [group, step] = [Math.floor(row / STEPS), row % STEPS];
    const name = NAMES[group] ?? `Chain ${group}`;
    return { name, step, value: valueOf(group, step) };
  });
  return frameOf({
    chain_name: rows.map(({ name }) => name),
    step: rows.map(({ step }) => step),
    value: rows.map(({ value }) => value),
  });
}

/** A name without the marks that isolate its direction. */
function bare(name: unknown): string {
  return String(name).replace(/[\u2068\u2069]/g, "");
}

/** Asserts that places lie on one straight line over values, to half a pixel. */
function assertAffine(pairs: readonly (readonly [value: number, place: number])[], what: string) {
  const sorted = pairs.toSorted(([a], [b]) => a - b);
  const [[low, from], [high, to]] = [sorted[0]!, sorted.at(-1)!];
  for (const [value, place] of pairs) {
    const expected = from + (to - from) * (value - low) / (high - low);
    assert.ok(Math.abs(place - expected) <= 0.5, `${what}: ${value} at ${place}, not ${expected}`);
  }
}

for (const [name, valueOf] of Object.entries(VALUES)) {
  for (const groups of [3, 8, 36]) {
    Deno.test(`plotTimeline draws ${groups} groups of values (${name}) at the positions of the frame`, async () => {
      const highlight = groups > 12 ? { highlight: NAMES, limit: 40 } : {};
      const chart = plotTimeline(frame(groups, valueOf), {
        ...{ x: "step", field: "value", color: "chain_name", scale: "linear" as const },
        ...highlight,
      });
      const { rows } = await chart.spec;
      const expected = new Map<string, number | null>(
        Array.from(
          { length: groups },
          (_, group) =>
            Array.from(
              { length: STEPS },
              (_, step) =>
                [`${NAMES[group] ?? `Chain ${group}`} ${step}`, valueOf(group, step)] as const,
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
      const marks = marksOf(await drawnSvg(chart), "value", "path").map(placeOf);
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
    const names = textsOf(svg, "y-axis tick label");
    for (const { chain } of all) assert.ok(names.some((text) => bare(text).includes(chain)), chain);
  });
}

Deno.test("a frame of nulls draws no mark, and the chart states it", async () => {
  const svg = await drawnSvg(plotTimeline(frame(3, () => null), {
    ...{ x: "step", field: "value", color: "chain_name" },
  }));
  assert.equal(marksOf(svg, "value", "path").length, 0);
  assert.match(svg.textContent, /No data: every value is null/);
});
