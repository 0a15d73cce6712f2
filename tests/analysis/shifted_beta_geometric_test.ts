import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Transition } from "../../lib/analysis/observed_curve.ts";
import { MODELS } from "../../lib/analysis/retention_models.ts";

/** The model `sbg` of losses, with its parameters. */
function fitShiftedBetaGeometric(transitions: readonly Transition[]) {
  const data = {
    start: 1,
    levels: [],
    transitions,
    adjusted: false,
    months: transitions.length + 1,
  };
  const { at, hazard, logLikelihood, isMaximum } = MODELS.sbg.fit(data);
  const [alpha, beta] = at.map(Math.exp);
  return { alpha, beta, hazard, logLikelihood, isMaximum };
}

type ShiftedBetaGeometric = ReturnType<typeof fitShiftedBetaGeometric>;

function transitionsOf(survival: readonly number[], users = 1000): Transition[] {
  return survival.slice(1).map((kept, index) => ({
    from: index,
    to: index + 1,
    lost: users * (survival[index]! - kept),
    kept: users * kept,
  }));
}

function survivalOf({ hazard }: ShiftedBetaGeometric, months: number): number[] {
  const survival = [1];
  for (let month = 1; month <= months; month++) {
    survival.push(survival.at(-1)! * (1 - hazard(month)));
  }
  return survival;
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

/** The paper's multinomial log-likelihood: those lost by when they left, the others by having stayed. */
function likelihoodByPaper(
  alpha: number,
  beta: number,
  survival: readonly number[],
  users: number,
) {
  const model = survivalByPaper(alpha, beta, survival.length - 1);
  let sum = users * survival.at(-1)! * Math.log(model.at(-1)!);
  for (let month = 1; month < survival.length; month++) {
    const lost = users * (survival[month - 1]! - survival[month]!);
    sum += lost * Math.log(model[month - 1]! - model[month]!);
  }
  return sum;
}

const REGULAR = [1, 0.631, 0.468, 0.382, 0.326, 0.289, 0.262, 0.241];
const HIGH_END = [1, 0.869, 0.743, 0.653, 0.593, 0.551, 0.517, 0.491];

Deno.test("fitShiftedBetaGeometric equals the published fits", () => {
  const cases: [survival: number[], alpha: string, beta: string, likelihood: string][] = [
    [REGULAR, "0.704", "1.182", "-1680.27"],
    [HIGH_END, "0.668", "3.806", "-1611.16"],
  ];
  for (const [survival, alpha, beta, likelihood] of cases) {
    const fit = fitShiftedBetaGeometric(transitionsOf(survival));
    equal(fit.alpha?.toFixed(3), alpha);
    equal(fit.beta?.toFixed(3), beta);
    equal(fit.logLikelihood.toFixed(2), likelihood);
    equal(fit.isMaximum, true);
  }
});

Deno.test("fitShiftedBetaGeometric has the paper's likelihood for one cohort", () => {
  const { alpha, beta, logLikelihood } = fitShiftedBetaGeometric(transitionsOf(REGULAR));
  const paper = likelihoodByPaper(alpha!, beta!, REGULAR, 1000);
  ok(Math.abs(logLikelihood - paper) < 1e-9, `${logLikelihood} ${paper}`);
  for (const [a, b] of [[1.001, 1], [0.999, 1], [1, 1.001], [1, 0.999]] as const) {
    ok(likelihoodByPaper(alpha! * a, beta! * b, REGULAR, 1000) < paper);
  }
});

Deno.test("fitShiftedBetaGeometric recovers the parameters of a computed curve", () => {
  // Further out the paper's recursion, a difference of nearly equal numbers, is not exact enough.
  const parameter = fc.double({ min: -2, max: 1, noNaN: true }).map((exponent) => 10 ** exponent);
  fc.assert(
    fc.property(parameter, parameter, fc.integer({ min: 3, max: 12 }), (alpha, beta, months) => {
      const survival = survivalByPaper(alpha, beta, months);
      const fit = fitShiftedBetaGeometric(transitionsOf(survival));
      survivalOf(fit, months).forEach((value, month) => {
        ok(Math.abs(value - survival[month]!) < 1e-5, `${value} is not ${survival[month]}`);
      });
      ok(fit.logLikelihood >= likelihoodByPaper(alpha, beta, survival, 1000) - 1e-6);
    }),
    { seed: 5, numRuns: 100 },
  );
});

Deno.test("fitShiftedBetaGeometric fits each month to its own users at risk", () => {
  // Ten times the users at risk in the first transition weigh it ten times: fitted closer there.
  const [first, ...later] = transitionsOf(HIGH_END);
  const heavy = { ...first!, lost: first!.lost * 10, kept: first!.kept * 10 };
  const off = (fit: ShiftedBetaGeometric) => Math.abs(1 - fit.hazard(1) - HIGH_END[1]!);
  const even = fitShiftedBetaGeometric([first!, ...later]);
  ok(off(fitShiftedBetaGeometric([heavy, ...later])) < off(even));
});

Deno.test("fitShiftedBetaGeometric skips months that were not observed", () => {
  const survival = survivalByPaper(0.7, 1.2, 9);
  const months = [0, 2, 3, 6, 9];
  const transitions = months.slice(1).map((to, index) => {
    const from = months[index]!;
    return { from, to, lost: 500 * (survival[from]! - survival[to]!), kept: 500 * survival[to]! };
  });
  const { alpha, beta } = fitShiftedBetaGeometric(transitions);
  ok(Math.abs(alpha! - 0.7) < 1e-5 && Math.abs(beta! - 1.2) < 1e-5, `${alpha} ${beta}`);
});

Deno.test("fitShiftedBetaGeometric comes near the limit if the likelihood has no maximum", () => {
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
    const fit = fitShiftedBetaGeometric(transitionsOf(survival));
    equal(fit.isMaximum, false);
    survivalOf(fit, 3).forEach((value, month) => {
      ok(Math.abs(value - predicted[month]!) < 1e-4, `${survival}: ${value}`);
    });
  }
});

