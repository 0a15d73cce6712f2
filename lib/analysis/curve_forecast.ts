import type { CurveMonth } from "./curve_table.ts";
import { studentQuantile } from "./distributions.ts";
import {
  effectiveDegrees,
  expit,
  type Interval,
  jackknifeError,
  logLogBounds,
  NO_INTERVAL,
  normalFactor,
  unionOf,
} from "./intervals.ts";
import { chained, type CurveData, curveData } from "./observed_curve.ts";
import {
  COMPARABLE_MODELS,
  covarianceOf,
  FEWEST,
  fitModel,
  type ModelFit,
  predictedBy,
  refit,
  type RetentionModel,
  slopesOf,
} from "./retention_models.ts";

/** A curve that leaves out one cluster, and the size of that cluster. */
export interface WithoutCluster {
  readonly size: number;
  readonly steps: readonly CurveMonth[];
}

/** The clusters of a curve. */
export type CurveClusters =
  | { readonly kind: "cluster" | "block"; readonly without: readonly WithoutCluster[] }
  /** Users are independent, so bounds come from the likelihood. */
  | { readonly kind: "binomial" }
  /** There are no bounds, for the given reason. */
  | { readonly kind: null; readonly reason: string };

/** A curve to forecast. */
export interface ObservedCurve {
  /** The observed months with users, in order. */
  readonly steps: readonly CurveMonth[];
  readonly clusters: CurveClusters;
}

/** A fitted model of one curve, and its prediction. */
interface Prediction {
  readonly fit: ModelFit;
  readonly data: CurveData;
  readonly predicted: Float64Array;
}

/**
 * Returns the standard error of each month's prediction, by the delta method from the covariance of the parameters.
 * Null if there is no covariance.
 */
export function likelihoodErrors({ fit, data, predicted }: Prediction) {
  const covariance = covarianceOf(fit, data);
  if (covariance === null || fit.at === null) return null;
  const slopes = slopesOf(fit, data.start, predicted.length - 1);
  const errors = predicted.map((_, month) => {
    let variance = 0;
    slopes.forEach((one, i) =>
      slopes.forEach((other, j) => variance += one[month]! * other[month]! * covariance[i]![j]!)
    );
    return Math.sqrt(Math.max(0, variance));
  });
  return { covariance, errors };
}

/** Standard errors of predictions from clusters, and the degrees of freedom for Student's t. */
interface ClusterErrors {
  readonly errors: Float64Array;
  readonly degrees: number;
}

/** Returns the reason why a model cannot be fitted to a curve, or undefined if it can. */
function unfit(model: RetentionModel, { months, start, levels, transitions }: CurveData) {
  const least = FEWEST[model];
  if (months < least) return `fewer than ${least} observed months: ${months}`;
  if (start === 0) return "retention is 0 from month 0 on";
  const noneAtRisk = model === "active" ? levels.length === 0 : transitions.length === 0;
  return noneAtRisk ? "no users are at risk in any month" : undefined;
}

/**
 * Returns the delete-one-cluster jackknife error of each month's prediction. The model is refitted without each cluster
 * in turn. Null if too little data remains without a cluster.
 */
function clusterErrors(
  { fit, predicted }: Prediction,
  without: readonly WithoutCluster[],
): ClusterErrors | null {
  const others: Float64Array[] = [];
  for (const { steps } of without) {
    const data = curveData(steps);
    if (unfit(fit.model, data) !== undefined) return null;
    const { hazard } = refit(fit, data);
    others.push(predictedBy(hazard, data.start, predicted.length - 1));
  }
  return {
    errors: predicted.map((value, month) => jackknifeError(value, others.map((o) => o[month]!))),
    degrees: effectiveDegrees(without.map(({ size }) => size)),
  };
}

/**
 * Returns the bounds of predictions, computed on the scale of `log(-log)`. In month 0 of a curve that begins at 1, both
 * bounds are 1. In later months, an error of 0 means that the error is unknown.
 */
function boundsOf(
  predicted: Float64Array,
  errors: Float64Array | undefined,
  quantile: number,
): Interval[] {
  return Array.from(predicted, (value, month): Interval => {
    const error = errors?.[month];
    if (error === undefined) return NO_INTERVAL;
    if (month === 0 && error === 0) return { lower: value, upper: value };
    return error > 0 && value > 0 && value < 1 ? logLogBounds(value, error, quantile) : NO_INTERVAL;
  });
}

/** Options for forecasting a curve. */
export interface Wanted {
  readonly horizon: number;
  readonly fitThrough: number;
  readonly model: RetentionModel | "best";
  readonly confidence: number;
}

