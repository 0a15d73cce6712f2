import { expit } from "../intervals.ts";
import { climbed, hessianAt, inverseOf, maximumNear, newtonFrom, type Target } from "../maximum.ts";
import type { CurveData, Transition } from "./observed_curve.ts";
import { dot, sumOf } from "../sums.ts";

/** The parameters of a model on unbounded scales: logarithms of positive parameters, logits of probabilities. */
type Parameters = readonly number[];

/**
 * The models available for forecasts. `active`: users pause, return, and finally leave. `sbg`: users leave and do not
 * return. Each user has an individual probability of leaving.
 */
export const RETENTION_MODELS = ["active", "sbg"] as const;
export type RetentionModel = typeof RETENTION_MODELS[number];

/** A fitted model. */
export interface ModelFit {
  readonly model: RetentionModel;
  /** The logarithms of alpha and beta, and the logit of q. If q is 1, the last element is omitted. */
  readonly at: Parameters;
  /** Whether the likelihood has its maximum at the parameters. If not, these are the last parameters of the search. */
  readonly isMaximum: boolean;
  readonly logLikelihood: number;
}

/** For each model, the start values of each parameter. Searches start from all combinations of these values. */
const STARTS: Readonly<Record<RetentionModel, readonly Parameters[]>> = {
  active: [[-2, 0, 2], [-1, 1, 3], [-1, 1, 3]],
  sbg: [[-3, -1, 1, 4], [-3, -1, 1, 4]],
};
/** The largest absolute value of a parameter. A maximum beyond this edge does not count as a finite maximum. */
const EDGE = 12;
/** How far beyond the edge a search can go. */
const MARGIN: Readonly<Record<RetentionModel, number>> = { active: 1, sbg: 2 };

/**
 * Returns the number of observed months that a model needs, including month 0. This is one more than the number of
 * parameters.
 */
export function fewestMonths(model: RetentionModel): number {
  return STARTS[model].length + 1;
}

/** Returns the data to which a model is fitted. */
export function transitionsOf(model: RetentionModel, data: CurveData): readonly Transition[] {
  return model === "active" ? data.levels : data.transitions;
}

function usersOf(transitions: readonly Transition[]): number {
  return transitions.reduce((most, { lost, kept }) => Math.max(most, lost + kept), 0);
}

function beyond(at: ArrayLike<number>, margin = 0): boolean {
  for (let i = 0; i < at.length; i++) if (Math.abs(at[i]!) > EDGE + margin) return true;
  return false;
}

/**
 * Returns the log-likelihood divided by the number of users, so that tolerances do not depend on this number, as a
 * function of the parameters. It is -Infinity if a parameter is beyond its edge by more than the margin.
 *
 * In month m, the logarithm of the fraction of users who stay is `log(beta + m - 1) - log(alpha + beta + m - 1)`, and in
 * month 1 also `log q`. The derivatives of the likelihood follow from those of its sum over the months of a transition.
 */
function heightOf(model: RetentionModel, data: CurveData): Target {
  const transitions = transitionsOf(model, data);
  const users = usersOf(transitions);
  const first = new Float64Array(3);
  const second = new Float64Array(9);
  const derivatives = (
    at: ArrayLike<number>,
    gradient?: Float64Array,
    curvature?: Float64Array,
  ): number => {
    if (beyond(at, MARGIN[model])) return -Infinity;
    const count = at.length;
    const [alpha, beta] = [Math.exp(at[0]!), Math.exp(at[1]!)];
    const q = count === 3 ? expit(at[2]!) : 1;
    gradient?.fill(0);
    curvature?.fill(0);
    let [sum, logKept, month] = [0, 0, 0];
    for (const { from, to, lost, kept } of transitions) {
      if (from > 0 || month === 0) {
        [logKept, month] = [0, from];
        first.fill(0);
        second.fill(0);
      }
      for (; month < to; month++) {
        const [stay, all] = [beta + month, alpha + beta + month];
        logKept += month === 0 ? Math.log(beta * q / all) : Math.log1p(-alpha / all);
        if (curvature === undefined) continue;
        first[0]! -= alpha / all;
        first[1]! += beta / stay - beta / all;
        second[0]! -= alpha * (beta + month) / (all * all);
        second[1]! += alpha * beta / (all * all);
        second[4]! += beta * month / (stay * stay) - beta * (alpha + month) / (all * all);
        if (month === 0) [first[2], second[8]] = [1 - q, -q * (1 - q)];
      }
      const gone = -Math.expm1(logKept);
      // The conditions avoid 0 · log 0, which would be NaN.
      if (lost > 0) sum += lost * Math.log(gone);
      if (kept > 0) sum += kept * logKept;
      if (gradient === undefined || curvature === undefined) continue;
      const slope = kept - (lost > 0 ? lost * (1 - gone) / gone : 0);
      const bend = lost > 0 ? lost * (1 - gone) / (gone * gone) : 0;
      for (let i = 0; i < count; i++) {
        gradient[i]! += slope * first[i]! / users;
        for (let j = 0; j < count; j++) {
          const both = second[3 * Math.min(i, j) + Math.max(i, j)]!;
          curvature[count * i + j]! += (slope * both - bend * first[i]! * first[j]!) / users;
        }
      }
    }
    return Number.isNaN(sum) ? -Infinity : sum / users;
  };
  return { value: (at) => derivatives(at), derivatives };
}

