import assert from "node:assert/strict";
import { darkColor } from "../../lib/chart/page/dark.ts";
import {
  colorOf,
  DIVERGING_COLORS,
  ORDERED_COLORS,
  OTHER_COLOR,
  SEQUENTIAL_COLORS,
  SERIES_COLORS,
  seriesColors,
  setColors,
  SLATE,
} from "../../lib/chart/colors.ts";

type Triple = readonly [number, number, number];

/** How colors are seen with each kind of color blindness: Machado, Oliveira and Fernandes (2009), severity 1. */
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

/** CIEDE2000 (Sharma, Wu and Dalal 2005). */
function difference([L1, a1, b1]: Triple, [L2, a2, b2]: Triple): number {
  const degrees = Math.PI / 180;
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const G = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [p1, p2] = [(1 + G) * a1, (1 + G) * a2];
  const [C1, C2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const [h1, h2] = [Math.atan2(b1, p1), Math.atan2(b2, p2)];
  let turn = h2 - h1;
  if (turn > Math.PI) turn -= 2 * Math.PI;
  if (turn < -Math.PI) turn += 2 * Math.PI;
  const dH = 2 * Math.sqrt(C1 * C2) * Math.sin(turn / 2);
  const [L, C, h] = [(L1 + L2) / 2, (C1 + C2) / 2, h1 + turn / 2];
  const T = 1 - 0.17 * Math.cos(h - 30 * degrees) + 0.24 * Math.cos(2 * h) +
    0.32 * Math.cos(3 * h + 6 * degrees) - 0.2 * Math.cos(4 * h - 63 * degrees);
  const hue = ((h / degrees) + 360) % 360;
  const theta = 30 * Math.exp(-(((hue - 275) / 25) ** 2));
  const R = -2 * Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7)) * Math.sin(2 * theta * degrees);
  const SL = 1 + 0.015 * (L - 50) ** 2 / Math.sqrt(20 + (L - 50) ** 2);
  const [SC, SH] = [1 + 0.045 * C, 1 + 0.015 * C * T];
  const [l, c, d] = [(L2 - L1) / SL, (C2 - C1) / SC, dH / SH];
  return Math.sqrt(l * l + c * c + d * d + R * c * d);
}

Deno.test("the distance of colors equals the published CIEDE2000", () => {
  const cases: [Triple, Triple, number][] = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [a, b, expected] of cases) assert.ok(Math.abs(difference(a, b) - expected) < 1e-4);
});

const LEAST: Readonly<Record<string, number>> = {
  full: 15,
  protanopia: 10,
  deuteranopia: 10,
  tritanopia: 10,
};

for (const [vision, least] of Object.entries(LEAST)) {
  Deno.test(`any two of the twelve colors are distinguishable with ${vision}, in both themes`, () => {
    const seen = (color: string) => {
      const [r, g, b] = VISIONS[vision]!.map((row) =>
        Math.min(1, Math.max(0, dot(row, linear(color))))
      );
      return lab([r!, g!, b!]);
    };
    for (const colors of [SERIES_COLORS, DARK_COLORS]) {
      const found = closest(colors, (a, b) => difference(seen(a), seen(b)));
      assert.ok(found >= least, `${found}`);
    }
  });
}

Deno.test("each color has a contrast of 3:1 to its page, and nearly the same hue in both themes", () => {
  const luminance = (color: string) => dot([0.2126, 0.7152, 0.0722], linear(color));
  for (const color of ORDERED_COLORS) assert.ok(1.05 / (luminance(color) + 0.05) >= 3, color);
  const hue = (color: string) => {
    const [, a, b] = lab(linear(color));
    return Math.atan2(b, a) * 180 / Math.PI;
  };
  for (const [index, color] of SERIES_COLORS.entries()) {
    const dark = DARK_COLORS[index]!;
    assert.ok(1.05 / (luminance(color) + 0.05) >= 3, color);
    assert.ok((luminance(dark) + 0.05) / (luminance("#0d1117") + 0.05) >= 3, dark);
    const turn = Math.abs(hue(color) - hue(dark));
    assert.ok(Math.min(turn, 360 - turn) <= 30, `${color} ${dark}`);
  }
});

Deno.test("the first five series colors are distinguishable in grayscale", () => {
  const gray = (a: string, b: string) => Math.abs(lightness(a) - lightness(b));
  assert.ok(closest(SERIES_COLORS.slice(0, 5), gray) > 9);
});

Deno.test("the steps have even lightness in both themes", () => {
  const steps = (colors: readonly string[]) =>
    colors.slice(1).map((color, index) => Math.abs(lightness(color) - lightness(colors[index]!)));
  for (const ramp of [SEQUENTIAL_COLORS, DIVERGING_COLORS]) {
    for (const colors of [ramp, ramp.map(darkColor)]) {
      const found = steps(colors);
      assert.ok(Math.max(...found) - Math.min(...found) < 1, String(found));
    }
  }
  const ordered = ORDERED_COLORS.map(lightness);
  assert.ok(ordered.slice(1).every((value, index) => value - ordered[index]! > 8));
});

Deno.test("a color outside the table is lightened for the dark theme, and keeps its hue", () => {
  assert.ok(lightness(darkColor("#101010")) > 45);
  assert.ok(lightness(darkColor("#ffff00")) > 80);
  assert.match(darkColor("#FF0000"), /^#[0-9a-f]{6}$/);
});

Deno.test("an id has the color of its hash, or the next free one after a collision, in order of id", () => {
  const series = (...ids: string[]) => ids.map((id) => ({ id, label: id }));
  const ids = Array.from({ length: 40 }, (_, index) => `id${index}`);
  for (const id of ids) assert.deepEqual(seriesColors(series(id)), [colorOf(id)]);
  const twin = ids.find((id) => id !== "id0" && colorOf(id) === colorOf("id0"))!;
  const [first, second] = ["id0", twin].toSorted();
  const next = SERIES_COLORS[(SERIES_COLORS.indexOf(colorOf("id0") as never) + 1) % 12];
  assert.deepEqual(seriesColors(series(second!, first!)), [next, colorOf("id0")]);
  assert.equal(new Set(seriesColors(series(...ids.slice(0, 12)))).size, 12);
  assert.equal(colorOf("id0", { theme: "dark" }), darkColor(colorOf("id0")));
});

Deno.test("setColors and colors fix colors, highlight grays others, and marks without an id are slate", () => {
  const series = (...ids: string[]) => ids.map((id) => ({ id, label: id }));
  try {
    setColors(["b", "a"]);
    assert.deepEqual(seriesColors(series("a", "b")), [SERIES_COLORS[1], SERIES_COLORS[0]]);
    assert.equal(colorOf("b"), SERIES_COLORS[0]);
    // Another id moves out of the way of those that are fixed.
    const found = seriesColors(series("z", "b", "a"));
    assert.deepEqual(found.slice(1), SERIES_COLORS.slice(0, 2));
  } finally {
    setColors([]);
  }
  assert.equal(seriesColors(series("a", "b"), { colors: { a: "#123456" } })[0], "#123456");
  assert.equal(seriesColors(series("a", "b"), { highlight: ["b"] })[0], OTHER_COLOR);
  assert.deepEqual(seriesColors([{ id: "", label: "all" }]), [SLATE]);
  assert.throws(
    () => setColors("a" as never),
    /setColors: ids: must be a list of texts; got string/,
  );
});