/** The forecast of one curve: one number for each month, and the values common to all months. */
interface Forecast {
  /** The chained curve, by month. */
  readonly observed: ReadonlyMap<number, number>;
  readonly predicted: ArrayLike<number>;
  readonly limits: readonly Interval[];
  readonly bounds: "binomial" | "cluster" | "block" | null;
  readonly fit: ModelFit | null;
  readonly errors: readonly number[];
  readonly adjusted: boolean;
  readonly reason: string | null;
}

/** Returns the bounds of a prediction and their kind, or the reason why the bounds are missing. */
function limitsOf(
  prediction: Prediction,
  clusters: CurveClusters,
  { confidence, fitThrough }: Wanted,
): Pick<Forecast, "limits" | "bounds" | "reason"> & { readonly errors: readonly number[] } {
  const { predicted } = prediction;
  const likelihood = likelihoodErrors(prediction);
  const errors = likelihood?.covariance.map((row, i) => Math.sqrt(row[i]!)) ?? [];
  const alone = boundsOf(predicted, likelihood?.errors, normalFactor(confidence));
  const known = (
    limits: readonly Interval[],
    bounds: Forecast["bounds"],
    reason: string | null = null,
  ) => ({
    limits,
    bounds: Number.isNaN(limits.at(-1)?.lower ?? NaN) ? null : bounds,
    errors,
    reason,
  });
  if (clusters.kind === null) return known([], null, clusters.reason);
  if (clusters.kind === "binomial") return known(alone, "binomial");
  const cut = clusters.without.map(({ size, steps }) => (
    { size, steps: steps.filter(({ month }) => month <= fitThrough) }
  ));
  const jackknife = clusterErrors(prediction, cut);
  // If the curve without one cluster does not determine the parameters, likelihood bounds would be misleading.
  if (jackknife === null) {
    return known([], null, "no bounds: without one of the clusters too few months are left");
  }
  const quantile = studentQuantile(confidence, jackknife.degrees);
  const apart = boundsOf(predicted, jackknife.errors, quantile);
  return known(apart.map((bounds, month) => unionOf(bounds, alone[month]!)), clusters.kind);
}

/** Fits a model to a curve, and predicts it with bounds. */
export function forecastOf({ steps, clusters }: ObservedCurve, wanted: Wanted): Forecast {
  const { fitThrough, model } = wanted;
  const observed = new Map(chained(steps).map(({ month, left }) => [month, left]));
  const data = curveData(steps.filter(({ month }) => month <= fitThrough));
  const models = model === "best" ? COMPARABLE_MODELS : [model];
  const refused = models.map((name) => unfit(name, data));
  const adjusted = model !== "active" && data.adjusted;
  const none = {
    observed,
    predicted: [],
    limits: [],
    bounds: null,
    fit: null,
    errors: [],
    adjusted,
  };
  if (refused.every((why) => why !== undefined)) {
    return { ...none, reason: refused.at(-1)! };
  }
  const fit = models.filter((_, index) => refused[index] === undefined)
    .map((name) => fitModel(name, data)).reduce((a, b) => b.aic < a.aic ? b : a);
  const horizon = Math.max(wanted.horizon, ...observed.keys());
  const predicted = predictedBy(fit.hazard, data.start, horizon);
  const { reason, ...limits } = limitsOf({ fit, data, predicted }, clusters, wanted);
  const reasons = [fit.reason, reason].filter((why) => why !== null);
  return {
    ...none,
    ...limits,
    predicted,
    fit,
    reason: reasons.length === 0 ? null : reasons.join("; "),
  };
}

/** Returns the parameters of a forecast by column name. NaN means null. */
export function parametersOf({ fit, errors }: Forecast): Record<string, number> {
  const at = fit === null || fit.model === "geometric" ? [] : fit.at ?? [];
  const known = at.length > 0;
  const errorOf = (index: number) => known ? errors[index] ?? NaN : NaN;
  const third = at[2] ?? NaN;
  const active = fit?.model === "active";
  return {
    alpha: Math.exp(at[0] ?? NaN),
    beta: Math.exp(at[1] ?? NaN),
    q: fit?.model === "sbg" || (active && at.length === 2) ? 1 : active ? expit(third) : NaN,
    c: fit?.model === "sbg" ? 1 : fit?.model === "bdw" ? Math.exp(third) : NaN,
    se_log_alpha: errorOf(0),
    se_log_beta: errorOf(1),
    se_logit_q: active ? errorOf(2) : NaN,
    log_likelihood: fit?.logLikelihood ?? NaN,
    aic: fit?.aic ?? NaN,
  };
}
