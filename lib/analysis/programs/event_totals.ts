import {
  distanceOf,
  type EventEffect,
  type EventLayout,
  isTreated,
  slopeOver,
} from "./event_design.ts";

/** Sums of a change in a stratum: of treated entities after and before, and of controls after and before. */
const SUMS = 4;

/**
 * Compares sums: Poisson differences in differences (Chen and Roth 2024, Quarterly Journal of Economics 139, 891-936).
 * An effect is log(sum of observed treated values / sum of expected ones). The expected sum is that of the base, times
 * the ratio of the controls' sums, added over the changes of the effect.
 *
 * `effectsWithout` estimates all effects without some entities. `distances` has the distance of each effect from the
 * base, weighted by expected sums. `partsOf` returns the sums on which an effect rests, by entity.
 */
export function totalsOf(layout: EventLayout) {
  const { design, changes, effects, deltas, bases } = layout;
  const { labels, strata, waves, values } = design;
  const slots = values.length / labels.length;
  const width = SUMS * strata.reduce((most, stratum) => Math.max(most, stratum + 1), 1);
  const add = (sums: readonly Float64Array[], unit: number, sign: 1 | -1) => {
    if (labels[unit]! < 0) return;
    changes.forEach((change, place) => {
      const { wave, slot } = change;
      if (slot === null || Number.isNaN(deltas[place]![unit]!)) return;
      const first = SUMS * strata[unit]! + (isTreated(change, labels[unit]!) ? 0 : 2);
      sums[place]![first]! += sign * values[unit * slots + slot]!;
      sums[place]![first + 1]! += sign * bases[wave]![unit]!;
    });
  };
  /** Adds up observed and expected sums of a change over strata. */
  const sumsAt = (sums: Float64Array) => {
    let [observed, expected] = [0, 0];
    for (let at = 0; at < width; at += SUMS) {
      const [after, before, other, base] = sums.subarray(at, at + SUMS);
      if (after === 0 && before === 0) continue;
      observed += after!;
      expected += before! * other! / base!;
    }
    return { observed, expected };
  };
  const ratioOf = (sums: readonly Float64Array[], places: readonly number[]) => {
    let [observed, expected] = [0, 0];
    for (const place of places) {
      const found = sumsAt(sums[place]!);
      observed += found.observed;
      expected += found.expected;
    }
    const log = Math.log(observed / expected);
    return Number.isFinite(log) ? log : NaN;
  };
  /** The mean of the slopes of waves before the start, weighted by their numbers of entities. */
  const slopeOf = (sums: readonly Float64Array[]) => {
    let [sum, total] = [0, 0];
    waves.forEach(({ base, times }, wave) => {
      const before = changes.flatMap((change, place) =>
        change.wave === wave && change.slot !== null && change.slot <= base.at(-1)! ? [place] : []
      );
      const logs = before.map((place) => ratioOf(sums, [place]));
      const slope = slopeOver(times.slice(0, logs.length), logs);
      if (Number.isNaN(slope)) return;
      const count = labels.reduce((count, label) => count + Number(label === wave), 0);
      sum += count * slope;
      total += count;
    });
    return sum / total;
  };
  const whole = changes.map(() => new Float64Array(width));
  labels.forEach((_, unit) => add(whole, unit, 1));
  return {
    effectsWithout: (units: readonly number[]) => {
      const sums = whole.map((each) => each.slice());
      for (const unit of units) add(sums, unit, -1);
      return effects.map(({ row, places }) =>
        row === "slope" ? slopeOf(sums) : ratioOf(sums, places)
      );
    },
    distances: effects.map(({ places }) => {
      let [sum, total] = [0, 0];
      for (const place of places) {
        const { expected } = sumsAt(whole[place]!);
        sum += expected * distanceOf(design, changes[place]!);
        total += expected;
      }
      return sum / total;
    }),
    partsOf: ({ places }: EventEffect, treated: boolean) => {
      const parts = new Float64Array(labels.length);
      for (const place of places) {
        const change = changes[place]!;
        labels.forEach((label, unit) => {
          if (isTreated(change, label) !== treated || change.slot === null) return;
          if (Number.isNaN(deltas[place]![unit]!)) return;
          parts[unit]! += values[unit * slots + change.slot]! + bases[change.wave]![unit]!;
        });
      }
      return parts;
    },
  };
}
