import { inverted, maximumFrom, pointAt, type Target } from "../maximum.ts";

/**
 * The models available for forecasts. `active`: users pause, return, and finally leave. `sbg`: users leave and do not
 * return. Each user has an individual probability of leaving.
 */
export const RETENTION_MODELS = ["active", "sbg"] as const;
export type RetentionModel = typeof RETENTION_MODELS[number];

/** Of the users who were active in month `from`, the number who were lost by month `to`, and the number who were kept. */
export interface Transition {
  readonly from: number;
  readonly to: number;
  readonly lost: number;
  readonly kept: number;
}

/** Returns the logarithm of the share that is active in month 1 if q is 1. */
function wholeLevel(at: readonly number[]): number {
  return -Math.log1p(Math.exp(at[0]! - at[1]!));
}

/** Returns q, the fraction of the users who have not left that is active in a month. */
export function activeShare(at: readonly number[]): number {
  return at.length === 3 ? Math.exp(at[2]! - wholeLevel(at)) : 1;
}

/**
 * Returns the log-likelihood divided by the number of users, so that tolerances do not depend on this number.
 *
 * The parameters are the logarithms of alpha and beta. If q can be below 1, the third parameter is the logarithm of the
 * share that is active in month 1, `q beta / (alpha + beta)`. Unlike q, it hardly depends on the other parameters, so
 * that searches are short. After month m (1 or later, or 0 if q is 1), the fraction `(beta + m) / (alpha + beta + m)`
 * stays.
 */
function likelihoodOf(transitions: readonly Transition[], users: number): Target {
  return ({ at, gradient, curvature }) => {
    const isWhole = at.length === 2;
    const [alpha, beta] = [Math.exp(at[0]!), Math.exp(at[1]!)];
    gradient.fill(0);
    curvature.fill(0);
    let [sum, stay, gone, month] = [0, 1, 0, 0];
    // The derivatives of log stay: the first ones with respect to a and b, and the second ones.
    let [a, b, aa, ab, bb] = [0, 0, 0, 0, 0];
    for (const { from, to, lost, kept } of transitions) {
      if (from > 0 || month === 0) {
        stay = 1;
        month = from;
        gone =
          a =
          b =
          aa =
          ab =
          bb =
            0;
      }
      for (; month < to; month++) {
        if (month === 0 && !isWhole) {
          stay = Math.exp(at[2]!);
          gone = -Math.expm1(at[2]!);
          continue;
        }
        const rest = beta + month;
        const all = alpha + rest;
        const share = rest / all;
        const leave = alpha / all;
        const own = beta / rest;
        const other = beta / all;
        gone += stay * leave;
        stay *= share;
        a -= leave;
        b += leave * own;
        aa -= leave * share;
        ab += leave * other;
        bb += leave * own * (1 - own - other);
      }
      // The conditions avoid 0 · log 0, which would be NaN.
      if (lost > 0) sum += lost * Math.log(gone);
      if (kept > 0) sum += kept * Math.log(stay);
      const odds = lost > 0 ? lost * stay / gone : 0;
      const slope = (kept - odds) / users;
      const bend = odds / gone / users;
      gradient[0]! += slope * a;
      gradient[1]! += slope * b;
      curvature[0]! += slope * aa - bend * a * a;
      curvature[1]! += slope * ab - bend * a * b;
      if (isWhole) curvature[3]! += slope * bb - bend * b * b;
      else {
        gradient[2]! += slope;
        curvature[4]! += slope * bb - bend * b * b;
        curvature[2]! -= bend * a;
        curvature[5]! -= bend * b;
        curvature[8]! -= bend;
      }
    }
    const count = at.length;
    for (let i = 1; i < count; i++) {
      for (let j = 0; j < i; j++) curvature[i * count + j] = curvature[j * count + i]!;
    }
    return Number.isNaN(sum) ? -Infinity : sum / users;
  };
}

/**
 * Fits a model to the transitions of a curve by maximum likelihood.
 *
 * `sbg` is the shifted-beta-geometric model (Fader and Hardie 2007, "How to project customer retention", Journal of
 * Interactive Marketing 21, 76-90). For one cohort that is observed from month 0 on, the likelihood equals that of the
 * paper. It has no maximum if churn does not slow down, or if no user left after the first month.
 *
 * `active` is the mean curve of the BG/BB model (Fader, Hardie and Shang 2010, "Customer-base analysis in a
 * discrete-time noncontractual setting", Marketing Science 29, 1086-1108). In month k (1 or later), the fraction `q
 * B(alpha, beta + k) / B(alpha, beta)` of the users is active. If a smaller q would not raise the likelihood, q is 1, and
 * the fit has two parameters.
 *
 * @param near the parameters of a similar curve, from which the search starts
 */
