import { chanceOf } from "../chance.ts";
import {
  type CounterfactualFit,
  type FitMethod,
  fitterOf,
  spreadAround,
} from "./counterfactual_fit.ts";

/** The maximum number of placebos. Of more donors, so many are drawn. */
const MOST_PLACEBOS = 200;

/** A placebo: a donor analyzed as if the event had happened to it, and the treated unit analyzed without this donor. */
export interface Placebo {
  /** The place of the donor. */
  readonly donor: number;
  /** The fit of the donor, without the treated unit. */
  readonly placebo: CounterfactualFit;
  /** The fit of the treated unit, without the donor. */
  readonly treated: CounterfactualFit;
}

/** Returns the places of the donors that are placebos: all, or some that are drawn with a fixed seed. */
function placesOf(count: number): number[] {
  const places = Array.from({ length: count }, (_, place) => place);
  if (count <= MOST_PLACEBOS) return places;
  const { uniform } = chanceOf(2023);
  for (let at = 0; at < MOST_PLACEBOS; at++) {
    const other = at + Math.floor(uniform() * (count - at));
    [places[at], places[other]] = [places[other]!, places[at]!];
  }
  return places.slice(0, MOST_PLACEBOS).sort((a, b) => a - b);
}

/**
 * Fits each placebo and the treated unit without each other (leave-two-out: Lei and Sudijono 2024, arXiv 2401.07152).
 * `full` is the fit of the treated unit with all donors.
 */
export function placebosOf(
  method: FitMethod,
  { observed, donors, full }: {
    readonly observed: Float64Array;
    readonly donors: readonly Float64Array[];
    readonly full: CounterfactualFit;
  },
): Placebo[] {
  return placesOf(donors.length).map((donor) => {
    const fit = fitterOf(method, donors.filter((_, other) => other !== donor));
    // A donor without a weight does not change the combination that is nearest.
    const same = method.method === "synthetic" && full.weights[donor] === 0;
    return {
      donor,
      placebo: fit(donors[donor]!),
      treated: same ? full : fit(observed),
    };
  });
}

/** Returns `value / divisor`, or 0 if the value is 0. */
function ratio(value: number, divisor: number): number {
  return value === 0 ? 0 : value / divisor;
}

/**
 * Returns the rank of the treated unit: 1 and the number of placebos whose ratio of root mean squares after and before
 * the event is at least that of the treated unit in its pair.
 */
export function rankAmong(placebos: readonly Placebo[]): number {
  const ratioOf = (fit: CounterfactualFit) => ratio(fit.rmse_after, fit.rmse_before);
  return placebos.reduce(
    (rank, { placebo, treated }) => rank + Number(ratioOf(placebo) >= ratioOf(treated)),
    1,
  );
}

/**
 * Returns the number of placebos whose ratio must be at least as large, so that the test does not reject. It is 0 or less
 * if there are too few placebos for the confidence.
 */
export function fewestLarger(placebos: number, confidence: number): number {
  return placebos + 1 - Math.ceil(confidence * (placebos + 1) - 1e-9);
}

/**
 * Returns the bounds of an effect that is the same at the dates from `from` to before `to`: those that the ratio test
 * does not reject (Firpo and Possebom 2018, Journal of Causal Inference 6). A placebo does not reject the effects of one
 * interval: those that leave the treated unit a ratio of at most its own. Returns null if every effect is rejected.
 */
export function placeboBounds(
  placebos: readonly Placebo[],
  { from, to, fewest }: { readonly from: number; readonly to: number; readonly fewest: number },
): readonly [number, number] | null {
  const intervals = placebos.flatMap(({ placebo, treated }) => {
    const own = treated.gap.subarray(from, to);
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    const most = ratio(spreadAround(placebo.gap.subarray(from, to), 0), placebo.rmse_before) *
      treated.rmse_before;
    const square = most ** 2 - spreadAround(own, mean) ** 2;
    const half = Math.sqrt(square);
    return square >= 0 ? [[mean - half, mean + half] as const] : [];
  });
  // Sweeps over the ends: the number of intervals that contain an effect.
  const boundOf = (side: 1 | -1) => {
    const steps = intervals.flatMap(([low, high]) => {
      const [first, last] = side === 1 ? [low, high] : [high, low];
      return [{ at: first, step: 1 }, { at: last, step: -1 }];
    }).sort((a, b) => (a.at - b.at) * side || b.step - a.step);
    let count = 0;
    return steps.find(({ step }) => (count += step) >= fewest && step === 1)?.at;
  };
  const [low, high] = [boundOf(1), boundOf(-1)];
  return low === undefined || high === undefined ? null : [low, high];
}