function startsOf(model: RetentionModel): Parameters[] {
  return STARTS[model].reduce<Parameters[]>(
    (starts, values) => starts.flatMap((start) => values.map((value) => [...start, value])),
    [[]],
  );
}

/** Climbs from each of the three best starts, and returns the best result. */
function searched(target: Target, starts: readonly Parameters[]): Parameters {
  return starts.toSorted((a, b) => target.value(b) - target.value(a)).slice(0, 3)
    .map((start) => climbed(target, start))
    .reduce((a, b) => target.value(b) > target.value(a) ? b : a);
}

function fitOf(
  model: RetentionModel,
  data: CurveData,
  { at, isMaximum }: Pick<ModelFit, "at" | "isMaximum">,
): ModelFit {
  const users = usersOf(transitionsOf(model, data));
  return { model, at, isMaximum, logLikelihood: heightOf(model, data).value(at) * users };
}

/** Returns the fit at the maximum near the result of a search, or the result itself if there is no maximum. */
function settled(model: RetentionModel, data: CurveData, near: Parameters): ModelFit {
  const at = maximumNear(heightOf(model, data), near);
  const isMaximum = at !== undefined && !beyond(at);
  return fitOf(model, data, { at: isMaximum ? at : near, isMaximum });
}

/**
 * Fits `sbg`, the shifted-beta-geometric model (Fader and Hardie 2007, "How to project customer retention",
 * Journal of Interactive Marketing 21, 76-90). The likelihood is that of a discrete survival model: of the users who
 * remain in month t - 1, the fraction `(beta + t - 1) / (alpha + beta + t - 1)` stays in month t. For one cohort that is
 * observed from month 0 on, it equals the likelihood in the paper. It has no maximum if churn does not slow down, or if
 * no user left after the first month.
 */
function shiftedBetaGeometric(data: CurveData): ModelFit {
  return settled("sbg", data, searched(heightOf("sbg", data), startsOf("sbg")));
}

/**
 * Fits the mean curve of the BG/BB model (Fader, Hardie and Shang 2010, "Customer-base analysis in a discrete-time
 * noncontractual setting", Marketing Science 29, 1086-1108). In month k (1 or later), the fraction `q B(alpha, beta +
 * k) / B(alpha, beta)` of the users is active. With q = 1, the model is `sbg`.
 *
 * @param near the parameters of a similar curve, from which the search starts
 */
function active(data: CurveData, near?: Parameters): ModelFit {
  const target = heightOf("active", data);
  const starts = near === undefined ? startsOf("active") : [[near[0]!, near[1]!, near[2] ?? 3]];
  const whole = searched(target, starts.map((at) => at.slice(0, 2)));
  const free = searched(target, [...starts, [...whole, 3]]);
  return settled("active", data, target.value(free) > target.value(whole) + 1e-9 ? free : whole);
}

/** Fits a model to a curve. */
export function fitted(model: RetentionModel, data: CurveData): ModelFit {
  return model === "active" ? active(data) : shiftedBetaGeometric(data);
}

