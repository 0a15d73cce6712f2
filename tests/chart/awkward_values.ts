import assert from "node:assert/strict";

/** Names of chains with spaces, and one that is written from right to left. */
export const NAMES = [
  ...["BNB Chain", "OP Mainnet", "zkSync Era", "Base", "Arbitrum One", "Polygon PoS", "Linea"],
  ...["Scroll", "Gnosis", "שרשרת"],
];

/** The name of a group; after the tenth a number. */
export function nameOf(group: number): string {
  return NAMES[group] ?? `Chain ${group}`;
}

/** The value of a group at a step. */
type ValueAt = (group: number, step: number) => number | null;

/** Values that charts must draw at their place. */
export const VALUES: Readonly<Record<string, ValueAt>> = {
  plain: (group, step) => 10 * (group + 1) + 3 * Math.sin(group + step),
  huge: (group, step) => 1e21 * (group + 1 + step / 10),
  tiny: (group, step) => 1e-9 * (group + 1 + step / 10),
  "nearly equal": (group, step) => 1e6 + group + step / 10,
  negative: (group, step) => -5 - group - step,
  "both sides of zero": (group, step) => (group % 2 === 0 ? 1 : -1) * (group + step + 1),
  "some null": (group, step) => (group + step) % 4 === 0 ? null : group + step,
};

/** A name without the marks that isolate its direction. */
export function bare(name: unknown): string {
  return String(name).replace(/[\u2068\u2069]/g, "");
}

/** Asserts that places lie on one straight line over values, to half a pixel. */
export function assertAffine(
  pairs: readonly (readonly [value: number, place: number])[],
  what: string,
): void {
  const sorted = pairs.toSorted(([a], [b]) => a - b);
  const [[low, from], [high, to]] = [sorted[0]!, sorted.at(-1)!];
  for (const [value, place] of pairs) {
    const expected = high === low ? from : from + (to - from) * (value - low) / (high - low);
    assert.ok(Math.abs(place - expected) <= 0.5, `${what}: ${value} at ${place}, not ${expected}`);
  }
}

const POWERS: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 };
const NUMBER = /([+−]?)\$?(\d[\d,]*(?:\.(\d+))?)(?:×10([⁻⁰¹²³⁴-⁹]+))?([KMBT]?)(%?)/u;

/** The first number of a text, and half of its last digit. */
export function numberIn(text: string): { value: number; half: number } {
  const found = NUMBER.exec(text);
  assert.ok(found, `${text}: has no number`);
  const [, sign, digits, decimals = "", power = "0", letter, percent] = found;
  const exponent = power.replace("⁻", "-")
    .replace(/[⁰¹²³⁴-⁹]/gu, (digit) => String("⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)));
  const scale = Number(`1e${exponent}`) * POWERS[letter!]! /
    (percent === "%" ? 100 : 1);
  const size = Number(digits!.replaceAll(",", "")) * scale;
  return {
    value: sign === "−" ? -size : size,
    half: 0.5 * 10 ** -decimals.length * scale,
  };
}

/** Asserts that a text shows a value: the first number in it is the value, rounded to its last digit. */
export function assertShows(text: string, value: number, what: string): void {
  const few = /^(>−|<)(.*)/.exec(text);
  if (few !== null) {
    assert.ok(Math.abs(value) <= numberIn(few[2]!).value, `${what}: ${text} for ${value}`);
    return;
  }
  const { value: shown, half } = numberIn(text);
  const far = Math.abs(shown - value);
  assert.ok(far <= half * 1.001 + Math.abs(value) * 1e-9, `${what}: ${text} for ${value}`);
}
