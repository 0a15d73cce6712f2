import assert from "node:assert/strict";
import { ORDERED_COLORS, SEQUENTIAL_COLORS, SERIES_COLORS } from "../../lib/chart/colors.ts";

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
    assert.ok(closest(SERIES_COLORS, distance) > 13);
    assert.ok(closest(SERIES_COLORS.slice(0, 5), distance) > 16);
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
  const ordered = ORDERED_COLORS.map(lightness);
  assert.ok(ordered.slice(1).every((value, index) => value - ordered[index]! > 8));
});
