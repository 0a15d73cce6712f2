import { logGammaRise } from "./distributions.ts";
import { hessianAt, inverseOf, maximumNear, simplexMaximum } from "./maximum.ts";
import {
  asShares,
  fitShiftedBetaGeometric,
  type Hazard,
  logLikelihood,
  peakOf,
  type Transition,
} from "./shifted_beta_geometric.ts";

/** The parameters of the model, on the logarithmic scale on which they are searched. */
type WeibullPoint = readonly [logAlpha: number, logBeta: number, logC: number];

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
function fitBetaDiscreteWeibull(
  transitions: readonly Transition[],
  near?: WeibullPoint,
): BetaDiscreteWeibull {
  const scaled = asShares(transitions);
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

/**
 * A model of how users leave. `geometric`: all with the same probability per month. `sbg`: each with
 * one of their own. `bdw`: likewise, and more or less likely the longer they have stayed.
 *
 * @category Analysis
 */
export type RetentionModel = "sbg" | "bdw" | "geometric";

/** The models that a forecast may rest on. */
export const RETENTION_MODELS: readonly RetentionModel[] = ["sbg", "bdw", "geometric"];

/** A model fitted to transitions. */
export interface ModelFit {
  readonly model: RetentionModel;
  readonly hazard: Hazard;
  /**
   * The parameters on the scale on which they are free: the logarithms of alpha, beta and c, or the
   * logit of the geometric model's hazard. Null where the likelihood has no maximum at finite ones.
   */
  readonly at: readonly number[] | null;
  readonly logLikelihood: number;
  readonly aic: number;
  /** Why there are no parameters, and what `hazard` is then. */
  readonly reason: string | null;
}

/** How many observed months, month 0 among them, can tell the parameters of a model. */
export const FEWEST: Readonly<Record<RetentionModel, number>> = { geometric: 2, sbg: 3, bdw: 4 };

/** The hazard of a model with these parameters. */
export function hazardOf(model: RetentionModel, at: readonly number[]): Hazard {
  if (model === "geometric") {
    const even = 1 / (1 + Math.exp(-at[0]!));
    return () => even;
  }
  if (model === "bdw") return weibullHazard(at as unknown as WeibullPoint);
  const [alpha, beta] = [Math.exp(at[0]!), Math.exp(at[1]!)];
  return (month) => alpha / (alpha + beta + month - 1);
}

function fitOf(
  model: RetentionModel,
  transitions: readonly Transition[],
  { at, hazard, reason }: Pick<ModelFit, "at" | "hazard" | "reason">,
): ModelFit {
  const likelihood = logLikelihood(transitions, hazard);
  const parameters = FEWEST[model] - 1;
  return {
    model,
    at,
    hazard,
    reason,
    logLikelihood: likelihood,
    aic: 2 * (parameters - likelihood),
  };
}

function geometric(transitions: readonly Transition[]): ModelFit {
  const [lost, kept] = [
    transitions.some(({ lost }) => lost > 0),
    transitions.some((t) => t.kept > 0),
  ];
  if (!lost || !kept) {
    return fitOf("geometric", transitions, {
      at: null,
      hazard: () => lost ? 1 : 0,
      reason: lost
        ? "everybody left at once: predicted so"
        : "nobody left: predicted without churn",
    });
  }
  const height = (logit: number) => logLikelihood(transitions, hazardOf("geometric", [logit]));
  const at = refined("geometric", transitions, [peakOf(height, -30, 30)]);
  return fitOf("geometric", transitions, { at, hazard: hazardOf("geometric", at), reason: null });
}

/** The likelihood per user, so that what counts as a difference does not depend on their number. */
function perUser(model: RetentionModel, transitions: readonly Transition[]) {
  const users = Math.max(...transitions.map(({ lost, kept }) => lost + kept));
  return (at: readonly number[]) => logLikelihood(transitions, hazardOf(model, at)) / users;
}

function refined(
  model: RetentionModel,
  transitions: readonly Transition[],
  start: readonly number[],
): readonly number[] {
  return maximumNear(perUser(model, transitions), start) ?? start;
}

function shiftedBetaGeometric(transitions: readonly Transition[]): ModelFit {
  const { alpha, beta, hazard, reason } = fitShiftedBetaGeometric(transitions);
  if (alpha === null || beta === null) {
    return fitOf("sbg", transitions, { at: null, hazard, reason });
  }
  const at = refined("sbg", transitions, [Math.log(alpha), Math.log(beta)]);
  return fitOf("sbg", transitions, { at, hazard: hazardOf("sbg", at), reason });
}

function betaDiscreteWeibull(transitions: readonly Transition[]): ModelFit {
  const within = shiftedBetaGeometric(transitions);
  // Nobody or everybody left, or nobody after the first month: no duration tells anything.
  const later = transitions.slice(1).some(({ lost }) => lost > 0);
  if (within.at === null && !later) return { ...within, model: "bdw", aic: within.aic + 2 };
  const near = within.at === null ? undefined : [within.at[0]!, within.at[1]!, 0] as const;
  const { at, hazard, reason } = fitBetaDiscreteWeibull(transitions, near);
  return fitOf("bdw", transitions, { at, hazard, reason });
}

const FITS: Readonly<Record<RetentionModel, (transitions: readonly Transition[]) => ModelFit>> = {
  sbg: shiftedBetaGeometric,
  bdw: betaDiscreteWeibull,
  geometric,
};

/** Fits a model to transitions, in order of months. */
export function fitModel(model: RetentionModel, transitions: readonly Transition[]): ModelFit {
  return FITS[model](transitions);
}

/** Fits the model of another fit to nearly the same transitions, and starts from there. */
export function refit(fit: ModelFit, transitions: readonly Transition[]): ModelFit {
  const at = fit.at && maximumNear(perUser(fit.model, transitions), fit.at);
  return at === null || at === undefined
    ? fitModel(fit.model, transitions)
    : fitOf(fit.model, transitions, { at, hazard: hazardOf(fit.model, at), reason: null });
}

/** The covariance of the parameters, from the curvature of the likelihood; null where it is flat. */
export function covarianceOf(
  { model, at }: ModelFit,
  transitions: readonly Transition[],
): number[][] | null {
  if (at === null) return null;
  const users = Math.max(...transitions.map(({ lost, kept }) => lost + kept));
  const curvature = hessianAt(perUser(model, transitions), at);
  const covariance = inverseOf(curvature.map((row) => row.map((value) => -value)));
  return covariance?.map((row) => row.map((value) => value / users)) ?? null;
}
