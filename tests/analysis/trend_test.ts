import { deepEqual, ok } from "node:assert/strict";
import { breakOf, trendOf } from "../../lib/analysis/trend.ts";
import { chanceOf } from "./simulated_cohorts.ts";

/** Annual flow of the Nile at Aswan, 1871 to 1970, in 10^8 m³ (Cobb 1978; R's `Nile`). */
// deno-fmt-ignore
const NILE = [
  1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
  1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969,
  831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759,
  781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890,
  744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740,
];

Deno.test("breakOf finds the published break of the Nile", () => {
  const { last, break_f: f, break_p_value: p } = breakOf(NILE);
  deepEqual([1871 + last, f.toFixed(2), p], [1898, "75.93", 0.001]);
});

Deno.test("breakOf finds no break in equal values", () => {
  const { break_f: f, break_p_value: p } = breakOf(new Array(20).fill(0.3));
  deepEqual([f, p], [0, 1]);
});

Deno.test("trendOf equals Newey-West errors computed with matrices", () => {
  const xs = NILE.map((_, at) => 1871 + at);
  const { intercept, slope, slope_lower: lower, slope_upper: upper } = trendOf(xs, NILE, 0.95);
  ok(Math.abs(slope + 2.7143) < 1e-4, `${slope}`);
  const rows = xs.map((x) => [1, x - 1900]);
  const errors = NILE.map((y, at) => y - intercept - slope * xs[at]!);
  const meat = [[0, 0], [0, 0]];
  for (const [i, row] of rows.entries()) {
    for (const [j, other] of rows.entries()) {
      const weight = Math.max(0, 1 - Math.abs(i - j) / 5);
      for (const a of [0, 1]) {
        for (const b of [0, 1]) {
          meat[a]![b]! += weight * row[a]! * other[b]! * errors[i]! * errors[j]!;
        }
      }
    }
  }
  const sums = (power: number) => rows.reduce((sum, row) => sum + row[1]! ** power, 0);
  const [n, s1, s2] = [rows.length, sums(1), sums(2)];
  const bread = [-s1 / (n * s2 - s1 * s1), n / (n * s2 - s1 * s1)];
  const variance = bread.reduce(
    (sum, left, a) => sum + bread.reduce((part, right, b) => part + left * meat[a]![b]! * right, 0),
    0,
  ) * n / (n - 2);
  const error = Math.sqrt(variance);
  // Its critical value is that of simulated series, a little above the normal one with 100 values.
  const [below, above] = [(slope - lower) / error, (upper - slope) / error];
  ok(Math.abs(below - above) < 1e-9 && above > 1.96 && above < 3, `${below} ${above}`);
});

Deno.test("breakOf and trendOf seldom find a change in short series without one", () => {
  const chance = chanceOf(5);
  for (const correlation of [0, 0.5]) {
    let [breaks, slopes] = [0, 0];
    for (let draw = 0; draw < 100; draw++) {
      let error = chance.normal() / Math.sqrt(1 - correlation ** 2);
      const values = Array.from(
        { length: 12 },
        () => error = correlation * error + chance.normal(),
      );
      breaks += Number(breakOf(values).break_p_value <= 0.05);
      slopes += Number(trendOf(values.map((_, at) => at), values, 0.95).p_value <= 0.05);
    }
    // 5 in 100 are expected.
    ok(breaks <= 14 && slopes <= 14, `${correlation}: ${breaks} ${slopes}`);
  }
});
