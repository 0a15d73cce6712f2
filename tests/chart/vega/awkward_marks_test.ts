import assert from "node:assert/strict";
import { vegaComparison } from "../../../lib/chart/comparison.ts";
import { vegaTimeline } from "../../../lib/chart/timeline.ts";
import { assertAffine, nameOf, VALUES } from "../awkward_values.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { marksIn, placeOf, type Row, saidOf } from "../drawn_vega.ts";
import { frameOf } from "../sample_frames.ts";

const STEPS = 6;

function rowsOf(groups: number, valueOf: (group: number, step: number) => number | null): Row[] {
  return Array.from({ length: groups * STEPS }, (_, row) => {
    const [group, step] = [Math.floor(row / STEPS), row % STEPS];
    return { chain_name: nameOf(group), step, value: valueOf(group, step) };
  });
}

function framed(rows: readonly Row[]) {
  const columns = ["chain_name", "step", "value"] as const;
  return frameOf(
    Object.fromEntries(columns.map((name) => [name, rows.map((row) => row[name] as number)])),
  );
}

for (const [name, valueOf] of Object.entries(VALUES)) {
  for (const groups of [3, 36]) {
    Deno.test(`vegaTimeline draws ${groups} groups of values (${name}) at the positions of the frame`, async () => {
      const rows = rowsOf(groups, valueOf);
      const svg = await drawnSvg(vegaTimeline(framed(rows), {
        ...{ x: "step", field: "value", by: "chain_name", scale: "linear" },
        limit: 40,
      }));
      const said = saidOf(marksIn(svg, ".mark-symbol"), rows, {
        nameOf: (row) => `${row.chain_name}, ${row.step}`,
        valueOf: (row) => row.value as number | null,
      });
      const places = said.map(({ mark }) => placeOf(mark));
      assertAffine(said.map(({ row }, at) => [Number(row.value), places[at]!.y]), "y");
      assertAffine(said.map(({ row }, at) => [Number(row.step), places[at]!.x]), "x");
    });
  }

  Deno.test(`vegaComparison draws bars (${name}) with the lengths of the frame`, async () => {
    const rows = rowsOf(10, valueOf).filter(({ step }) => step === 1);
    const chart = vegaComparison(framed(rows), { field: "value", scale: "linear", limit: 40 });
    const svg = await drawnSvg(chart);
    const said = saidOf(marksIn(svg, ".bars_marks"), rows, {
      nameOf: (row) => String(row.chain_name),
      valueOf: (row) => row.value as number | null,
    });
    const widths = said.map(({ mark }) =>
      Number(/^M-?[\d.]+,-?[\d.]+h(-?[\d.]+)/.exec(mark.getAttribute("d")!)![1])
    );
    assertAffine(
      [[0, 0], ...said.map(({ row }, at) => [Math.abs(Number(row.value)), widths[at]!] as const)],
      name,
    );
    const missing = rows.filter(({ value }) => value === null).length;
    const texts = [...svg.querySelectorAll(".mark-text.role-mark text")]
      .map(({ textContent }) => textContent);
    assert.equal(texts.filter((text) => text === "no value").length, missing);
  });
}
