import { chanceOf } from "../chance.ts";
import { deviation, dot, meanOf } from "../sums.ts";
import { simplexWeights } from "./simplex_weights.ts";

/** The methods that estimate which values would be expected if the event had not happened. */
export const COUNTERFACTUAL_METHODS = ["did", "synthetic", "sdid"] as const;

/** How values are fitted. */
interface FitMethod {
  readonly method: typeof COUNTERFACTUAL_METHODS[number];
  /** Whether the mean of each entity before the event is taken off. */
  readonly intercept: boolean;
  /** The number of dates before the event, which come before the other dates. */
  readonly before: number;
}

/** The maximum number of placebos. Of more donors, so many are drawn. */
const MOST_PLACEBOS = 200;

/** Returns the root mean square of values around a center. */
function spreadAround(values: readonly number[], center: number): number {
  return Math.sqrt(meanOf(values.map((value) => (value - center) ** 2)));
}

/**
 * Returns a function that estimates the expected values of a unit from some donors. `gap` is the observed minus the
 * expected value at each date, and `effect` is the mean gap after the event.
 */
function fitterOf(
  { method, intercept, before }: FitMethod,
  donors: readonly (readonly number[])[],
) {
  const centers = method !== "synthetic" || intercept;
  const columns = donors.map((donor) => donor.slice(0, before));
  // The standard deviation of the first differences of all donors before the event.
  const noise = method === "sdid"
    ? deviation(columns.flatMap((own) => own.slice(1).map((value, at) => value - own[at]!)))
    : 0;
  // The mean gap before the event, by the weights of dates, is subtracted from all gaps.
  const dates = method === "sdid"
    ? simplexWeights({
      columns: columns[0]!.map((_, at) => donors.map((donor) => donor[at]!)),
      target: donors.map((donor) => meanOf(donor.slice(before))),
      ridge: donors.length * (1e-6 * noise) ** 2,
      intercept: true,
    })
    : columns[0]!.map(() => centers ? 1 / before : 0);
  const ridge = before * Math.sqrt(donors[0]!.length - before) * noise ** 2;
  return (observed: readonly number[]) => {
    const target = observed.slice(0, before);
    const weights = method === "did"
      ? donors.map(() => 1 / donors.length)
      : simplexWeights({ columns, target, ridge, intercept: centers });
    const used = [...donors.entries()].filter(([index]) => weights[index] !== 0);
    const raw = observed.map((value, at) =>
      used.reduce((rest, [index, donor]) => rest - weights[index]! * donor[at]!, value)
    );
    const shift = dot(dates, raw);
    const gap = raw.map((value) => value - shift);
    const [early, late] = [raw.slice(0, before), gap.slice(before)];
    return {
      weights,
      gap,
      // Uses the unweighted mean, because the date weights of `sdid` depend on values after the event.
      rmse_before: spreadAround(early, centers ? meanOf(early) : 0),
      rmse_after: spreadAround(late, 0),
      effect: meanOf(late),
    };
  };
}

/**
 * Fits a unit, and each placebo and the unit without each other (leave-two-out: Lei and Sudijono 2024, arXiv 2401.07152).
 * Placebos are all donors, or 200 that are drawn with a fixed seed. A placebo is a donor analyzed as if the event had
 * happened to it: `donor` is its place, and `treated` the fit of the unit without it.
 */
export function fitsOf(
  method: FitMethod,
  observed: readonly number[],
  donors: readonly (readonly number[])[],
) {
  const full = fitterOf(method, donors)(observed);
  const places = [...donors.keys()];
  const { uniform } = chanceOf(2023);
  for (let at = 0; at < MOST_PLACEBOS && MOST_PLACEBOS < places.length; at++) {
    const other = at + Math.floor(uniform() * (places.length - at));
    [places[at], places[other]] = [places[other]!, places[at]!];
  }
  const drawn = places.slice(0, MOST_PLACEBOS).sort((a, b) => a - b);
  const placebos = drawn.map((donor) => {
    const fit = fitterOf(method, donors.filter((_, other) => other !== donor));
    // A donor without a weight does not change the combination that is nearest.
    const same = method.method === "synthetic" && full.weights[donor] === 0;
    return { donor, placebo: fit(donors[donor]!), treated: same ? full : fit(observed) };
  });
  return { full, placebos };
}

/** The fits of a unit and its placebos. */
export type Fits = ReturnType<typeof fitsOf>;

/**
 * Returns the rank of the treated unit: 1 and the number of placebos whose ratio of root mean squares after and before
 * the event is at least that of the treated unit in its pair.
 */
export function rankAmong(placebos: Fits["placebos"]): number {
  const ratioOf = ({ rmse_after, rmse_before }: Fits["full"]) => rmse_after / rmse_before || 0;
  return 1 +
    placebos.filter(({ placebo, treated }) => ratioOf(placebo) >= ratioOf(treated)).length;
}

/**
 * Returns the bounds of an effect that is the same at the dates from `from` to before `to`: those that the ratio test
 * does not reject (Firpo and Possebom 2018, Journal of Causal Inference 6), because the ratios of `fewest` placebos are as
 * large. A placebo does not reject the effects of one interval: those that leave the treated unit a ratio of at most its
 * own. Returns undefined if every effect is rejected.
 */
export function placeboBounds(
  placebos: Fits["placebos"],
  fewest: number,
  [from, to]: readonly [from: number, to: number],
): { readonly lower: number; readonly upper: number } | undefined {
  const intervals = placebos.flatMap(({ placebo, treated }) => {
    const own = treated.gap.slice(from, to);
    const most = (spreadAround(placebo.gap.slice(from, to), 0) / placebo.rmse_before || 0) *
      treated.rmse_before;
    const [mean, square] = [meanOf(own), most ** 2 - spreadAround(own, meanOf(own)) ** 2];
    const half = Math.sqrt(square);
    return square >= 0 ? [{ lower: mean - half, upper: mean + half }] : [];
  });
  const isKept = (effect: number) =>
    intervals.filter(({ lower, upper }) => lower <= effect && effect <= upper).length >= fewest;
  const lower = intervals.map(({ lower }) => lower).sort((a, b) => a - b).find(isKept);
  const upper = intervals.map(({ upper }) => upper).sort((a, b) => b - a).find(isKept);
  return lower === undefined || upper === undefined ? undefined : { lower, upper };
}
