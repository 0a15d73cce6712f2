import { simplexWeights } from "./simplex_weights.ts";

/** The methods that estimate which values would be expected if the event had not happened. */
export const COUNTERFACTUAL_METHODS = ["did", "synthetic", "sdid"] as const;

export type CounterfactualMethod = typeof COUNTERFACTUAL_METHODS[number];

/** How values are fitted. */
export interface FitMethod {
  readonly method: CounterfactualMethod;
  /** Whether the mean of each entity before the event is taken off. */
  readonly intercept: boolean;
  /** The number of dates before the event, which come before the other dates. */
  readonly before: number;
}

/** The expected values of a unit, and their distance from the observed ones. */
export interface CounterfactualFit {
  readonly weights: Float64Array;
  readonly gap: Float64Array;
  readonly rmse_before: number;
  readonly rmse_after: number;
  readonly effect: number;
}

function meanIn(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the root mean square of values around a center. */
export function spreadAround(values: Float64Array, center: number): number {
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / values.length);
}

/** Returns the standard deviation of the first differences of all donors before the event. */
function noiseOf(donors: readonly Float64Array[], before: number): number {
  const count = donors.length * (before - 1);
  const mean = donors.reduce((sum, donor) => sum + donor[before - 1]! - donor[0]!, 0) / count;
  let squares = 0;
  for (const donor of donors) {
    for (let at = 1; at < before; at++) squares += (donor[at]! - donor[at - 1]! - mean) ** 2;
  }
  return Math.sqrt(squares / (count - 1));
}

/**
 * Returns a function that estimates the expected values of a unit from some donors. `gap` is the observed minus the
 * expected value at each date, and `effect` is the mean gap after the event.
 */
export function fitterOf(
  { method, intercept, before }: FitMethod,
  donors: readonly Float64Array[],
): (observed: Float64Array) => CounterfactualFit {
  const centers = method !== "synthetic" || intercept;
  const columns = donors.map((donor) => donor.subarray(0, before));
  const after = donors[0]!.length - before;
  const noise = method === "sdid" ? noiseOf(donors, before) : 0;
  // The mean gap before the event, by the weights of dates, is subtracted from all gaps.
  const dates = method === "sdid"
    ? simplexWeights({
      columns: Array.from({ length: before }, (_, at) => donors.map((donor) => donor[at]!)),
      target: donors.map((donor) => meanIn(donor.subarray(before))),
      ridge: donors.length * (1e-6 * noise) ** 2,
      intercept: true,
    })
    : new Float64Array(before).fill(centers ? 1 / before : 0);
  const ridge = before * Math.sqrt(after) * noise ** 2;
  return (observed) => {
    const target = observed.subarray(0, before);
    const weights = method === "did"
      ? new Float64Array(donors.length).fill(1 / donors.length)
      : simplexWeights({ columns, target, ridge, intercept: centers });
    const raw = observed.slice();
    donors.forEach((donor, index) => {
      const weight = weights[index]!;
      if (weight === 0) return;
      for (let at = 0; at < raw.length; at++) raw[at]! -= weight * donor[at]!;
    });
    const shift = dates.reduce((sum, weight, at) => sum + weight * raw[at]!, 0);
    const gap = raw.map((value) => value - shift);
    const [early, late] = [raw.subarray(0, before), gap.subarray(before)];
    return {
      weights,
      gap,
      // Uses the unweighted mean, because the date weights of `sdid` depend on values after the event.
      rmse_before: spreadAround(early, centers ? meanIn(early) : 0),
      rmse_after: spreadAround(late, 0),
      effect: meanIn(late),
    };
  };
}
