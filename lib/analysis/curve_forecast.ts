import { type Bounds, effectiveDegrees, jackknifeError } from "./retention_bounds.ts";
import { fallingCurve, type ObservedCurve, type WithoutCluster } from "./forecast_source.ts";
import {
  covarianceOf,
  FEWEST,
  fitModel,
  hazardOf,
  type ModelFit,
  refit,
  RETENTION_MODELS,
  type RetentionModel,
} from "./retention_models.ts";
import type { Hazard, Transition } from "./shifted_beta_geometric.ts";
import { normalQuantile, studentQuantile } from "./distributions.ts";
import { logLogBounds } from "./survival_bounds.ts";

/** The retention that a hazard leaves, month by month from month 0 on. */
export function predictedBy(hazard: Hazard, start: number, horizon: number): Float64Array {
  const predicted = new Float64Array(horizon + 1);
  let left = start;
  for (let month = 0; month <= horizon; month++) {
    if (month > 0) left *= 1 - hazard(month);
    predicted[month] = left;
  }
  return predicted;
}

/** A model of one curve, and what it predicts. */
interface Prediction {
  readonly fit: ModelFit;
  readonly transitions: readonly Transition[];
  readonly start: number;
  readonly predicted: Float64Array;
}

const SHIFT = 1e-4;

/**
 * The standard error of each month's prediction by the delta method: from the covariance of the
 * parameters, and how far the prediction moves with them. Null where there is no covariance.
 */
export function likelihoodErrors({ fit, transitions, start, predicted }: Prediction) {
  const covariance = covarianceOf(fit, transitions);
  if (covariance === null || fit.at === null) return null;
  const horizon = predicted.length - 1;
  const slopes = fit.at.map((_, i) => {
    const shifted = (by: number) => {
      const at = fit.at!.map((value, j) => value + (i === j ? by : 0));
      return predictedBy(hazardOf(fit.model, at), start, horizon);
    };
    const [up, down] = [shifted(SHIFT), shifted(-SHIFT)];
    return up.map((value, month) => (value - down[month]!) / (2 * SHIFT));
  });
  const errors = predicted.map((_, month) => {
    let variance = 0;
    slopes.forEach((one, i) =>
      slopes.forEach((other, j) => variance += one[month]! * other[month]! * covariance[i]![j]!)
    );
    return Math.sqrt(Math.max(0, variance));
  });
  return { covariance, errors };
}

/** The errors of predictions over clusters, and the degrees of freedom of their quantile. */
interface ClusterErrors {
  readonly errors: Float64Array;
  readonly degrees: number;
}

/**
 * The delete-one-cluster jackknife error of each month's prediction: the model is fitted again
 * without each cluster. Null where what is left without one cannot tell its parameters.
 */
function clusterErrors(
  { fit, predicted }: Prediction,
  without: readonly WithoutCluster[],
): ClusterErrors | null {
  const others: Float64Array[] = [];
  for (const { steps } of without) {
    const { transitions, start, months } = fallingCurve(steps);
    if (months < FEWEST[fit.model] || start === 0 || transitions.length === 0) return null;
    const { hazard } = refit(fit, transitions);
    others.push(predictedBy(hazard, start, predicted.length - 1));
  }
  return {
    errors: predicted.map((value, month) => jackknifeError(value, others.map((o) => o[month]!))),
    degrees: effectiveDegrees(without.map(({ size }) => size)),
  };
}

const UNKNOWN: Bounds = { lower: NaN, upper: NaN };

/**
 * Bounds of predictions on the scale of `log(-log)`. Those by clusters are never within those of the
 * likelihood. A curve that begins whole is certain to; an error of 0 later on is none that is known.
 */
