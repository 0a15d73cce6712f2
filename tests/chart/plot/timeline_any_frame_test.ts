import assert from "node:assert/strict";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { drawnSvg, marksOf, type SvgElement, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const days = ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"].map((day) => new Date(day));
const frame = frameOf({
  date: [...days, ...days],
  chain_id: [...days.map(() => "a"), ...days.map(() => "b")],
  fees: [0, 100, 50, 25, 80, null, 40, 10],
});
const options = { x: "date", field: "fees", by: "chain_id" };

/** The place of a tick's label, from the top. */
function tickAt(svg: SvgElement, axis: string, label: string, part: 1 | 2): number {
  const tick = marksOf(svg, `${axis}-axis tick label`, "text").find(({ textContent }) =>
    textContent === label
  );
  return Number(/\(([-\d.]+),([-\d.]+)\)/.exec(tick!.getAttribute("transform")!)![part]);
}

Deno.test("plotTimeline of any frame draws values and days at their positions on the axes", async () => {
  const svg = await drawnSvg(plotTimeline(frame, options));
  const [line] = marksOf(svg, "line", "path").map((line) => line.getAttribute("d")!);
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

Deno.test("plotTimeline of any frame labels days, months and years, each year once", async () => {
  for (
    const [dates, labels] of [
      [["2026-01-05", "2026-01-06", "2026-01-07"], ["Jan 52026", "Jan 6", "Jan 7"]],
      [["2025-12-01", "2026-01-01", "2026-02-01"], ["Dec2025", "Jan2026", "Feb"]],
      [["2024-01-01", "2025-01-01", "2026-01-01"], ["2024", "2025", "2026"]],
    ] as const
  ) {
    const frame = frameOf({ date: dates.map((day) => new Date(day)), fees: [1, 2, 3] });
    const svg = await drawnSvg(plotTimeline(frame, { x: "date", field: "fees" }));
    assert.deepEqual(textsOf(svg, "x-axis tick label"), [...labels]);
  }
});
