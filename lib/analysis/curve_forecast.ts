import {
  clusterErrors,
  likelihoodErrors,
  predictedBy,
  predictionBounds,
} from "./forecast_bounds.ts";
import { fallingCurve } from "./forecast_curve.ts";
import type { ObservedCurve } from "./forecast_source.ts";
import {
  FEWEST,
  fitModel,
  type ModelFit,
  RETENTION_MODELS,
  type RetentionModel,
} from "./retention_models.ts";
import type { Bounds } from "./wilson_bounds.ts";

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
