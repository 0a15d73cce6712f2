import { distanceOf, type EventEffect, type EventLayout } from "./event_design.ts";

/** The estimate of one effect. NaN means null. */
export interface EventEstimate {
  readonly effect: number;
  /** The mean distance from the base of the changes that the effect counts, with its own weights. */
  readonly distance: number;
  /** The part of each entity in the effect. NaN if the entity does not count. */
  readonly parts: Float64Array;
}

/** The minimum number of controls of a change. A variance needs two. */
const FEWEST_CONTROLS = 2;

/**
 * Estimates the effects of a design without some entities: group-time effects without covariates, and their means
 * (Callaway and Sant'Anna 2021, Journal of Econometrics 225, 200-230). Each treated entity is compared with the mean of
 * the controls of its stratum and wave. An effect is the sum of the parts of its entities.
 */
export function meanEstimates(
  { design, changes, effects, deltas }: EventLayout,
  out: readonly number[],
): EventEstimate[] {
  const { labels, strata, aggregate } = design;
  const left = new Set(out);
  const width = 1 + strata.reduce((most, stratum) => Math.max(most, stratum), 0);
  // For each change, the number of controls in each stratum, and the difference of each entity from their mean.
  const compared = changes.map(({ wave }, place) => {
    const [counts, sums] = [new Float64Array(width), new Float64Array(width)];
    const own = deltas[place]!.map((delta, unit) => left.has(unit) ? NaN : delta);
    own.forEach((delta, unit) => {
      if (labels[unit] === wave || Number.isNaN(delta)) return;
      counts[strata[unit]!]! += 1;
      sums[strata[unit]!]! += delta;
    });
    const means = sums.map((sum, at) => counts[at]! < FEWEST_CONTROLS ? NaN : sum / counts[at]!);
    return { counts, differences: own.map((delta, unit) => delta - means[strata[unit]!]!) };
  });
  /** Calls a function for each entity that counts on a side of a change. */
  const each = (place: number, isTreated: boolean, use: (unit: number, by: number) => void) =>
    compared[place]!.differences.forEach((difference, unit) => {
      const isOwn = labels[unit] === changes[place]!.wave;
      if (isOwn === isTreated && !Number.isNaN(difference)) use(unit, difference);
    });
  // The number of times from 0 on at which an entity counts, and of entities that count at a time.
  const [times, entities] = [new Float64Array(labels.length), new Map<number, number>()];
  changes.forEach(({ time }, place) => {
    if (!(time >= 0)) return;
    each(place, true, (unit) => {
      times[unit]! += 1;
      entities.set(time, (entities.get(time) ?? 0) + 1);
    });
  });
  const weightOf = ({ row }: EventEffect, unit: number, time: number) => {
    const kind = row === "wave" ? "group" : row === "overall" ? aggregate : "simple";
    if (kind === "group") return 1 / times[unit]!;
    return kind === "simple" ? 1 : 1 / entities.get(time)!;
  };
  return effects.map((effect) => {
    const parts = new Float64Array(labels.length).fill(NaN);
    const add = (unit: number, part: number) => parts[unit] = (parts[unit]! || 0) + part;
    let [sum, total, distance] = [0, 0, 0];
    for (const place of effect.places) {
      const weights = new Float64Array(width);
      each(place, true, (unit, difference) => {
        const weight = weightOf(effect, unit, changes[place]!.time);
        add(unit, weight * difference);
        weights[strata[unit]!]! += weight;
        sum += weight * difference;
        distance += weight * distanceOf(design, changes[place]!);
        total += weight;
      });
      each(place, false, (unit, difference) => {
        const stratum = strata[unit]!;
        const weight = weights[stratum]! / compared[place]!.counts[stratum]!;
        if (weight > 0) add(unit, -weight * difference);
      });
    }
    // Without weights, 0 / 0 is NaN.
    return {
      effect: sum / total,
      distance: distance / total,
      parts: parts.map((part) => part / total),
    };
  });
}
