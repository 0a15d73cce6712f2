import { longWork } from "../../platform/long_work.ts";
import { counted } from "../../platform/terminal.ts";
import { chanceOf } from "../chance.ts";
import { deviation, dot, meanOf } from "../sums.ts";
import { simplexWeights } from "./simplex_weights.ts";
import { roundingOf, spreadAround } from "./twins.ts";

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

/** The number of blocks of dates before the event, each of which is predicted by a fit to the others. */
const BLOCKS = 3;

/** The maximum number of placebos. Of more donors, so many are drawn. */
const MOST_PLACEBOS = 200;

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
 * Returns functions that fit a unit: to all dates before the event, and to the dates outside each of three blocks. The
 * dates of the block come last, as if they were after the event.
 */
function fittersOf(method: FitMethod, donors: readonly (readonly number[])[]) {
  const { before } = method;
  const dates = [...Array(before).keys()];
  const held = [...Array(BLOCKS).keys()].map((block) => {
    const isHeld = (at: number) => Math.floor(BLOCKS * at / before) === block;
    const kept = dates.filter((at) => !isHeld(at));
    const order = [...kept, ...dates.filter(isHeld)];
    const pick = (values: readonly number[]) => order.map((at) => values[at]!);
    const fit = fitterOf({ ...method, before: kept.length }, donors.map(pick));
    return (observed: readonly number[]) => {
      const { gap, ...rest } = fit(pick(observed));
      return { ...rest, gap: gap.slice(kept.length) };
    };
  });
  return [fitterOf(method, donors), ...held] as const;
}

type Fit = ReturnType<ReturnType<typeof fitterOf>>;

/**
 * Adds the error of the gaps that the fit did not see: of each block of dates, predicted from the other blocks. Errors
 * of rounding are 0.
 */
function tested([whole, ...held]: readonly Fit[], observed: readonly number[], before: number) {
  const limit = roundingOf(observed.slice(0, before));
  const clean = (error: number) => error <= limit ? 0 : error;
  return {
    ...whole!,
    rmse_before: clean(whole!.rmse_before),
    rmse_held_out: clean(spreadAround(held.flatMap(({ gap }) => gap), 0)),
  };
}

/**
 * Fits a unit, and each placebo and the unit without each other (leave-two-out: Lei and Sudijono 2024, arXiv 2401.07152).
 * Placebos are all donors, or 200 that are drawn with a fixed seed. A placebo is a donor analyzed as if the event had
 * happened to it: `donor` is its place, and `treated` the fit of the unit without it. Donors whose held-out values are
 * predicted exactly are no placebos: `exact` has their places.
 */
export function fitsOf(
  method: FitMethod,
  observed: readonly number[],
  donors: readonly (readonly number[])[],
) {
  const isDone = longWork({
    fn: "counterfactual",
    what: () =>
      `${counted(Math.min(MOST_PLACEBOS, donors.length), "placebo")} of ` +
      `${counted(donors.length, "donor")} and ${counted(observed.length, "date")}`,
    less: "fewer donors or dates",
    total: Math.min(MOST_PLACEBOS, donors.length) + 1,
  });
  const fits = fittersOf(method, donors).map((fit) => fit(observed));
  const full = tested(fits, observed, method.before);
  isDone(1);
  const places = [...donors.keys()];
  const { uniform } = chanceOf(2023);
  for (let at = 0; at < MOST_PLACEBOS && MOST_PLACEBOS < places.length; at++) {
    const other = at + Math.floor(uniform() * (places.length - at));
    [places[at], places[other]] = [places[other]!, places[at]!];
  }
  const drawn = places.slice(0, MOST_PLACEBOS).sort((a, b) => a - b);
  const all = drawn.map((donor) => {
    const fitters = fittersOf(method, donors.filter((_, other) => other !== donor));
    const own = donors[donor]!;
    const pair = fitters.map((fit, at) =>
      // A donor without a weight does not change the combination that is nearest.
      method.method === "synthetic" && fits[at]!.weights[donor] === 0 ? fits[at]! : fit(observed)
    );
    const both = {
      donor,
      placebo: tested(fitters.map((fit) => fit(own)), own, method.before),
      treated: tested(pair, observed, method.before),
    };
    isDone(1);
    return both;
  });
  const isExact = ({ placebo, treated }: typeof all[number]) =>
    placebo.rmse_held_out === 0 || treated.rmse_held_out === 0;
  return {
    full,
    placebos: all.filter((each) => !isExact(each)),
    exact: all.filter(isExact).map(({ donor }) => donor),
  };
}

/** The fits of a unit and its placebos. */
export type Fits = ReturnType<typeof fitsOf>;

/** The dates from `from` to before `to`. */
type Span = readonly [from: number, to: number];

/** Returns the root mean square of the gaps of some dates, as a multiple of the held-out error. */
function ratioOf({ gap, rmse_held_out }: Fits["full"], [from, to]: Span): number {
  return spreadAround(gap.slice(from, to), 0) / rmse_held_out;
}

/**
 * Returns the rank of the treated unit: 1 and the number of placebos whose ratio of the gaps of some dates to the held-out
 * error is at least that of the treated unit in its pair.
 */
export function rankAmong(placebos: Fits["placebos"], span: Span): number {
  return 1 +
    placebos.filter(({ placebo, treated }) => ratioOf(placebo, span) >= ratioOf(treated, span))
      .length;
}

/**
 * Returns the bounds of an effect that is the same at some dates: those that the ratio test does not reject (Firpo and
 * Possebom 2018, Journal of Causal Inference 6), because the ratios of `fewest` placebos are as large. A placebo does not
 * reject the effects of one interval: those that leave the treated unit a ratio of at most its own. Returns undefined if
 * every effect is rejected.
 */
export function placeboBounds(
  placebos: Fits["placebos"],
  fewest: number,
  span: Span,
): { readonly lower: number; readonly upper: number } | undefined {
  const intervals = placebos.flatMap(({ placebo, treated }) => {
    const own = treated.gap.slice(...span);
    const most = ratioOf(placebo, span) * treated.rmse_held_out;
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
