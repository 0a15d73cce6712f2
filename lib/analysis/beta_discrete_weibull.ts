import { logGammaRise } from "./gamma.ts";
import { maximumNear, simplexMaximum } from "./maximum.ts";
import { logLikelihood, type Transition } from "./shifted_beta_geometric.ts";

/** The parameters of the model, on the logarithmic scale on which they are searched. */
export type WeibullPoint = readonly [logAlpha: number, logBeta: number, logC: number];

/** A fitted beta-discrete-Weibull model. */
interface BetaDiscreteWeibull {
  /** Null where the likelihood has no maximum at finite parameters. */
  readonly at: WeibullPoint | null;
  /** The probability of leaving in a month, 1 or later, for those who are still there. */
  readonly hazard: (month: number) => number;
  /** Why there are no parameters, and what `hazard` is then. */
  readonly reason: string | null;
}

/** Parameters further out than this, in logarithms, are as good as at the edge. */
const EDGES: WeibullPoint = [12, 12, 3];

function beyond(at: readonly number[], margin: number): boolean {
  return at.some((value, index) => Math.abs(value) > EDGES[index]! + margin);
}

/**
 * The hazard of the beta-discrete-Weibull model, whose survival after t months is
 * `B(alpha, beta + t^c) / B(alpha, beta)`: each user stays with a probability of their own to the
 * power of `t^c - (t-1)^c`, so that with `c` above 1 users leave the sooner the longer they have
 * stayed, and with `c` below 1 the later.
 */
export function weibullHazard([logAlpha, logBeta, logC]: WeibullPoint): (month: number) => number {
  const [alpha, beta, c] = [Math.exp(logAlpha), Math.exp(logBeta), Math.exp(logC)];
  return (month) => {
    const [before, after] = [(month - 1) ** c, month ** c];
    const step = after - before;
    return -Math.expm1(
      logGammaRise(beta + before, step) - logGammaRise(alpha + beta + before, step),
    );
  };
}

const STARTS: readonly WeibullPoint[] = [-0.7, 0, 0.7].flatMap((logC) =>
  [-1, 1, 4].flatMap((logAlpha) =>
    [-1, 1, 4].map((logBeta): WeibullPoint => [logAlpha, logBeta, logC])
  )
);

/**
 * Fits the beta-discrete-Weibull model by maximum likelihood (Fader, Hardie, Liu, Davin and
 * Steenburgh 2018, "'How to project customer retention' revisited", Journal of Interactive Marketing
 * 43, 1-16). With `c` 1 it is the shifted-beta-geometric model.
 *
 * @param transitions in order of months, at least three
 * @param near where to look first: the maximum of a model within this one
 */
export function fitBetaDiscreteWeibull(
  transitions: readonly Transition[],
  near?: WeibullPoint,
): BetaDiscreteWeibull {
  // Per user, so that what counts as a difference does not depend on how many users there are.
  const users = Math.max(...transitions.map(({ lost, kept }) => lost + kept));
  const scaled = transitions.map(({ from, to, lost, kept }) => (
    { from, to, lost: lost / users, kept: kept / users }
  ));
  const height = (at: readonly number[]) => {
    if (beyond(at, 2)) return -Infinity;
    const likelihood = logLikelihood(scaled, weibullHazard(at as unknown as WeibullPoint));
    return Number.isNaN(likelihood) ? -Infinity : likelihood;
  };
  const first = STARTS.toSorted((a, b) => height(b) - height(a)).slice(0, 3);
  const found = [...near === undefined ? [] : [near], ...first]
    .map((start) => simplexMaximum(height, simplexMaximum(height, start)))
    .reduce((a, b) => height(b) > height(a) ? b : a);
  const at = maximumNear(height, found);
  if (at === undefined || beyond(at, 0)) {
    const reason =
      "the likelihood has no maximum at finite parameters: predicted from where it ends";
    return { at: null, hazard: weibullHazard(found as unknown as WeibullPoint), reason };
  }
  const point = at as unknown as WeibullPoint;
  return { at: point, hazard: weibullHazard(point), reason: null };
}
