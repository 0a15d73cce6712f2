import assert from "node:assert/strict";
import fc from "fast-check";
import { placeNames } from "../../../lib/chart/drawing/name_places.ts";
import { plotScatter } from "../../../lib/chart/scatter.ts";
import { textWidth } from "../../../lib/chart/text/layout.ts";
import { theme } from "../../../lib/chart/theme.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const chains = frameOf({
  chain_id: ["a", "b", "c", "d"],
  users: [0, 50, 100, null],
  tvl: [1, 2, 4, 3],
});

Deno.test("plotScatter places labels so that none overlaps a label or a point", () => {
  const room = { left: 40, right: 400, top: 20, bottom: 300 };
  const point = fc.record({
    x: fc.integer({ min: 45, max: 395 }),
    y: fc.integer({ min: 25, max: 295 }),
    label: fc.string({ minLength: 1, maxLength: 12 }),
  });
  fc.assert(
    fc.property(fc.array(point, { maxLength: 25 }), (points) => {
      const boxes = placeNames(points, { room, line: [] }).flatMap((place, index) => {
        if (place === null) return [];
        const width = textWidth(place.text, theme.label);
        const { textX: x, textY: y } = place;
        const left = place.anchor === "start"
          ? x
          : place.anchor === "end"
          ? x - width
          : x - width / 2;
        return [{ index, left, right: left + width, top: y - 6, bottom: y + 6 }];
      });
      for (const a of boxes) {
        assert.ok(a.left >= room.left - 0.01 && a.right <= room.right + 0.01);
        for (const b of boxes) {
          const apart = a.index === b.index || a.right <= b.left + 0.01 ||
            b.right <= a.left + 0.01 ||
            a.bottom <= b.top || b.bottom <= a.top;
          assert.ok(apart);
        }
        for (const [index, { x, y }] of points.entries()) {
          const hit = x > a.left && x < a.right && y > a.top && y < a.bottom;
          assert.ok(index === a.index || !hit);
        }
      }
    }),
    { seed: 17, numRuns: 200 },
  );
});

Deno.test("plotScatter draws a line to a label that does not fit next to its point", async () => {
  // Five points so near to each other that not all names fit around them.
  const near = frameOf({
    chain_id: ["alder", "basalt", "cinder", "drift", "ember", "far"],
    users: [50, 51, 52, 53, 54, 100],
    tvl: [50, 52, 54, 56, 58, 100],
  });
  const svg = await drawnSvg(plotScatter(near, { x: "users", y: "tvl", label: "chain_id" }));
  const names = textsOf(svg, "point name");
  assert.deepEqual(names.toSorted(), ["alder", "basalt", "cinder", "drift", "ember", "far"]);
  assert.ok(marksOf(svg, "leader", "path, line").length > 0);
  const alone = await drawnSvg(plotScatter(chains, { x: "users", y: "tvl", label: "chain_id" }));
  assert.equal(marksOf(alone, "leader", "path, line").length, 0);
  assert.match(svg.textContent, /6 chains/);
});

Deno.test("plotScatter draws the least-squares line, and states its fit", async () => {
  // y = 2 + 3 x, with 1 more and 1 less: slope 3, r2 = 45 / 49 by hand.
  const near = frameOf({ chain_id: ["a", "b", "c", "d"], x: [0, 1, 2, 3], y: [3, 4, 7, 12] });
  const chart = plotScatter(near, { x: "x", y: "y", label: "chain_id", trend: true });
  const svg = await drawnSvg(chart);
  const numbers = (d: string) => [...d.matchAll(/[-\d.]+/g)].map(Number);
  const [x1, y1, x2, y2] = numbers(marksOf(svg, "trend", "path")[0]!.getAttribute("d")!);
  const dots = marksOf(svg, "value", "circle").map((dot) => [
    Number(dot.getAttribute("cx")),
    Number(dot.getAttribute("cy")),
  ]);
  // From pixels to values by two of the points: (3, 12) and (0, 3).
  const [top, low] = [dots[0]!, dots[3]!];
  const valueAt = (y: number) => 3 + 9 * (low[1]! - y) / (low[1]! - top[1]!);
  assert.ok(Math.abs(x1! - low[0]!) < 0.1 && Math.abs(x2! - top[0]!) < 0.1);
  assert.ok(Math.abs(valueAt(y1!) - 2) < 0.02, String(valueAt(y1!)));
  assert.ok(Math.abs(valueAt(y2!) - 11) < 0.02, String(valueAt(y2!)));
  assert.equal((await chart.spec).caption[0], "Line: least squares, r² = 0.92, n = 4.");
  const plain = plotScatter(near, { x: "x", y: "y", label: "chain_id" });
  assert.equal(marksOf(await drawnSvg(plain), "trend", "path").length, 0);
});

Deno.test("plotScatter states the exponent of the power law on two logarithmic axes", async () => {
  const law = frameOf({ chain_id: ["a", "b", "c"], x: [1, 10, 100], y: [5, 5e2, 5e4] });
  const options = { x: "x", y: "y", label: "chain_id", trend: true };
  const { caption } = await plotScatter(law, { ...options, scale: "log" }).spec;
  assert.equal(caption[0], "Line: least squares, y ∝ x^2.00, r² = 1.00, n = 3.");
});

Deno.test("plotScatter keeps its line inside the frame, and draws none for too few points", async () => {
  const options = { x: "x", y: "y", label: "chain_id", trend: true };
  const steep = frameOf({ chain_id: ["a", "b", "c", "d"], x: [0, 1, 2, 10], y: [0, 0, 0, 100] });
  const chart = plotScatter(steep, options);
  const svg = await drawnSvg(chart);
  const { height, marginBottom } = (await chart.spec).panels[0]!;
  const ys = [...marksOf(svg, "trend", "path")[0]!.getAttribute("d")!.matchAll(/,([-\d.]+)/g)]
    .map(([, y]) => Number(y));
  assert.ok(ys.every((y) => y <= height! - marginBottom! + 0.01));
  for (const few of [{ x: [1, 2], y: [1, 2] }, { x: [1, 1, 1], y: [1, 2, 3] }]) {
    const frame = frameOf({ chain_id: few.x.map((_, row) => `c${row}`), ...few });
    const none = plotScatter(frame, options);
    assert.equal(marksOf(await drawnSvg(none), "trend", "path").length, 0);
    assert.match(
      (await none.spec).caption[0]!,
      /^No line of least squares: fewer than three points/,
    );
  }
});
