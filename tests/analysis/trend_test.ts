import { deepEqual, ok } from "node:assert/strict";
import { breakOf } from "../../lib/analysis/retention/mean_break.ts";
import { dateEffects, seriesOf, trendOf } from "../../lib/analysis/trend.ts";

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

Deno.test("breakOf finds a perfect step, no break in equal values, and needs 20 values", () => {
  const step = (count: number) =>
    Array.from({ length: count }, (_, at) => at < count / 2 ? 0.3 : 0.4);
  deepEqual([18, 24].map((count) => breakOf(step(count)).break_p_value), [NaN, 0.001]);
  const { break_f: f, break_p_value: p } = breakOf(new Array(20).fill(0.3));
  deepEqual([f, p], [0, 1]);
  deepEqual([breakOf(step(20)).break_p_value, breakOf(step(19)).break_p_value], [0.001, NaN]);
});

Deno.test("trendOf equals least squares with Newey-West errors", () => {
  const xs = NILE.map((_, at) => 1871 + at);
  const { slope, slope_lower: lower, slope_upper: upper, halfAt } = trendOf(
    xs,
    seriesOf(NILE),
    0.95,
  );
  // R: m <- lm(Nile ~ time(Nile)); X <- residuals(lm(time(Nile) ~ 1)); h <- X * residuals(m)
  //    v <- sum(h^2); for (l in 1:4) v <- v + 2 * (1 - l / 5) * sum(h[-(1:l)] * h[1:(100 - l)])
  //    c(coef(m)[2], sqrt(v * 100 / 98) / sum(X^2))
  const error = 0.702682250598;
  ok(Math.abs(slope - -2.714305430543) < 1e-9, `${slope}`);
  // The critical value is that of simulated series, a little above the normal one with 100 values.
  const [below, above] = [(slope - lower) / error, (upper - slope) / error];
  ok(Math.abs(below - above) < 1e-9 && above > 1.96 && above < 3, `${below} ${above}`);
  // The same for the line at 1871: h <- residuals(m) * (1 / 100 + (1871 - mean(time(Nile))) * X / sum(X^2))
  ok(Math.abs(halfAt(1871) / above - 43.662997900861) < 1e-7, `${halfAt(1871) / above}`);
});

Deno.test("dateEffects equal the effects of a model with units and dates", () => {
  const panel = {
    unit: Int32Array.of(0, 0, 1, 1, 1, 2),
    at: Int32Array.of(0, 1, 0, 1, 2, 2),
    y: Float64Array.of(1, 2.5, 5, 6, 9, 4),
  };
  // R: y <- c(1, 2.5, 5, 6, 9, 4); u <- factor(c(1, 1, 2, 2, 2, 3)); d <- factor(c(0, 1, 0, 1, 2, 2))
  //    f <- c(0, tail(coef(lm(y ~ u + d)), 2)); f - mean(f)
  const expected = [-1.791666666667, -0.541666666667, 2.333333333333];
  dateEffects(panel, 3).forEach((effect, at) => ok(Math.abs(effect - expected[at]!) < 1e-9));
});
