import { chanceOf } from "../chance.ts";
import { quantileOf, studentTails } from "../distributions.ts";
import { meanOf } from "../sums.ts";
import { errorOf, type Estimated, estimated, spreadOf } from "./event_errors.ts";
import { type EventLayout, layoutOf } from "./event_layout.ts";

/** The number of simulated worlds of the tests of all times. */
const WORLDS = 999;
/** Groups of at least this number are drawn by random signs, smaller ones by random combinations. */
const MANY = 15;
/** Waves with fewer treated entities have no part in the tests of all times; these need `FEWEST_DRAWN` in all. */
const [FEWEST_OF_WAVE, FEWEST_DRAWN] = [4, 8];

/**
 * Returns the p values of effects in simulated worlds without an effect, world by world. In each world, every group of
 * units is drawn anew from its own covariance: small groups as random normal combinations of the deviations of their
 * units / √(k − 1), large ones with random signs. Effects have errors and degrees of freedom as in the data.
 */
function drawnPValues(
  estimates: readonly Estimated[],
  units: ReturnType<typeof estimated>["units"],
): number[][] {
  const { normal, uniform } = chanceOf(2021);
  const groups = Map.groupBy(units.keys(), (unit) => units[unit]!.group);
  // For each unit, the units whose numbers it combines.
  const mixes = units.map(({ group }, unit) => {
    const own = groups.get(group)!;
    return own.length < MANY ? own : [unit];
  });
  const deviations = estimates.map(({ sides }) => {
    const known = new Map(sides.flatMap(({ units, numbers }) => {
      const mean = meanOf(numbers);
      return units.map((unit, at) => [unit, numbers[at]! - mean] as const);
    }));
    return Float64Array.from(mixes, (mix, unit) => {
      const count = mix.filter((other) => known.has(other)).length;
      return (known.get(unit) ?? 0) / (Math.sqrt(count - 1) || 1);
    });
  });
  // Each world fills the same arrays, because new ones for every unit would take most of the time.
  const factors = mixes.map((mix) => new Float64Array(mix.length));
  return Array.from({ length: WORLDS }, () => {
    for (const own of factors) {
      for (let place = 0; place < own.length; place++) {
        own[place] = own.length > 1 ? normal() : uniform() < 0.5 ? -1 : 1;
      }
    }
    return estimates.map((estimate, at) => {
      const own = deviations[at]!;
      let effect = 0;
      const sides = estimate.sides.map((side) => {
        let [sum, squares] = [0, 0];
        for (const unit of side.units) {
          const mix = mixes[unit]!;
          const factor = factors[unit]!;
          let drawn = 0;
          for (let place = 0; place < mix.length; place++) {
            drawn += factor[place]! * own[mix[place]!]!;
          }
          sum += drawn;
          squares += drawn * drawn;
        }
        effect += sum;
        return { ...side, spread: spreadOf(side.units.length, sum, squares) };
      });
      const { error, degrees } = errorOf({ ...estimate, sides });
      return studentTails(effect / error, degrees);
    });
  });
}

/** Returns the bounds of an effect that Student's t exceeds with the probability `tails`. */
function boundsOf({ effect, error, degrees }: Estimated, tails: number): readonly [number, number] {
  const half = quantileOf(tails, degrees) * error;
  return [effect - half, effect + half];
}

/**
 * Tests all times together, without groups of fewer than 4 treated entities. The bounds are those of the quantile of the
 * smallest p value of all times.
 */
