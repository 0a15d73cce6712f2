import type { CurveMonth } from "./curve_table.ts";
import { studentQuantile } from "../distributions.ts";
import {
  effectiveDegrees,
  expit,
  type Interval,
  jackknifeError,
  logLogBounds,
  NO_INTERVAL,
  unionOf,
} from "../intervals.ts";
import { chained, type CurveData, curveData } from "./observed_curve.ts";
import {
  covarianceOf,
  fewestMonths,
  fitted,
  type ModelFit,
  predictedBy,
  refit,
  type RetentionModel,
  slopesOf,
  transitionsOf,
} from "./retention_models.ts";
import { fewUsers } from "./retention_estimate.ts";
import { sumOf } from "../sums.ts";

/** A curve to forecast. */
export interface ObservedCurve {
  /** The observed months with users, in order. */
  readonly steps: readonly CurveMonth[];
  /** The kind of the bounds, or the reason why bounds cannot be computed. */
  readonly bounds: "cluster" | "block" | "binomial" | { readonly reason: string };
  /** The kind of the clusters. */
  readonly cluster: string;
  /** What the bounds leave out. */
  readonly remarks: readonly string[];
  /** For each cluster, its size, and the curve of all other clusters. Empty if users are treated as independent. */
  readonly without: readonly { readonly size: number; readonly steps: readonly CurveMonth[] }[];
}

/** Options for forecasting a curve. */
interface Wanted {
  readonly horizon: number;
  readonly fitThrough: number;
  readonly model: RetentionModel;
  readonly confidence: number;
}

/** A fitted model of one curve, and its prediction. */
interface Prediction {
  readonly fit: ModelFit;
  readonly data: CurveData;
  readonly predicted: Float64Array;
}

/** Returns the reason why a model cannot be fitted to a curve. Returns undefined if it can be fitted. */
function unfit(model: RetentionModel, data: CurveData): string | undefined {
  const least = fewestMonths(model);
  if (data.months < least) return `fewer than ${least} observed months: ${data.months}`;
  if (data.start === 0) return "retention is 0 from month 0 on";
  const some = transitionsOf(model, data).length > 0;
  return some ? undefined : "no users are at risk in any month";
}

/**
 * Returns the covariance of the parameters, and the standard error of each month's prediction (delta method). Returns
 * null if the covariance cannot be computed.
 */
function likelihoodErrors({ fit, data, predicted }: Prediction) {
  const covariance = covarianceOf(fit, data);
  if (covariance === null) return null;
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

/**
 * Returns the delete-one-cluster jackknife error of each month's prediction. The model is refitted without each cluster
 * in turn. Returns null if too little data remains without one of the clusters.
 */
function clusterErrors({ fit, predicted }: Prediction, without: readonly CurveData[]) {
  if (without.some((data) => unfit(fit.model, data) !== undefined)) return null;
  const others = without.map((data) =>
    predictedBy(refit(fit, data).at, data.start, predicted.length - 1)
  );
  return predicted.map((value, month) => jackknifeError(value, others.map((one) => one[month]!)));
}

/**
 * Returns the bounds of predictions, computed on the log(-log) scale. If the error in month 0 is 0, both bounds are the
 * prediction. In later months, an error of 0 means that the error is unknown, so there are no bounds.
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

/** Returns the bounds of a prediction, or the reason why they are missing. */
function limitsOf(
  prediction: Prediction,
  { bounds, without }: ObservedCurve,
  { confidence, fitThrough }: Wanted,
) {
  const likelihood = likelihoodErrors(prediction);
  const errors = likelihood?.covariance.map((row, i) => Math.sqrt(row[i]!)) ?? [];
  const none = { errors, limits: [] };
  if (typeof bounds === "object") return { ...none, ...bounds };
  const alone = boundsOf(prediction.predicted, likelihood?.errors, studentQuantile(confidence));
  if (bounds === "binomial") return { errors, limits: alone, reason: null };
  const clusters = clusterErrors(
    prediction,
    without.map(({ steps }) => curveData(steps.filter(({ month }) => month <= fitThrough))),
  );
  // If the model cannot be fitted after a cluster is removed, bounds from the likelihood alone would be misleading.
  if (clusters === null) {
    return { ...none, reason: "no bounds: without one of the clusters too few months are left" };
  }
  const degrees = effectiveDegrees(without.map(({ size }) => size));
  const apart = boundsOf(prediction.predicted, clusters, studentQuantile(confidence, degrees));
  return { errors, limits: apart.map((each, month) => unionOf(each, alone[month]!)), reason: null };
}

/** Returns the parameters of a fit and their standard errors by column name. NaN means null. */
function parametersOf(fit: ModelFit | null, errors: readonly number[]): Record<string, number> {
  const [alpha = NaN, beta = NaN, q = Infinity] = fit?.at ?? [];
  return {
    alpha: Math.exp(alpha),
    beta: Math.exp(beta),
    q: fit === null ? NaN : expit(q),
    se_log_alpha: errors[0] ?? NaN,
    se_log_beta: errors[1] ?? NaN,
    se_logit_q: errors[2] ?? NaN,
    log_likelihood: fit?.logLikelihood ?? NaN,
  };
}

/** Fits a model to a curve, and returns one row per month with the prediction and its bounds. */
export function forecastOf(curve: ObservedCurve, wanted: Wanted) {
  const { horizon, fitThrough, model, confidence } = wanted;
  const observed = new Map(chained(curve.steps).map(({ month, left }) => [month, left]));
  const last = Math.max(horizon, ...observed.keys());
  const data = curveData(curve.steps.filter(({ month }) => month <= fitThrough));
  const cannot = unfit(model, data);
  const found = cannot === undefined ? fitted(model, data) : null;
  // Without a maximum of the likelihood, no curve is the most likely one.
  const fit = found?.isMaximum ? found : null;
  const predicted = fit === null ? null : predictedBy(fit.at, data.start, last);
  const why = cannot ?? "the likelihood has no maximum at finite parameters";
  const { errors, limits, reason } = fit === null || predicted === null
    ? { errors: [], limits: [], reason: why }
    : limitsOf({ fit, data, predicted }, curve, wanted);
  const fitsOf = (name: "kept" | "lost") => sumOf(data.levels.map((level) => level[name]));
  const [retained, lost] = [fitsOf("kept"), fitsOf("lost")];
  const bounded = !Number.isNaN(limits.at(-1)?.lower ?? NaN);
  const common = {
    ...parametersOf(fit, errors),
    bounds: bounded ? curve.bounds : null,
    cluster: curve.cluster,
    model,
    adjusted: model !== "active" && data.adjusted,
    reason: [
      ...reason === null ? [] : [reason],
      ...fit === null ? [] : fewUsers({ size: retained + lost, retained }),
      ...bounded ? curve.remarks : [],
    ].join("; ") || null,
    confidence,
  };
  return Array.from({ length: last + 1 }, (_, month) => ({
    ...common,
    month,
    net_activity: observed.get(month),
    predicted: predicted?.[month],
    ...limits[month] ?? NO_INTERVAL,
  }));
}
