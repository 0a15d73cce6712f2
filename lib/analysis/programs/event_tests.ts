import { quantileOf } from "../distributions.ts";
import type { EventLayout } from "./event_design.ts";
import { estimated, pValueOf } from "./event_errors.ts";
import { testTimes } from "./event_worlds.ts";

/**
 * Estimates and tests the effects of a design. `clusters` has the cluster of each entity.
 *
 * `lower`, `upper` and `p_value` use Student's t with the same error and degrees of freedom, so that they cannot disagree.
 * `pre_p`, `lower_all` and `upper_all` use the smallest p value of simulated worlds. NaN means null. The base has an
 * effect of 0 only.
 */
export function testEffects(
  layout: EventLayout,
  { confidence, clusters }: { readonly confidence: number; readonly clusters?: Int32Array },
) {
  const found = estimated(layout, clusters);
  const tiny = 1e-12 *
    layout.design.values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
  const { pre_p = NaN, bounds, reason: notDrawn } = testTimes(layout, {
    ...{ found, clusters, confidence, tiny },
  });
  const all = found.estimates.map((each) => {
    const { effect, error, degrees } = each;
    const half = error > tiny ? quantileOf(1 - confidence, degrees) * error : error;
    return {
      ...each,
      lower: effect - half,
      upper: effect + half,
      ...each.row === "time" ? bounds?.get(each.time) : undefined,
      p_value: pValueOf(each, tiny),
    };
  });
  const overall = all.find(({ row }) => row === "overall")!;
  const nearest = Number.isNaN(overall.lower) ? NaN : Math.max(0, overall.lower, -overall.upper);
  const slope = all.at(-1)!;
  return {
    layout,
    notDrawn,
    breakdown: nearest / overall.distance,
    /** The tests before the start, the same in every row of the result. */
    before: {
      pre_p,
      pre_slope: slope.effect,
      pre_slope_lower: slope.lower,
      pre_slope_upper: slope.upper,
      pre_slope_p: slope.p_value,
    },
    results: all.slice(0, -1),
  };
}
