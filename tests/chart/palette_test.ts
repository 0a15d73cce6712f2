import assert from "node:assert/strict";
import { darkColor } from "../../lib/chart/page/dark.ts";
import {
  forgetColors,
  ORDERED_COLORS,
  OTHER_COLOR,
  SEQUENTIAL_COLORS,
  SERIES_COLORS,
  seriesColors,
} from "../../lib/chart/colors.ts";

type Triple = readonly [number, number, number];

/** How colours are seen with each kind of colour blindness: Machado, Oliveira and Fernandes (2009), severity 1. */
const VISIONS: Readonly<Record<string, readonly Triple[]>> = {
  full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(color: string): Triple {
  const channel = (start: number) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function dot([a, b, c]: Triple, [x, y, z]: Triple): number {
  return a * x + b * y + c * z;
}

/** CIELAB under D65. */
function lab(color: Triple): Triple {
  const curve = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = curve(dot([0.4124, 0.3576, 0.1805], color) / 0.95047);
  const y = curve(dot([0.2126, 0.7152, 0.0722], color));
  const z = curve(dot([0.0193, 0.1192, 0.9505], color) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function lightness(color: string): number {
  return lab(linear(color))[0];
}

function closest(colors: readonly string[], distance: (a: string, b: string) => number): number {
  return Math.min(
    ...colors.flatMap((a, index) => colors.slice(index + 1).map((b) => distance(a, b))),
  );
}

const DARK_COLORS = SERIES_COLORS.map(darkColor);

for (const [vision, matrix] of Object.entries(VISIONS)) {
  Deno.test(`the series colours are told apart with ${vision === "full" ? "full vision" : vision}`, () => {
    const seen = (color: string) => {
      const [r, g, b] = matrix.map((row) => Math.max(0, dot(row, linear(color))));
      return lab([r!, g!, b!]);
    };
    const distance = (a: string, b: string) => {
      const [p, q] = [seen(a), seen(b)];
      return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    };
    for (const colors of [SERIES_COLORS, DARK_COLORS]) {
      assert.ok(closest(colors, distance) > 13);
      assert.ok(closest(colors.slice(0, 5), distance) > 16);
    }
  });
}

Deno.test("the first five series colours are told apart in grey", () => {
  assert.ok(
    closest(SERIES_COLORS.slice(0, 5), (a, b) => Math.abs(lightness(a) - lightness(b))) > 9,
  );
});

Deno.test("the ramps run steadily from light to dark or back, for grey", () => {
  const light = SEQUENTIAL_COLORS.map(lightness);
  assert.ok(light.slice(1).every((value, index) => light[index]! - value > 4));
  const dark = SEQUENTIAL_COLORS.map(darkColor).map(lightness);
  assert.ok(dark.slice(1).every((value, index) => value - dark[index]! > 4));
  const ordered = ORDERED_COLORS.map(lightness);
  assert.ok(ordered.slice(1).every((value, index) => value - ordered[index]! > 8));
});

Deno.test("a colour that is not in the table is lifted off the dark paper, and keeps its hue", () => {
  assert.ok(lightness(darkColor("#101010")) > 45);
  assert.ok(lightness(darkColor("#ffff00")) > 80);
  assert.match(darkColor("#FF0000"), /^#[0-9a-f]{6}$/);
});

Deno.test("an id keeps its colour in every chart, the user's choice wins, and two of one chart differ", () => {
  forgetColors();
  const series = (...ids: string[]) => ids.map((id) => ({ id, label: id }));
  const [a, b] = seriesColors(series("a", "b"));
  assert.deepEqual([a, b], SERIES_COLORS.slice(0, 2));
  assert.deepEqual(seriesColors(series("c", "b", "a")), [SERIES_COLORS[2], b, a]);
  assert.deepEqual(seriesColors(series("a", "b"), { colors: { a: "#123456" } }), ["#123456", b]);
  assert.deepEqual(seriesColors(series("a", "b"), { highlight: ["b"] }), [OTHER_COLOR, b]);
  // The thirteenth id has the first colour, unless the first is in the same chart.
  seriesColors(series(..."defghijklm"));
  assert.deepEqual(seriesColors(series("m")), [SERIES_COLORS[0]]);
  assert.equal(new Set(seriesColors(series("a", "m"))).size, 2);
  forgetColors();
});