export function fitted(
  model: RetentionModel,
  transitions: readonly Transition[],
  near?: readonly number[],
) {
  const users = transitions.reduce((most, { lost, kept }) => Math.max(most, lost + kept), 0);
  const target = likelihoodOf(transitions, users);
  const search = (start: readonly number[]) => ({ ...maximumFrom(target, start), users });
  if (near?.length === 3) {
    const similar = search(near);
    if (similar.isMaximum && activeShare(similar.at) < 1) return similar;
  }
  const whole = search(near?.length === 2 ? near : [0, 1]);
  if (model === "sbg") return whole;
  const edge = pointAt([...whole.at, wholeLevel(whole.at)]);
  target(edge);
  const far = [2, 4, edge.at[2]!];
  const better = (fit: typeof whole, start: readonly number[]) => {
    const other = search(start);
    return other.height > fit.height + 1e-9 && activeShare(other.at) < 1 ? other : fit;
  };
  const fit = edge.gradient[2]! < 0 ? better(whole, whole.isMaximum ? edge.at : far) : whole;
  // Only beside a maximum with a small beta, the likelihood can have another one.
  return (near && fit.isMaximum) || fit.at[1]! >= 1 ? fit : better(fit, far);
}
export type ModelFit = ReturnType<typeof fitted>;

/**
 * Returns the share of the users of month 0 that parameters predict in each month from 0 to `horizon`, and its
 * derivative with respect to each parameter.
 */
export function predictionOf(at: readonly number[], horizon: number) {
  const [alpha, beta] = [Math.exp(at[0]!), Math.exp(at[1]!)];
  const numbers = () => new Float64Array(horizon + 1);
  const [shares, slopes] = [numbers(), at.map(numbers)];
  let [left, byAlpha, byBeta] = [1, 0, 0];
  for (let month = 0; month <= horizon; month++) {
    if (month === 1 && at.length === 3) left = Math.exp(at[2]!);
    else if (month > 0) {
      const rest = beta + month - 1;
      left *= rest / (alpha + rest);
      byAlpha -= alpha / (alpha + rest);
      byBeta += beta / rest - beta / (alpha + rest);
    }
    shares[month] = left;
    slopes[0]![month] = left * byAlpha;
    slopes[1]![month] = left * byBeta;
    if (month > 0 && at.length === 3) slopes[2]![month] = left;
  }
  return { shares, slopes };
}

/**
 * Returns the covariance of the parameters of `active`, row by row. Assumes that users are independent. The same users
 * are observed in all months, so the covariance from the curvature alone would be too small (White 1982, Econometrica
 * 50, 1-25). The curve determines the mean of q, but not how q varies between users. Therefore q is assumed to have a
 * beta distribution whose two parameters add up to 2, so its variance is q (1 - q) / 3, where q is the mean.
 */
function activeCovariance({ at }: ModelFit, transitions: readonly Transition[]) {
  const { shares, slopes } = predictionOf(at, transitions.at(-1)!.to);
  const q = activeShare(at);
  const again = q + (1 - q) / 3;
  const zeros = () => Array<number>(9).fill(0);
  const [bread, covariance] = [zeros(), zeros()];
  const variance = (month: number) => shares[month]! * (1 - shares[month]!);
  const users = transitions.map(({ lost, kept }) => lost + kept);
  transitions.forEach(({ to }, place) => {
    for (let i = 0; i < 9; i++) {
      bread[i]! += users[place]! * slopes[Math.floor(i / 3)]![to]! * slopes[i % 3]![to]! /
        variance(to);
    }
  });
  if (!inverted(bread, 3)) return undefined;
  // An influence is the change of a parameter divided by the change of one month's retention.
  const influences = transitions.map(({ to }) =>
    slopes.map((_, i) =>
      slopes.reduce((sum, slope, j) => sum + bread[3 * i + j]! * slope[to]!, 0) / variance(to)
    )
  );
  transitions.forEach(({ to: one }, a) =>
    transitions.forEach(({ to: other }, b) => {
      const joint = one === other
        ? variance(one)
        : shares[Math.max(one, other)]! * (again - shares[Math.min(one, other)]!);
      const both = Math.min(users[a]!, users[b]!) * joint;
      for (let i = 0; i < 9; i++) {
        covariance[i]! += both * influences[a]![Math.floor(i / 3)]! * influences[b]![i % 3]!;
      }
    })
  );
  return covariance;
}

/**
 * Returns the standard error of each month's predicted share (delta method), if users are independent. Returns undefined
 * if the likelihood is flat, or if the model is `active` and q is 1, the edge of its range.
 */
export function predictionErrors(
  model: RetentionModel,
  fit: ModelFit,
  transitions: readonly Transition[],
  slopes: readonly Float64Array[],
): Float64Array | undefined {
  const count = slopes.length;
  if (model === "active" && count === 2) return undefined;
  const own = fit.curvature.map((value) => -value * fit.users);
  const covariance = model === "active"
    ? activeCovariance(fit, transitions)
    : inverted(own, count)
    ? own
    : undefined;
  return covariance && slopes[0]!.map((_, month) => {
    const variance = covariance.reduce(
      (sum, each, i) =>
        sum + each * slopes[Math.floor(i / count)]![month]! * slopes[i % count]![month]!,
      0,
    );
    return Math.sqrt(Math.max(0, variance));
  });
}
