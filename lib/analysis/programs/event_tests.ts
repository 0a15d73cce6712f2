import { studentQuantile, studentTails } from "../distributions.ts";
import { distanceOf, type EventEffect, type EventLayout } from "./event_design.ts";
import { absoluteT, errorOf, estimated } from "./event_errors.ts";
import { meanEstimates } from "./event_estimates.ts";
import { totalsOf } from "./event_totals.ts";
import { testTimes } from "./event_worlds.ts";

/** Returns the mean distance from the base of the changes that an effect counts, with its own weights. */
function meanDistance(layout: EventLayout, at: number): number {
  const { design, changes } = layout;
  if (design.total) return totalsOf(layout).distances[at]!;
  // The effect of values that are the distances of treated entities from their base.
  const deltas = layout.deltas.map((own, place) =>
    own.map((delta, unit) =>
      Number.isNaN(delta)
        ? NaN
        : design.labels[unit] === changes[place]!.wave
        ? distanceOf(design, changes[place]!)
        : 0
    )
  );
  return meanEstimates({ ...layout, deltas })[at]!.effect;
}

/**
 * Estimates and tests the effects of a design. `clusters` has the cluster of each entity.
 *
 * `lower`, `upper` and `p_value` use Student's t with the same error and degrees of freedom, so that they cannot disagree.
 * `pre_p`, `lower_all` and `upper_all` use the largest |t| of simulated worlds. NaN means null. The base has an effect of 0 only.
 */
export function testEffects(
  layout: EventLayout,
  { confidence, clusters }: { readonly confidence: number; readonly clusters?: Int32Array },
) {
  const { design } = layout;
  const found = estimated(layout, clusters);
  const tiny = 1e-12 *
    design.values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  const { pre_p = NaN, bounds, reason: notDrawn } = testTimes(layout, {
    clusters,
    confidence,
    tiny,
  });
  const results = layout.effects.map((each: EventEffect, at) => {
    const estimate = found.estimates[at]!;
    const isBase = each.row === "time" && each.time === design.base;
    const { error, degrees, reason } = isBase
      ? { error: NaN, degrees: NaN, reason: null }
      : errorOf(estimate, found, design.total);
    const { effect } = estimate;
    const half = error > tiny ? studentQuantile(confidence, degrees) * error : error;
    const all = each.row === "time" ? bounds?.get(each.time) : undefined;
    const [lower, upper] = [effect - half, effect + half];
    return {
      ...each,
      effect,
      lower,
      upper,
      few: Number.isNaN(effect) ? null : reason,
      lower_all: all?.lower ?? NaN,
      upper_all: all?.upper ?? NaN,
      p_value: Number.isNaN(half) ? NaN : studentTails(absoluteT(effect, error, tiny), degrees),
    };
  });
  const overall = results.findIndex(({ row }) => row === "overall");
  const { lower, upper } = results[overall]!;
  const nearest = Number.isNaN(lower) ? NaN : Math.max(0, lower, -upper);
  const slope = results.at(-1)!;
  return {
    layout,
    pre_p,
    notDrawn,
    breakdown: nearest / meanDistance(layout, overall),
    pre_slope: slope.effect,
    pre_slope_lower: slope.lower,
    pre_slope_upper: slope.upper,
    pre_slope_p: slope.p_value,
    results: results.slice(0, -1),
  };
}
