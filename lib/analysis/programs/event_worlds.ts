import { chanceOf } from "../chance.ts";
import { quantileOf } from "../distributions.ts";
import { meanOf } from "../sums.ts";
import { type EventLayout, layoutOf } from "./event_design.ts";
import { errorOf, type Estimated, estimated, pValueOf, spreadOf } from "./event_errors.ts";

/** The number of simulated worlds of the tests of all times. */
const WORLDS = 999;
/** Groups of at least this number are drawn by random signs, smaller ones by random combinations. */
const MANY = 15;
/** Waves with fewer treated entities have no part in the tests of all times; these need `FEWEST_DRAWN` in all. */
const [FEWEST_OF_WAVE, FEWEST_DRAWN] = [4, 8];

/**
 * Returns the p values of effects in simulated worlds without an effect, effect by effect. In each world, every group of
 * units is drawn anew from its own covariance: small groups as random normal combinations of the deviations of their
 * units
 * / √(k − 1), large ones with random signs. Effects have errors and degrees of freedom as in the data.
 */
function drawnPValues(estimates: readonly Estimated[], groups: readonly (readonly number[])[]) {
  const { normal, uniform } = chanceOf(2021);
  // For each unit, the units whose numbers it combines.
  const mixes: (readonly number[])[] = [];
  for (const group of groups) {
    for (const unit of group) mixes[unit] = group.length < MANY ? group : [unit];
  }
  const factors = mixes.map((mix) => new Float64Array(mix.length));
  const known = estimates.map(({ sides }) => {
    const own = new Float64Array(mixes.length).fill(NaN);
    for (const { units, numbers } of sides) {
      const mean = meanOf(numbers);
      units.forEach((unit, at) => own[unit] = numbers[at]! - mean);
    }
    for (const group of groups) {
      const present = group.filter((unit) => !Number.isNaN(own[unit]!));
      const scale = group.length < MANY ? Math.sqrt(present.length - 1) : 1;
      for (const unit of present) own[unit]! /= scale;
    }
    return own;
  });
  return Array.from({ length: WORLDS }, () => {
    for (const own of factors) {
      for (let at = 0; at < own.length; at++) {
        own[at] = own.length > 1 ? normal() : uniform() < 0.5 ? -1 : 1;
      }
    }
    return estimates.map((estimate, at) => {
      let effect = 0;
      const sides = estimate.sides.map((side) => {
        let [sum, squares] = [0, 0];
        for (const unit of side.units) {
          let drawn = 0;
          mixes[unit]!.forEach((other, place) =>
            drawn += factors[unit]![place]! * (known[at]![other]! || 0)
          );
          sum += drawn;
          squares += drawn * drawn;
        }
        effect += sum;
        return { ...side, spread: spreadOf(side.units.length, sum, squares) };
      });
      return pValueOf({ effect, ...errorOf({ ...estimate, sides }) }, 0);
    });
  });
}

/** Returns the smallest of the numbers of a row that are wanted; 1 without such numbers. */
function smallest(numbers: readonly number[], isWanted: (at: number) => boolean): number {
  return numbers.reduce((least, each, at) => isWanted(at) && each < least ? each : least, 1);
}

/**
 * Tests all times together, without groups of fewer than 4 treated entities. Returns the p value of the times before the
 * base, and bounds by time from the quantile of the smallest p value of all times; or the reason why there are none.
 */
export function testTimes(
  layout: EventLayout,
  { found, clusters, confidence, tiny }: {
    readonly found: ReturnType<typeof estimated>;
    readonly clusters: Int32Array | undefined;
    readonly confidence: number;
    readonly tiny: number;
  },
) {
  const { design } = layout;
  // The ratios of sums have heavier tails than these worlds.
  if (design.total) return { reason: "sums: no pre_p and no bounds of all times; see pre_slope_p" };
  const few = clusters ? [] : [...Map.groupBy(found.units, ({ group }) => group).values()]
    .filter((group) => group[0]!.treated > 0 && group.length < FEWEST_OF_WAVE)
    .flatMap((group) => group.flatMap(({ entities }) => entities));
  const labels = design.labels.map((label, entity) => few.includes(entity) ? -1 : label);
  const { units, estimates } = few.length === 0
    ? found
    : estimated(layoutOf({ ...design, labels }));
  const treated = units.filter((unit) => unit.treated > 0).length;
  if (treated < FEWEST_DRAWN) {
    const what = clusters === undefined
      ? `treated entities in groups of ${FEWEST_OF_WAVE} or more`
      : "clusters with treated entities";
    return {
      reason: `pre_p and bounds of all times need ${FEWEST_DRAWN} ${what}, got ${treated}; ` +
        "see pre_slope_p",
    };
  }
  // A time that only groups without a part have has no effect here.
  const times = estimates.filter(({ row, effect, error }) =>
    row === "time" && !Number.isNaN(effect + error)
  );
  const groups = [...Map.groupBy(units.keys(), (unit) => units[unit]!.group).values()];
  const worlds = drawnPValues(times, groups);
  const start = design.base === "before" ? 0 : design.base;
  const isBefore = (at: number) => times[at]!.time < start;
  const observed = smallest(times.map((each) => pValueOf(each, tiny)), isBefore) * (1 + 1e-9);
  const smaller = worlds.filter((drawn) => smallest(drawn, isBefore) <= observed);
  const least = Float64Array.from(worlds, (drawn) => smallest(drawn, () => true)).sort();
  const rank = Math.max(1, Math.floor((1 - confidence) * (WORLDS + 1) + 1e-9));
  const reach = least[rank - 1]!;
  return {
    pre_p: times.some((_, at) => isBefore(at)) ? (smaller.length + 1) / (WORLDS + 1) : NaN,
    bounds: new Map(times.map(({ time, effect, error, degrees }) => {
      const half = error > tiny ? quantileOf(reach, degrees) * error : error;
      return [time, { lower_all: effect - half, upper_all: effect + half }];
    })),
    reason: few.length === 0 ? null : `${few.length} treated entities in groups of fewer than ` +
      `${FEWEST_OF_WAVE} have no part in pre_p and in bounds of all times`,
  };
}