/**
 * Fits the model of a given fit to another, similar curve, by Newton's method from the parameters of the given fit. If
 * this and a search near these parameters find no maximum, the model is fitted anew.
 */
export function refit({ model, at }: ModelFit, data: CurveData): ModelFit {
  if (model === "active" && at.length === 2) {
    // The given fit has q = 1, but the best fit of the similar curve can have q below 1.
    const near = active(data, at);
    return near.isMaximum ? near : active(data);
  }
  const target = heightOf(model, data);
  const near = newtonFrom(target, at) ?? maximumNear(target, at);
  return near === undefined || beyond(near)
    ? fitted(model, data)
    : fitOf(model, data, { at: near, isMaximum: true });
}

/** Returns the retention that parameters predict in each month from 0 to `horizon`, from the retention in month 0. */
export function predictedBy(at: Parameters, start: number, horizon: number): Float64Array {
  const [alpha, beta] = [Math.exp(at[0]!), Math.exp(at[1]!)];
  let left = start;
  return new Float64Array(horizon + 1).map((_, month) => {
    if (month === 1 && at[2] !== undefined) left *= expit(at[2]);
    if (month > 0) left *= (beta + month - 1) / (alpha + beta + month - 1);
    return left;
  });
}

const SHIFT = 1e-4;

/** Returns the derivative of each month's prediction with respect to each parameter. */
export function slopesOf({ at }: ModelFit, start: number, horizon: number): Float64Array[] {
  return at.map((_, i) => {
    const shifted = (by: number) => {
      const near = at.map((value, j) => value + (i === j ? by : 0));
      return predictedBy(near, start, horizon);
    };
    const [up, down] = [shifted(SHIFT), shifted(-SHIFT)];
    return up.map((value, month) => (value - down[month]!) / (2 * SHIFT));
  });
}

/**
 * Returns the covariance of the parameters of `active`. Assumes that users are independent. The same users are observed
 * in all months, so the covariance from the curvature alone would be too small (White 1982, Econometrica 50, 1-25). The
 * curve determines the mean of q, but not how q varies between users. Therefore q is assumed to have a beta
 * distribution whose two parameters add up to 2, so its variance is q (1 - q) / 3, where q is the mean.
 */
function activeCovariance(fit: ModelFit, { levels }: CurveData): number[][] | null {
  const months = levels.map(({ to, lost, kept }) => ({ month: to, users: lost + kept }));
  const horizon = Math.max(...months.map(({ month }) => month));
  const slopes = slopesOf(fit, 1, horizon);
  const predicted = predictedBy(fit.at, 1, horizon);
  const q = expit(fit.at[2]!);
  const again = q + (1 - q) / 3;
  const variance = (month: number) => predicted[month]! * (1 - predicted[month]!);
  const joint = (one: number, other: number) => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    if (first === last) return variance(first);
    return predicted[last]! * (again - predicted[first]!);
  };
  const bread = inverseOf(
    slopes.map((one) =>
      slopes.map((other) =>
        sumOf(
          months.map(({ month, users }) => users * one[month]! * other[month]! / variance(month)),
        )
      )
    ),
  );
  if (bread === undefined) return null;
  // An influence is the change of a parameter divided by the change of one month's retention.
  const influences = bread.map((row) =>
    months.map(({ month }) => dot(row, slopes.map((slope) => slope[month]!)) / variance(month))
  );
  return influences.map((one) =>
    influences.map((other) =>
      sumOf(
        months.flatMap((a, i) =>
          months.map((b, j) =>
            Math.min(a.users, b.users) * one[i]! * other[j]! * joint(a.month, b.month)
          )
        ),
      )
    )
  );
}

/**
 * Returns the covariance of the fitted parameters, from the curvature of the likelihood. Assumes that users are
 * independent. Returns null if the likelihood is flat, or if the model is `active` and q is 1, the edge of its range.
 */
export function covarianceOf(fit: ModelFit, data: CurveData): number[][] | null {
  const { model, at } = fit;
  if (model === "active") return at.length === 2 ? null : activeCovariance(fit, data);
  const users = usersOf(transitionsOf(model, data));
  const curvature = hessianAt(heightOf(model, data), at);
  const covariance = inverseOf(curvature.map((row) => row.map((value) => -value)));
  return covariance?.map((row) => row.map((value) => value / users)) ?? null;
}
