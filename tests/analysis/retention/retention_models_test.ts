import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  activeShare,
  fitted,
  predictionOf,
  type Transition,
} from "../../../lib/analysis/retention/retention_models.ts";
import { near } from "../measured.ts";

function transitionsOf(survival: readonly number[], users = 1000): Transition[] {
  return survival.slice(1).map((kept, index) => ({
    from: index,
    to: index + 1,
    lost: users * (survival[index]! - kept),
    kept: users * kept,
  }));
}

/** The model's survival by the paper's recursion: P(1) = a / (a + b), P(t) = P(t-1) (b+t-2) / (a+b+t-1). */
function survivalByPaper(alpha: number, beta: number, months: number): number[] {
  let leaving = alpha / (alpha + beta);
  const survival = [1, 1 - leaving];
  for (let month = 2; month <= months; month++) {
    leaving *= (beta + month - 2) / (alpha + beta + month - 1);
    survival.push(survival[month - 1]! - leaving);
  }
  return survival;
}

/** Curves that fall, of up to eleven months. */
const curve = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 11 })
  .map((values) => [1, ...values.sort((a, b) => b - a)]);

const REGULAR = transitionsOf([1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241]);

Deno.test("the model sbg recovers the parameters of a computed curve", () => {
  // Further out the paper's recursion, a difference of nearly equal numbers, is not exact enough.
  const parameter = fc.double({ min: -2, max: 1, noNaN: true }).map((exponent) => 10 ** exponent);
  fc.assert(
    fc.property(parameter, parameter, fc.integer({ min: 3, max: 12 }), (alpha, beta, months) => {
      const survival = survivalByPaper(alpha, beta, months);
      const { at } = fitted("sbg", transitionsOf(survival));
      predictionOf(at, months).shares.forEach((value, month) => {
        near(value, survival[month]!, 1e-5);
      });
    }),
    { seed: 5, numRuns: 100 },
  );
});

Deno.test("the model sbg comes near the limit if the likelihood has no maximum", () => {
  const cases: [survival: number[], predicted: number[]][] = [
    // No user left, all left at once, or none left after the first month.
    [[1, 1, 1], [1, 1, 1, 1]],
    [[1, 0, 0], [1, 0, 0, 0]],
    [[1, 0.6, 0.6], [1, 0.6, 0.6, 0.6]],
    // Churn does not slow down.
    [[1, 0.5, 0.25], [1, 0.5, 0.25, 0.125]],
    [[1, 1, 0.5], [1, 0.75, 0.5625, 0.421875]],
    [[1, 1, 0], [1, 0.5, 0.25, 0.125]],
  ];
  for (const [survival, predicted] of cases) {
    const { isMaximum, at } = fitted("sbg", transitionsOf(survival));
    equal(isMaximum, false);
    predictionOf(at, 3).shares.forEach((value, month) => near(value, predicted[month]!, 1e-4));
  }
});

Deno.test("the model sbg is finite for every curve, and at least as likely as random parameters", () => {
  const users = fc.double({ min: -3, max: 12, noNaN: true }).map((exponent) => 10 ** exponent);
  const parameter = fc.double({ min: -4, max: 4, noNaN: true }).map((exponent) => 10 ** exponent);
  const tries = fc.array(fc.tuple(parameter, parameter), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(curve, users, tries, (survival, count, points) => {
      const transitions = transitionsOf(survival, count);
      const { at, height, users: most } = fitted("sbg", transitions);
      const logLikelihood = height * most;
      ok(at.every(Number.isFinite) && Number.isFinite(logLikelihood) && logLikelihood <= 0);
      const predicted = predictionOf(at, 24).shares;
      ok(predicted.every((value, month) => 0 <= value && value <= (predicted[month - 1] ?? 1)));
      for (const [alpha, beta] of points) {
        let sum = 0;
        for (const { to, lost, kept } of transitions) {
          const staying = (beta + to - 1) / (alpha + beta + to - 1);
          if (lost > 0) sum += lost * Math.log(1 - staying);
          if (kept > 0) sum += kept * Math.log(staying);
        }
        ok(sum <= logLikelihood + 1e-9 * Math.max(1000, count), `${sum} above ${logLikelihood}`);
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});

Deno.test("a fit from the parameters of a similar curve is the fit of the model", () => {
  const moved = REGULAR.map((step, index) => ({ ...step, lost: step.lost * (1 + index / 20) }));
  const again = fitted("sbg", moved, fitted("sbg", REGULAR).at);
  const fresh = fitted("sbg", moved);
  near(again.height, fresh.height, 1e-12);
  again.at.forEach((value, index) => near(value, fresh.at[index]!, 1e-9));
  const flat = fitted("sbg", transitionsOf([1, 1, 1, 1]), fresh.at);
  near(predictionOf(flat.at, 1).shares[1]!, 1, 1e-4);
});

/** Random activity of the model, with the numbers of active users rounded. */
const activity = fc.record({
  alpha: fc.double({ min: -1.5, max: 1, noNaN: true }).map((exponent) => 10 ** exponent),
  beta: fc.double({ min: -1, max: 1.5, noNaN: true }).map((exponent) => 10 ** exponent),
  q: fc.double({ min: 0.2, max: 1, noNaN: true }),
  months: fc.integer({ min: 4, max: 12 }),
  users: fc.integer({ min: 30, max: 100_000 }),
}).map(({ alpha, beta, q, months, users }) => {
  let left = q;
  return Array.from({ length: months }, (_, month): Transition => {
    left *= (beta + month) / (alpha + beta + month);
    const kept = Math.round(users * left);
    return { from: 0, to: month + 1, lost: users - kept, kept };
  });
});

Deno.test("a maximum of active is at least as likely as random parameters, with q from 0 to 1", () => {
  const number = fc.double({ min: -4, max: 4, noNaN: true });
  const tries = fc.array(fc.tuple(number, number, number), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(activity, tries, (transitions, points) => {
      const fit = fitted("active", transitions);
      if (!fit.isMaximum) return;
      const heights = points.map(([alpha, beta, logit]) => {
        const level = -Math.log1p(Math.exp(alpha - beta)) - Math.log1p(Math.exp(-logit));
        const { shares } = predictionOf([alpha, beta, level], 12);
        return transitions.reduce(
          (sum, { to, lost, kept }) =>
            sum + (lost > 0 ? lost * Math.log(1 - shares[to]!) : 0) +
            (kept > 0 ? kept * Math.log(shares[to]!) : 0),
          0,
        ) / fit.users;
      });
      ok(heights.every((height) => !(height > fit.height + 1e-9)));
      ok(activeShare(fit.at) <= 1);
    }),
    { seed: 5, numRuns: 300 },
  );
});