Deno.test("fitShiftedBetaGeometric is finite for every curve", () => {
  const curve = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 2,
    maxLength: 11,
  })
    .map((values) => [1, ...values.sort((a, b) => b - a)]);
  const users = fc.double({ min: -3, max: 12, noNaN: true }).map((exponent) => 10 ** exponent);
  fc.assert(
    fc.property(curve, users, (survival, count) => {
      const fit = fitShiftedBetaGeometric(transitionsOf(survival, count));
      ok(Number.isFinite(fit.logLikelihood) && fit.logLikelihood <= 0);
      ok(fit.alpha! > 0 && Number.isFinite(fit.alpha) && fit.beta! > 0);
      ok(Number.isFinite(fit.beta));
      const predicted = survivalOf(fit, 24);
      ok(predicted.every((value, month) => 0 <= value && value <= (predicted[month - 1] ?? 1)));
    }),
    { seed: 5, numRuns: 300 },
  );
});

Deno.test("fitShiftedBetaGeometric is at least as likely as random parameters", () => {
  const likelihood = (alpha: number, beta: number, transitions: readonly Transition[]) => {
    let sum = 0;
    for (const { to, lost, kept } of transitions) {
      const staying = (beta + to - 1) / (alpha + beta + to - 1);
      if (lost > 0) sum += lost * Math.log(1 - staying);
      if (kept > 0) sum += kept * Math.log(staying);
    }
    return sum;
  };
  const curve = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 2,
    maxLength: 11,
  })
    .map((values) => [1, ...values.sort((a, b) => b - a)]);
  const parameter = fc.double({ min: -4, max: 4, noNaN: true }).map((exponent) => 10 ** exponent);
  const tries = fc.array(fc.tuple(parameter, parameter), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(curve, tries, (survival, parameters) => {
      const transitions = transitionsOf(survival);
      const { logLikelihood } = fitShiftedBetaGeometric(transitions);
      for (const [alpha, beta] of parameters) {
        ok(likelihood(alpha, beta, transitions) <= logLikelihood + 1e-6);
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});
