import assert from "node:assert/strict";
import fc from "fast-check";
import { darkColor } from "../../lib/chart/page/dark.ts";
import { colorOf, setColors } from "../../lib/chart/color_registry.ts";
import {
  DIVERGING_COLORS,
  ORDERED_COLORS,
  OTHER_COLOR,
  SEQUENTIAL_COLORS,
  SERIES_COLORS,
  SLATE,
} from "../../lib/chart/colors.ts";
import { drawnSeries } from "../../lib/chart/series_colors.ts";

type Triple = readonly [number, number, number];

/**
 * How colors are seen with each kind of color blindness, as matrices of linear RGB: Machado, Oliveira and Fernandes
 * (2009), severity 1; and Viénot, Brettel and Mollon (1999).
 */
const VISIONS: Readonly<Record<string, readonly Triple[]>> = {
  "full color vision": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
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
  "protanopia by Viénot": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  "deuteranopia by Viénot": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
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

const THEMES = [SERIES_COLORS, SERIES_COLORS.map((color) => darkColor(color))];

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

for (const [vision, matrix] of Object.entries(VISIONS)) {
  Deno.test(`any two of the twelve colors are distinguishable with ${vision}, in both themes`, () => {
    const seen = (color: string) => {
      const [r, g, b] = matrix.map((row) => Math.min(1, Math.max(0, dot(row, linear(color)))));
      return lab([r!, g!, b!]);
    };
    for (const colors of THEMES) {
      const found = closest(colors, (a, b) => difference(seen(a), seen(b)));
      assert.ok(found >= (vision === "full color vision" ? 15 : 10), `${found}`);
    }
  });
}

/** OKLCH (Ottosson 2020): lightness from 0 to 1, chroma, and hue in degrees. */
function oklch(color: string): Triple {
  const [l, m, s] = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ].map((row) => Math.cbrt(dot(row as never, linear(color)))) as never as Triple;
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const hue = (Math.atan2(b, a) * 180 / Math.PI + 360) % 360;
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, b), hue];
}

Deno.test("each color is far from gray and slate, and nearly the same in both themes", () => {
  const luminance = (color: string) => dot([0.2126, 0.7152, 0.0722], linear(color));
  const contrast = (a: string, b: string) => {
    const [low, high] = [luminance(a), luminance(b)].toSorted((a, b) => a - b);
    return (high! + 0.05) / (low! + 0.05);
  };
  for (const color of ORDERED_COLORS) assert.ok(contrast(color, "#ffffff") >= 3, color);
  for (const color of SERIES_COLORS) {
    const dark = darkColor(color);
    assert.ok(contrast(color, "#ffffff") >= 3 && contrast(dark, "#0d1117") >= 3, color);
    for (const gray of [OTHER_COLOR, SLATE]) {
      const far = (a: string, b: string) => difference(lab(linear(a)), lab(linear(b)));
      assert.ok(far(color, gray) >= 10 && far(dark, darkColor(gray)) >= 10, `${color} ${gray}`);
    }
    const [[lightness, chroma, hue], [, darkChroma, darkHue]] = [oklch(color), oklch(dark)];
    const turn = Math.abs(hue - darkHue);
    assert.ok(Math.min(turn, 360 - turn) <= 8, `${color} ${dark}: hue`);
    assert.ok(Math.abs(chroma - darkChroma) <= 0.05, `${color} ${dark}: chroma`);
    assert.ok(lightness >= 0.42, `${color}: lightness`);
  }
  for (const colors of THEMES) {
    const purple = colors.map((color) => oklch(color)[2]).filter((hue) => hue >= 278 && hue <= 345);
    assert.ok(purple.length <= 3, `${purple}`);
  }
});

Deno.test("the first four series colors are distinguishable in grayscale", () => {
  const gray = (a: string, b: string) => Math.abs(lightness(a) - lightness(b));
  assert.ok(closest(SERIES_COLORS.slice(0, 4), gray) > 8);
});