function testTimes(
  layout: EventLayout,
  found: ReturnType<typeof estimated>,
  { confidence, clusters }: Parameters<typeof testEffects>[1],
) {
  const { design } = layout;
  // The ratios of sums have heavier tails than these worlds.
  if (design.total) return { reason: "sums: no pre_p and no bounds of all times; see pre_slope_p" };
  const few = [...Map.groupBy(found.units, ({ group }) => group).values()]
    .filter(([first, ...more]) =>
      !clusters && first!.treated > 0 && more.length + 1 < FEWEST_OF_WAVE
    )
    .flatMap((group) => group.flatMap(({ entities }) => entities));
  const labels = design.labels.map((label, entity) => few.includes(entity) ? -1 : label);
  const { units, estimates } = few.length === 0
    ? found
    : estimated(layoutOf({ ...design, labels }));
  const treated = units.filter((unit) => unit.treated > 0).length;
  if (treated < FEWEST_DRAWN) {
    const what = clusters
      ? "clusters with treated entities"
      : "treated entities in groups of 4 or more";
    return {
      reason: `pre_p and bounds of all times need ${FEWEST_DRAWN} ${what}, got ${treated}; ` +
        "see pre_slope_p",
    };
  }
  // A time that only groups without a part have has no effect here.
  const times = estimates.filter(({ row, effect, error }) =>
    row === "time" && !Number.isNaN(effect + error)
  );
  const worlds = drawnPValues(times, units);
  const start = design.base === "before" ? 0 : design.base;
  const before = times.map(({ time }) => time < start);
  const leastOf = (ps: readonly number[]) => ps.reduce((a, b) => Math.min(a, b), 1);
  const smallest = (ps: readonly number[]) => leastOf(ps.filter((_, at) => before[at]));
  const observed =
    smallest(times.map(({ effect, error, degrees }) => studentTails(effect / error, degrees))) *
    (1 + 1e-9);
  const smaller = worlds.filter((ps) => smallest(ps) <= observed);
  const least = worlds.map(leastOf).sort((a, b) => a - b);
  const rank = Math.max(1, Math.floor((1 - confidence) * (WORLDS + 1) + 1e-9));
  return {
    pre_p: before.includes(true) ? (smaller.length + 1) / (WORLDS + 1) : NaN,
    bounds: new Map(times.map((each) => [each.time, boundsOf(each, least[rank - 1]!)])),
    reason: few.length === 0 ? undefined : `${few.length} treated entities in groups of fewer ` +
      `than ${FEWEST_OF_WAVE} have no part in pre_p and in bounds of all times`,
  };
}

/**
 * Estimates and tests the effects of a design. `clusters` has the cluster of each entity.
 *
 * `lower`, `upper` and `p_value` use Student's t with the same error and degrees of freedom, so that they cannot disagree.
 * `pre_p`, `lower_all` and `upper_all` use the smallest p value of simulated worlds. NaN means null. The base has an
 * effect of 0 only.
 */
export function testEffects(
  layout: EventLayout,
  given: { readonly confidence: number; readonly clusters?: Int32Array | undefined },
) {
  const found = estimated(layout, given.clusters);
  const { pre_p = NaN, bounds, reason: notDrawn } = testTimes(layout, found, given);
  const all = found.estimates.map((each) => {
    const { effect, error, degrees, row, time } = each;
    const [lower, upper] = boundsOf(each, 1 - given.confidence);
    const [lower_all, upper_all] = row === "time" && bounds?.get(time) || [];
    const p_value = studentTails(effect / error, degrees);
    return { ...each, lower, upper, lower_all, upper_all, p_value };
  });
  const [overall] = all as [typeof all[number]];
  const [slope, later] = all.slice(-2) as [typeof overall, typeof overall];
  const nearest = Number.isNaN(overall.lower) ? NaN : Math.max(0, overall.lower, -overall.upper);
  return {
    notDrawn,
    breakdown: nearest / overall.distance,
    /** The tests before the start, and the slope after it. */
    slopes: {
      pre_p,
      pre_slope: slope.effect,
      pre_slope_lower: slope.lower,
      pre_slope_upper: slope.upper,
      pre_slope_p: slope.p_value,
      post_slope: later.effect,
      post_slope_lower: later.lower,
      post_slope_upper: later.upper,
      post_slope_p: later.p_value,
    },
    results: all.slice(0, -2),
  };
}
