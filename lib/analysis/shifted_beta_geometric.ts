import { expit } from "./intervals.ts";

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The maximum of a unimodal function between two points, by golden section search (Kiefer 1953). It needs no start and
 * no derivative, always ends, and is accurate to about 1e-8 of the interval.
 */
export function peakOf(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [atLeft, atRight] = [f(left), f(right)];
  while (high - low > 1e-9 * (to - from)) {
    if (atLeft >= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - GOLDEN * (high - low);
      atLeft = f(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + GOLDEN * (high - low);
      atRight = f(right);
    }
  }
  return (low + high) / 2;
}

/** The change of the users at risk between two observed months. */
export interface Transition {
  /** The earlier month, in which the users are at risk. */
  readonly from: number;
  /** The later month. */
  readonly to: number;
  /** The number of them lost by the later month. */
  readonly lost: number;
  /** The number of them retained. */
  readonly kept: number;
}

/** Transitions per user, so that tolerances do not depend on the number of users. */
function asShares(transitions: readonly Transition[]): Transition[] {
  const users = Math.max(...transitions.map(({ lost, kept }) => lost + kept));
  return transitions.map(({ from, to, lost, kept }) => (
    { from, to, lost: lost / users, kept: kept / users }
  ));
}

/** A fitted shifted-beta-geometric model. */
export interface ShiftedBetaGeometric {
  /** Null if the likelihood has no maximum at finite, positive parameters. */
  readonly alpha: number | null;
  readonly beta: number | null;
  readonly logLikelihood: number;
  /** The probability of leaving in a month, 1 or later, for the remaining users. */
  readonly hazard: (month: number) => number;
  /** Reason that alpha and beta are null, and the meaning of `hazard` in this case. */
  readonly reason: string | null;
}

/** The probability of leaving in a month, for the remaining users. */
export type Hazard = (month: number) => number;

/**
 * The hazard of the beta distribution with mean `alpha / (alpha + beta)` and spread `1 / (alpha + beta)`.
 */
function hazardOf(mean: number, spread: number): Hazard {
  return (month) => mean / (1 + spread * (month - 1));
}

/** The log-likelihood of transitions, as a product of the probabilities of staying and leaving. */
export function logLikelihood(transitions: readonly Transition[], hazard: Hazard): number {
  let sum = 0;
  for (const { from, to, lost, kept } of transitions) {
    let logKept = 0;
    for (let month = from + 1; month <= to; month++) logKept += Math.log1p(-hazard(month));
    // 0 · log 0 counts as 0.
    if (lost > 0) sum += lost * Math.log(-Math.expm1(logKept));
    if (kept > 0) sum += kept * logKept;
  }
  return sum;
}

/** The best mean for a spread. The log-likelihood is concave in the mean, so it has one maximum. */
function bestMean(transitions: readonly Transition[], spread: number): number {
  const likelihood = (logit: number) => logLikelihood(transitions, hazardOf(expit(logit), spread));
  return expit(peakOf(likelihood, -30, 30));
}

const STEP = 0.5;
const LOG_SPREADS = Array.from({ length: 57 }, (_, index) => -14 + STEP * index);

/**
 * The best spread, each with its best mean: a coarse search over all spreads, then a fine one.
 */
function bestSpread(transitions: readonly Transition[]): number {
  const likelihood = (logSpread: number) => {
    const spread = Math.exp(logSpread);
    return logLikelihood(transitions, hazardOf(bestMean(transitions, spread), spread));
  };
  const heights = LOG_SPREADS.map(likelihood);
  const best = LOG_SPREADS[heights.indexOf(Math.max(...heights))] ?? 0;
  return Math.exp(peakOf(likelihood, best - STEP, best + STEP));
}

function limit(
  transitions: readonly Transition[],
  hazard: Hazard,
  reason: string,
): ShiftedBetaGeometric {
  return {
    alpha: null,
    beta: null,
    logLikelihood: logLikelihood(transitions, hazard),
    hazard,
    reason,
  };
}

function limitAtOnce(transitions: readonly Transition[]): ShiftedBetaGeometric | undefined {
  const [first, ...later] = transitions;
  if (first === undefined || later.some(({ lost }) => lost > 0)) return undefined;
  if (first.lost === 0) {
    return limit(transitions, () => 0, "no user left: alpha goes to 0, predicted without churn");
  }
  const gone = first.lost / (first.lost + first.kept);
  return limit(
    transitions,
    (month) => month === 1 ? gone : 0,
    first.kept === 0
      ? `all users left by month ${first.to}: beta goes to 0, predicted as 0`
      : `no user left after month ${first.to}: alpha and beta go to 0, predicted flat`,
  );
}

/**
 * Fits the shifted-beta-geometric model by maximum likelihood (Fader and Hardie 2007, "How to
 * project customer retention", Journal of Interactive Marketing 21, 76-90).
 *
 * The likelihood is that of discrete survival, a product over the transitions, each with its own
 * users at risk: the users still there in month t - 1 stay with probability
 * `(beta + t - 1) / (alpha + beta + t - 1)`. For one cohort observed from month 0 on, the product
 * is the paper's multinomial likelihood.
 *
 * The search is over mean and spread of the beta distribution. Each spread has one best mean, so only the spread is
 * searched. The search needs no start and always ends. If the likelihood grows towards the edge of the parameters, the
 * result is the model at that edge, with a reason.
 *
 * @param transitions in order of months, at least one
 */
export function fitShiftedBetaGeometric(
  transitions: readonly Transition[],
): ShiftedBetaGeometric {
  const atOnce = limitAtOnce(transitions);
  if (atOnce !== undefined) return atOnce;
  const scaled = asShares(transitions);
  const spread = bestSpread(scaled);
  const mean = bestMean(scaled, spread);
  const even = bestMean(scaled, 0);
  const gain = logLikelihood(scaled, hazardOf(mean, spread)) -
    logLikelihood(scaled, hazardOf(even, 0));
  if (gain < 1e-10) {
    return limit(
      transitions,
      () => even,
      "churn does not slow down: alpha and beta grow without bound, predicted with constant churn",
    );
  }
  return {
    alpha: mean / spread,
    beta: (1 - mean) / spread,
    logLikelihood: logLikelihood(transitions, hazardOf(mean, spread)),
    hazard: hazardOf(mean, spread),
    reason: null,
  };
}
