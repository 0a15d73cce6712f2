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
 * Returns the weights of the donors, and the weights of the dates before the event. With the weights of the dates, the
 * caller computes the mean gap before the event, and subtracts this mean from all gaps.
 */
function weightsOf(
  { method, intercept, before }: FitMethod,
  observed: Float64Array,
  donors: readonly Float64Array[],
): { readonly unit: Float64Array; readonly time: Float64Array } {
  const even = new Float64Array(before).fill(1 / before);
  if (method === "did") {
    return { unit: new Float64Array(donors.length).fill(1 / donors.length), time: even };
  }
  const columns = donors.map((donor) => donor.subarray(0, before));
  const target = observed.subarray(0, before);
  if (method === "synthetic") {
    const unit = simplexWeights({ columns, target, ridge: 0, intercept });
    return { unit, time: intercept ? even : new Float64Array(before) };
  }
  const noise = noiseOf(donors, before);
  const zeta = (observed.length - before) ** 0.25 * noise;
  return {
    unit: simplexWeights({ columns, target, ridge: before * zeta ** 2, intercept: true }),
    time: simplexWeights({
      columns: Array.from(even, (_, at) => Float64Array.from(donors, (donor) => donor[at]!)),
      target: Float64Array.from(donors, (donor) => meanIn(donor.subarray(before))),
      ridge: donors.length * (1e-6 * noise) ** 2,
      intercept: true,
    }),
  };
}

/**
 * Estimates the expected values of one unit from its donors. `gap` is the observed minus the expected value at each
 * date, and `effect` is the mean gap after the event.
 */
export function counterfactualFit(
  given: FitMethod,
  observed: Float64Array,
  donors: readonly Float64Array[],
): CounterfactualFit {
  const { method, intercept, before } = given;
  const { unit, time } = weightsOf(given, observed, donors);
  const raw = observed.slice();
  donors.forEach((donor, index) => {
    const weight = unit[index]!;
    if (weight === 0) return;
    for (let at = 0; at < raw.length; at++) raw[at]! -= weight * donor[at]!;
  });
  const shift = time.reduce((sum, weight, at) => sum + weight * raw[at]!, 0);
  const gap = raw.map((value) => value - shift);
  const early = raw.subarray(0, before);
  // Uses the unweighted mean, because the date weights of `sdid` depend on values after the event.
  const center = method === "synthetic" && !intercept ? 0 : meanIn(early);
  const late = gap.subarray(before);
  return {
    weights: unit,
    gap,
    rmse_before: spreadAround(early, center),
    rmse_after: spreadAround(late, 0),
    effect: meanIn(late),
  };
}
