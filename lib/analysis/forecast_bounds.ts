import { effectiveDegrees, jackknifeError } from "./cluster_bounds.ts";
import { fallingCurve, type Step } from "./forecast_curve.ts";
import { covarianceOf, FEWEST, hazardOf, type ModelFit, refit } from "./retention_models.ts";
import type { Hazard, Transition } from "./shifted_beta_geometric.ts";
import { studentQuantile } from "./student.ts";
import { logLogBounds } from "./survival.ts";
import { type Bounds, normalQuantile } from "./wilson_bounds.ts";

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

/** A curve without one of its clusters, and the size of that cluster. */
export interface WithoutCluster {
  readonly size: number;
  readonly steps: readonly Step[];
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
export function clusterErrors(
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
export function predictionBounds(
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