function predictionBounds(
  predicted: Float64Array,
  errors: { readonly likelihood: Float64Array | null; readonly cluster: ClusterErrors | null },
  confidence: number,
): Bounds[] {
  const z = -normalQuantile((1 - confidence) / 2);
  const t = errors.cluster === null ? NaN : studentQuantile(confidence, errors.cluster.degrees);
  return Array.from(predicted, (value, month): Bounds => {
    const known = [[errors.likelihood, z], [errors.cluster?.errors ?? null, t]] as const;
    const all = known.flatMap(([error, quantile]) => {
      if (error === null) return [];
      if (month === 0 && error[month] === 0) return [{ lower: value, upper: value }];
      return error[month]! > 0 && value > 0 && value < 1
        ? [logLogBounds(value, error[month]!, quantile)]
        : [];
    });
    if (all.length === 0) return UNKNOWN;
    return {
      lower: Math.min(...all.map(({ lower }) => lower)),
      upper: Math.max(...all.map(({ upper }) => upper)),
    };
  });
}

/** How a curve is to be forecast. */
export interface Wanted {
  readonly horizon: number;
  readonly fitThrough: number;
  readonly model: RetentionModel | "best";
  readonly confidence: number;
}

/** The forecast of one curve: one number for each month, and what is the same in all of them. */
interface Forecast {
  readonly predicted: ArrayLike<number>;
  readonly limits: readonly Bounds[];
  readonly bounds: "binomial" | "cluster" | null;
  readonly fit: ModelFit | null;
  readonly errors: readonly number[];
  readonly adjusted: boolean;
  readonly reason: string | null;
}

/** Fits a model to a curve, and predicts it with bounds. */
export function forecastOf({ observed, steps, without }: ObservedCurve, wanted: Wanted): Forecast {
  const { fitThrough, model, confidence } = wanted;
  const known = steps.filter(({ month }) => month <= fitThrough);
  const { transitions, start, adjusted, months } = fallingCurve(known);
  const nothing = (reason: string): Forecast => (
    { predicted: [], limits: [], bounds: null, fit: null, errors: [], adjusted, reason }
  );
  const models = model === "best" ? RETENTION_MODELS : [model];
  const least = Math.min(...models.map((name) => FEWEST[name]));
  if (months < least) return nothing(`fewer than ${least} observed months: ${months}`);
  if (start === 0) return nothing("retention is 0 from month 0 on");
  if (transitions.length === 0) return nothing("nobody is at risk in any month");
  const fit = models.filter((name) => FEWEST[name] <= months)
    .map((name) => fitModel(name, transitions)).reduce((a, b) => b.aic < a.aic ? b : a);
  const horizon = Math.max(wanted.horizon, ...observed.keys());
  const predicted = predictedBy(fit.hazard, start, horizon);
  const prediction = { fit, transitions, start, predicted };
  const likelihood = likelihoodErrors(prediction);
  const cut = without.map(({ size, steps }) => (
    { size, steps: steps.filter(({ month }) => month <= fitThrough) }
  )).filter(({ size }) => size > 0);
  const cluster = cut.length === 0 ? null : clusterErrors(prediction, cut);
  // Without one of its clusters a curve may tell nothing: then those of the likelihood would lie.
  const limits = cut.length > 0 && cluster === null
    ? []
    : predictionBounds(predicted, { likelihood: likelihood?.errors ?? null, cluster }, confidence);
  return {
    ...{ predicted, limits, fit, adjusted, reason: fit.reason },
    bounds: limits.length === 0 || Number.isNaN(limits.at(-1)!.lower)
      ? null
      : cluster === null
      ? "binomial"
      : "cluster",
    errors: likelihood?.covariance.map((row, i) => Math.sqrt(row[i]!)) ?? [],
  };
}

/** The parameters by name. NaN stands for null. */
export function parametersOf({ fit, errors }: Forecast): Record<string, number> {
  const beta = fit !== null && fit.model !== "geometric";
  const [alpha, other, c] = beta ? (fit.at ?? []).map(Math.exp) : [];
  return {
    alpha: alpha ?? NaN,
    beta: other ?? NaN,
    c: fit?.model === "sbg" ? 1 : c ?? NaN,
    se_log_alpha: beta ? errors[0] ?? NaN : NaN,
    se_log_beta: beta ? errors[1] ?? NaN : NaN,
    log_likelihood: fit?.logLikelihood ?? NaN,
    aic: fit?.aic ?? NaN,
  };
}
