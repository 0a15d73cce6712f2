import assert from "node:assert/strict";
import fc from "fast-check";
import { factorText, numbersOf, POINTS, type Precision } from "../../../lib/chart/numbers.ts";

function texts(values: readonly number[], unit: string, precision?: Precision): string {
  return values.map(numbersOf(values, { unit, locale: "en-US" }, precision)).join(" ");
}

const CASES: Readonly<Record<Precision, [unit: string, values: number[], texts: string][]>> = {
  values: [
    ["usd", [41.23e6, 9.04e6, 820e3], "$41.2M $9.0M $820K"],
    ["usd", [53_410, 2_710, 347, 13, 0.2, 0], "$53.4K $2.7K $347 $13 $0.20 $0"],
    ["usd", [0.25, 47.5], "$0.25 $47.50"],
    ["usd", [0.0000071], "$0.0000071"],
    ["usd", [-4.2e-9], "−$4.2×10⁻⁹"],
    ["count", [12, 3, 0], "12 3 0"],
    ["count", [100, 100.04, 107.3], "100 100 107"],
    ["count", [9.5, 12], "9.5 12.0"],
    ["count", [0.00004], "4×10⁻⁵"],
    ["count", [0.00004, 12], "4×10⁻⁵ 12"],
    ["count", [999.9], "1.0K"],
    ["count", [999_960, 999_949, 99_960, 99_940], "1.0M 1.0M 100K 99.9K"],
    ["count", [-4.56e9, 7e12, 1e15, 1.25e300], "−4.6B 7.0T 1×10¹⁵ 1.3×10³⁰⁰"],
    ["fraction", [0.31, 0.164, 0.0893], "31.0% 16.4% 8.9%"],
    ["fraction", [0.31, 0.16], "31% 16%"],
    ["fraction", [0.889, 0.0004, 0], "88.9% <0.1% 0%"],
    ["fraction", [0.0071, 0.0004], "0.71% 0.04%"],
    ["fraction", [1.1e-7], "<0.01%"],
    ["fraction", [11.72, 123_456], "1,172% 12.3M%"],
    ["change", [0.043, -0.118, 0], "+4.3% −11.8% 0%"],
    ["change", [-1e-9], ">−0.01%"],
    // Only a loss of everything is −100%.
    ["change", [-0.99996], "−99.996%"],
    ["change", [-1], "−100%"],
    ["EUR", [1.234e6, 0], "1.2M EUR 0 EUR"],
    [POINTS, [0.0321, -0.018, 0], "+3.2 points −1.8 points 0 points"],
    [POINTS, [0.321, 0.0102], "+32 points +1 point"],
  ],
  whole: [["fraction", [0.593, 0.401, 0.006], "59% 40% <1%"]],
  exact: [
    ["usd", [7.549e6, 871_400, 12.256, 0.5], "$7.55M $871K $12.26 $0.50"],
    ["fraction", [0.0894, 0.00712, 0.5], "8.94% 0.712% 50%"],
  ],
  ticks: [
    ["usd", [0, 5e6, 1e7], "$0 $5M $10M"],
    ["usd", [0, 5e5, 1e6, 1.5e6], "$0 $500K $1.0M $1.5M"],
    ["usd", [1e6, 1.0005e6, 1.001e6], "$1.0000M $1.0005M $1.0010M"],
    ["usd", [0.5, 1, 1.5], "$0.50 $1.00 $1.50"],
    ["count", [0.1 + 0.2, 0.6], "0.3 0.6"],
    ["fraction", [0.5, 0.5025, 0.505], "50.00% 50.25% 50.50%"],
    ["count", [0, 2e-5, 4e-5], "0 2×10⁻⁵ 4×10⁻⁵"],
    [POINTS, [-0.05, 0, 0.1], "−5 0 +10"],
  ],
  each: [
    ["count", [0.1, 1, 10, 100], "0.1 1 10 100"],
    ["usd", [0.5, 1, 3000, 3e5], "$0.50 $1 $3K $300K"],
    ["fraction", [0.001, 0.0001, 0.00001], "0.1% 0.01% 0.001%"],
  ],
};

for (const [precision, cases] of Object.entries(CASES)) {
  Deno.test(`numbersOf writes numbers that are ${precision}`, () => {
    for (const [unit, values, expected] of cases) {
      assert.equal(texts(values, unit, precision as Precision), expected);
    }
  });
}

const value = fc.oneof(
  fc.double({ min: -1e13, max: 1e13, noNaN: true }),
  fc.double({ min: -2000, max: 2000, noNaN: true }),
  fc.double({ min: -1, max: 1, noNaN: true }),
);

Deno.test("values without a letter have equal decimals, those with a letter one below 100 and none above", () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 8 }),
      fc.constantFrom("usd", "count", "fraction", "change"),
      (values, unit) => {
        const write = numbersOf(values, { unit, locale: "en-US" });
        const plain = values.map(Math.abs).filter((value) => value < 999);
        // Much smaller numbers have digits of their own.
        const least = 0.01 * Math.max(0, ...plain);
        const written = values.filter((value) => Math.abs(value) >= least && value !== 0).map(
          write,
        );
        const decimals = new Set<number>();
        for (const text of written) {
          assert.doesNotMatch(text, /\de|NaN/);
          const [, whole, part = "", letter] = /([\d,]+)(?:\.(\d+))?([KMBT]?)/.exec(text)!;
          if (text.includes("×") || unit === "change" && /^−99\.9/.test(text)) continue;
          if (letter === "") decimals.add(part.length);
          else assert.equal(part.length, whole!.replaceAll(",", "").length < 3 ? 1 : 0, text);
        }
        assert.ok(decimals.size <= 1, written.join(" "));
      },
    ),
    { seed: 67, numRuns: 400 },
  );
});

Deno.test("a text that belongs to no other value is within half of its last digit", () => {
  fc.assert(
    fc.property(value, fc.constantFrom<Precision>("values", "exact"), (number, precision) => {
      const text = numbersOf([number], { unit: "count", locale: "en-US" }, precision)(number);
      if (/[×<>]/.test(text)) return;
      const [, digits, part = "", letter = ""] = /^−?([\d,]+)(?:\.(\d+))?([KMBT]?)$/.exec(text)!;
      const unit = 1000 ** ["", "K", "M", "B", "T"].indexOf(letter);
      const back = Number(`${digits!.replaceAll(",", "")}.${part || 0}`) * unit;
      const step = unit * 10 ** -part.length * (precision === "exact" && part === "" ? 10 : 1);
      assert.ok(Math.abs(back - Math.abs(number)) <= 0.500001 * step, `${number} as ${text}`);
      assert.equal(text.startsWith("−"), number < 0 && back !== 0);
    }),
    { seed: 68, numRuns: 400 },
  );
});

Deno.test("numbersOf writes the digits and letters of a language", () => {
  const write = (locale: string, values: number[]) =>
    values.map(numbersOf(values, { unit: "count", locale })).join(" ");
  assert.equal(write("de-DE", [1_234_567, 1234.5]), "1,2\u00a0Mio. 1.235");
  assert.equal(write("ja-JP", [1_234_567, 12_345]), "123万 1.2万");
});

Deno.test("a factor below 1 is a reciprocal", () => {
  const factors = [1 / 30, 0.1, 1 / 3, 0.5, 1, 3, 30].map((ratio) => factorText(ratio, "en-US"));
  assert.deepEqual(factors, ["×1/30", "×1/10", "×⅓", "×½", "×1", "×3", "×30"]);
});