Deno.test("the steps have even lightness in both themes", () => {
  const steps = (colors: readonly string[]) =>
    colors.slice(1).map((color, index) => Math.abs(lightness(color) - lightness(colors[index]!)));
  for (const ramp of [SEQUENTIAL_COLORS, DIVERGING_COLORS]) {
    for (const colors of [ramp, ramp.map((color) => darkColor(color))]) {
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

const chains = (...ids: string[]) => ids.map((id) => ({ id, label: id, kind: "chain_id" }));
const colorsIn = (...given: Parameters<typeof drawnSeries>) =>
  drawnSeries(...given).map(({ color }) => color);

Deno.test("an id has the first color of its own order, whatever was drawn before", () => {
  setColors({});
  const [b, a] = colorsIn(chains("b", "a"));
  assert.notEqual(b, a);
  colorsIn(chains("y", "z", "w", "c", "d", "e", "f"));
  assert.deepEqual(colorsIn(chains("a", "b")), [a, b]);
  // An id whose kind is not known keeps its color when a chart names its kind.
  const harbor = colorOf("harbor");
  assert.equal(colorOf("harbor", { theme: "dark" }), darkColor(harbor));
  assert.deepEqual(colorsIn([{ id: "harbor", label: "", kind: "project_id" }]), [harbor]);
  setColors({ chain_id: { z: 12 } });
  assert.equal(colorsIn(chains("b", "z"))[1], SERIES_COLORS[11]);
  setColors({});
});

Deno.test("two notebooks that draw the same ids agree, in any order and after any other chart", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 9 }), { maxLength: 4 }),
      (ids, before) => {
        const named = ids.map((id) => `${id}!`);
        setColors({});
        const first = new Map(named.map((id, at) => [id, colorsIn(chains(...named))[at]]));
        setColors({});
        for (const others of before) colorsIn(chains(...others.map((id) => `${id}!`)));
        const again = named.toReversed();
        assert.deepEqual(colorsIn(chains(...again)), again.map((id) => first.get(id)));
        assert.equal(new Set(first.values()).size, named.length);
      },
    ),
    { seed: 8, numRuns: 60 },
  );
  setColors({});
});

Deno.test("in charts of five ids, most ids have the color that they have alone", () => {
  let [same, all] = [0, 0];
  for (let world = 0; world < 200; world++) {
    const ids = Array.from({ length: 5 }, (_, at) => `chain-${world}-${at}`);
    const drawn = colorsIn(chains(...ids));
    same += ids.filter((id, at) => colorOf(id, { kind: "chain_id" }) === drawn[at]).length;
    all += ids.length;
  }
  assert.ok(same / all > 0.8, String(same / all));
  setColors({});
});

Deno.test("from the 13th id of a kind on, an id gets the color that its chart uses least", () => {
  setColors({});
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
  assert.equal(new Set(colorsIn(chains(...ids))).size, 12);
  assert.equal(new Set(colorsIn(chains("c0", "c1", "new"))).size, 3);
  const many = Array.from({ length: 8000 }, (_, at) => `id-${at}`);
  const counts = Map.groupBy(colorsIn(chains(...many)).slice(0, 12), (color) => color);
  assert.equal(counts.size, 12);
});

Deno.test("chosen colors come first, highlight grays others, and marks without an id are slate", () => {
  setColors({});
  assert.deepEqual(colorsIn(chains("a", "b"), { colors: { a: "#123456" } })[0], "#123456");
  assert.deepEqual(colorsIn(chains("x", "y"), { highlight: ["y"] }), [
    OTHER_COLOR,
    colorOf("y", { kind: "chain_id" }),
  ]);
  assert.deepEqual(colorsIn([{ id: "", label: "all" }]), [SLATE]);
  const refused: [unknown, RegExp][] = [
    [["a"], /^setColors: colors: must be numbers by id, such as .*; got \[ "a" \]$/],
    [
      { chain_id: { a: 13 } },
      /^setColors: chain_id\.a: must be a whole number from 1 to 12; got 13$/,
    ],
    [{ chain_id: "a" }, /^setColors: chain_id: must be numbers by id/],
  ];
  for (const [given, message] of refused) {
    assert.throws(() => setColors(given as never), { name: "TypeError", message });
  }
});
