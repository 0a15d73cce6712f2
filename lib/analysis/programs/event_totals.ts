import {
  distanceOf,
  type EventEffect,
  type EventLayout,
  membersOf,
  slopeOver,
} from "./event_design.ts";
import type { EventEstimate } from "./event_estimates.ts";

/** Sums of a change in a stratum: of treated entities after and before, and of controls after and before. */
const SUMS = 4;

/**
 * Compares sums: Poisson differences in differences (Chen and Roth 2024, Quarterly Journal of Economics 139, 891-936).
 * An effect is log(sum of observed treated values / sum of expected ones). The expected sum is that of the base, times
 * the ratio of the controls' sums, added over the changes of the effect. Returns a function that estimates the effects
 * of a design without some entities. The parts of entities are 0.
 */
export function totalsOf(layout: EventLayout): (out: readonly number[]) => EventEstimate[] {
  const { design, changes, effects, deltas, bases } = layout;
  const { labels, strata, waves, values } = design;
  const slots = values.length / labels.length;
  const width = SUMS * (1 + strata.reduce((most, stratum) => Math.max(most, stratum), 0));
  const add = (sums: readonly Float64Array[], unit: number, sign: 1 | -1) =>
    changes.forEach(({ wave, slot }, place) => {
      if (slot === null || Number.isNaN(deltas[place]![unit]!)) return;
      const first = SUMS * strata[unit]! + (labels[unit] === wave ? 0 : 2);
      sums[place]![first]! += sign * values[unit * slots + slot]!;
      sums[place]![first + 1]! += sign * bases[wave]![unit]!;
    });
  const whole = changes.map(() => new Float64Array(width));
  labels.forEach((_, unit) => add(whole, unit, 1));
  const parts = effects.map((effect) => {
    const { treated, controls } = membersOf(layout, effect);
    const own = new Float64Array(labels.length).fill(NaN);
    for (const unit of [...treated, ...controls]) own[unit] = 0;
    return own;
  });
  const ratioOf = (sums: readonly Float64Array[], places: readonly number[]) => {
    let [observed, expected, distance] = [0, 0, 0];
    for (const place of places) {
      for (let at = 0; at < width; at += SUMS) {
        const [after, before, other, base] = sums[place]!.subarray(at, at + SUMS);
        if (after === 0 && before === 0) continue;
        const own = before! * other! / base!;
        observed += after!;
        expected += own;
        distance += own * distanceOf(design, changes[place]!);
      }
    }
    const log = Math.log(observed / expected);
    return { effect: Number.isFinite(log) ? log : NaN, distance: distance / expected };
  };
  /** The mean of the slopes of waves before the start, weighted by their numbers of entities. */
  const slopeOf = (sums: readonly Float64Array[]) => {
    let [sum, total] = [0, 0];
    waves.forEach(({ base, times }, wave) => {
      const before = changes.flatMap((change, place) =>
        change.wave === wave && change.slot !== null && change.slot <= base.at(-1)! ? [place] : []
      );
      const logs = before.map((place) => ratioOf(sums, [place]).effect);
      const slope = slopeOver(times.slice(0, logs.length), logs);
      if (Number.isNaN(slope)) return;
      const count = labels.reduce((count, label) => count + Number(label === wave), 0);
      sum += count * slope;
      total += count;
    });
    return { effect: sum / total, distance: NaN };
  };
  return (out) => {
    const sums = whole.map((each) => each.slice());
    for (const unit of out) add(sums, unit, -1);
    return effects.map(({ row, places }, at) => ({
      ...row === "slope" ? slopeOf(sums) : ratioOf(sums, places),
      parts: parts[at]!,
    }));
  };
}

/** Returns the sums on which an effect rests, by entity: those of treated entities, or those of controls. */
export function amountsOf(
  { design: { labels, values }, changes, deltas, bases }: EventLayout,
  { places }: EventEffect,
  isTreated: boolean,
): Float64Array {
  const slots = values.length / labels.length;
  const amounts = new Float64Array(labels.length);
  for (const place of places) {
    const { wave, slot } = changes[place]!;
    labels.forEach((label, unit) => {
      if ((label === wave) !== isTreated || slot === null) return;
      if (Number.isNaN(deltas[place]![unit]!)) return;
      amounts[unit]! += values[unit * slots + slot]! + bases[wave]![unit]!;
    });
  }
  return amounts;
}
