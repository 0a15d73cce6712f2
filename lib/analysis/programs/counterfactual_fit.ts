import { simplexWeights } from "./simplex_weights.ts";
import { deviation, dot, meanOf } from "../sums.ts";

/** The methods that estimate which values would be expected if the event had not happened. */
export const COUNTERFACTUAL_METHODS = ["did", "synthetic", "sdid"] as const;

export type CounterfactualMethod = typeof COUNTERFACTUAL_METHODS[number];

/** The values of a unit and its donors by date. The dates before the event come before the other dates. */
interface Case {
  readonly observed: readonly number[];
  readonly donors: readonly (readonly number[])[];
  /** The number of dates before the event. */
  readonly before: number;
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(dot(values, values) / values.length);
}

/**
 * Returns the weights of the donors, and the weights of the dates before the event. With the weights of the dates, the
 * caller computes the mean gap before the event, and subtracts this mean from all gaps.
 */
function weightsOf(
  method: CounterfactualMethod,
  { observed, donors, before }: Case,
): { readonly unit: readonly number[]; readonly time: readonly number[] } {
  const none = new Array<number>(before).fill(0);
  if (method === "did") {
    return { unit: donors.map(() => 1 / donors.length), time: none.map(() => 1 / before) };
  }
  const columns = donors.map((donor) => donor.slice(0, before));
  const target = observed.slice(0, before);
  if (method === "synthetic") {
    return { unit: simplexWeights({ columns, target, ridge: 0, intercept: false }), time: none };
  }
  const steps = columns.flatMap((column) =>
    column.slice(1).map((value, at) => value - column[at]!)
  );
  const noise = deviation(steps);
  const zeta = (observed.length - before) ** 0.25 * noise;
  const unit = simplexWeights({ columns, target, ridge: before * zeta ** 2, intercept: true });
  const time = simplexWeights({
    columns: none.map((_, at) => donors.map((donor) => donor[at]!)),
    target: donors.map((donor) => meanOf(donor.slice(before))),
    ridge: donors.length * (1e-6 * noise) ** 2,
    intercept: true,
  });
  return { unit, time };
}

/**
 * Estimates the expected values of one unit from its donors. `gap` is the observed minus the expected value at each
 * date, and `effect` is the mean gap after the event. `deviation` is the standard deviation of the unit's values before
 * the event. A fit is `poor` if `rmse_before` is more than half of `deviation`.
 */
export function counterfactualFit(method: CounterfactualMethod, given: Case) {
  const { observed, donors, before } = given;
  const { unit, time } = weightsOf(method, given);
  const raw = observed.map((value, at) =>
    donors.reduce((rest, donor, index) => rest - unit[index]! * donor[at]!, value)
  );
  const shift = dot(time, raw);
  const gap = raw.map((value) => value - shift);
  const gapBefore = raw.slice(0, before);
  // Uses the unweighted mean, because the date weights of `sdid` depend on values after the event.
  const center = method === "synthetic" ? 0 : meanOf(gapBefore);
  const rmseBefore = rootMeanSquare(gapBefore.map((value) => value - center));
  const own = deviation(observed.slice(0, before));
  return {
    weights: unit,
    gap,
    rmse_before: rmseBefore,
    deviation: own,
    poor: rmseBefore > own / 2,
    rmse_after: rootMeanSquare(gap.slice(before)),
    effect: meanOf(gap.slice(before)),
  };
}
