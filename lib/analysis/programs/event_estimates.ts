import { meanOf } from "../sums.ts";
import { FEWEST_CONTROLS } from "./event_design.ts";
import { type Change, type EventLayout, slopeOver } from "./event_layout.ts";

/**
 * Returns a function that estimates the effects of a layout without some entities. `parts` has the part of each entity in
 * an effect, NaN if the entity does not count, and `distance` the mean distance of its changes from the base, with the
 * weights of the effect. NaN means null.
 */
export function estimatorOf(layout: EventLayout) {
  return layout.design.total ? totalsOf(layout) : meansOf(layout);
}

/**
 * Compares means: group-time effects without covariates, and their means (Callaway and Sant'Anna 2021, Journal of
 * Econometrics 225, 200-230). Each treated entity is compared with the mean of the controls of its stratum and wave. An
 * effect is the sum of the parts of its entities.
 */
function meansOf({ design: { strata, aggregate }, changes, effects }: EventLayout) {
  return (out: readonly number[]) => {
    const left = new Set(out);
    const compared = new Map(changes.map((change) => {
      const { sides, deltas } = change;
      const known = [...sides.keys()].filter((unit) =>
        sides[unit] !== undefined && !Number.isNaN(deltas[unit]) && !left.has(unit)
      );
      const groups = Map.groupBy(known, (unit) => strata[unit]!).values().map((units) => {
        const controls = units.filter((unit) => !sides[unit]);
        const mean = controls.length < FEWEST_CONTROLS
          ? NaN
          : meanOf(controls.map((unit) => deltas[unit]!));
        return { treated: units.filter((unit) => sides[unit]), controls, mean };
      });
      return [change, [...groups].filter(({ mean }) => !Number.isNaN(mean))] as const;
    }));
    // The number of times from 0 on at which an entity counts, and of entities that count at a time.
    const [times, entities] = [new Map<number, number>(), new Map<number, number>()];
    for (const [{ time }, groups] of compared) {
      if (!(time >= 0)) continue;
      for (const unit of groups.flatMap(({ treated }) => treated)) {
        times.set(unit, 1 + (times.get(unit) ?? 0));
        entities.set(time, 1 + (entities.get(time) ?? 0));
      }
    }
    return effects.map(({ row, changes: own }) => {
      const kind = row === "wave" ? "group" : row === "overall" ? aggregate : "simple";
      const parts = new Float64Array(strata.length).fill(NaN);
      let [total, distance] = [0, 0];
      for (const change of own) {
        for (const { treated, controls, mean } of compared.get(change)!) {
          const add = (unit: number, weight: number) =>
            parts[unit] = (parts[unit]! || 0) + weight * (change.deltas[unit]! - mean);
          let sum = 0;
          for (const unit of treated) {
            const count = kind === "group" ? times.get(unit) : entities.get(change.time);
            const weight = kind === "simple" ? 1 : 1 / count!;
            add(unit, weight);
            sum += weight;
          }
          if (sum > 0) { for (const unit of controls) add(unit, -sum / controls.length); }
          total += sum;
          distance += sum * change.distance;
        }
      }
      // Without weights, 0 / 0 is NaN.
      return {
        effect: parts.reduce((sum, part) => sum + (part || 0), 0) / total,
        distance: distance / total,
        parts: parts.map((part) => part / total),
      };
    });
  };
}

/** Sums of a change in a stratum: of treated entities after and before, and of controls after and before. */
const SUMS = 4;

/**
 * Compares sums: Poisson differences in differences (Chen and Roth 2024, Quarterly Journal of Economics 139, 891-936).
 * An effect is log(sum of observed treated values / sum of expected ones). The expected sum is that of the base, times
 * the ratio of the controls' sums, added over the changes of the effect. The parts of entities are 0.
 */
function totalsOf({ design: { waves, labels, strata }, changes, effects }: EventLayout) {
  const width = SUMS * (1 + strata.reduce((most, stratum) => Math.max(most, stratum), 0));
  const add = (sums: ReadonlyMap<Change, Float64Array>, unit: number, sign: 1 | -1) => {
    for (const [{ sides, deltas, values, bases }, own] of sums) {
      if (sides[unit] === undefined || Number.isNaN(deltas[unit])) continue;
      const first = SUMS * strata[unit]! + (sides[unit] ? 0 : 2);
      own[first]! += sign * values[unit]!;
      own[first + 1]! += sign * bases[unit]!;
    }
  };
  const whole = new Map(changes.map((change) => [change, new Float64Array(width)]));
  labels.forEach((_, unit) => add(whole, unit, 1));
  const parts = effects.map(({ treated, controls }) =>
    Float64Array.from(labels, (_, unit) => treated.has(unit) || controls.has(unit) ? 0 : NaN)
  );
  return (out: readonly number[]) => {
    const sums = new Map([...whole].map(([change, own]) => [change, own.slice()]));
    for (const unit of out) add(sums, unit, -1);
    const ratioOf = (own: readonly Change[]) => {
      let [observed, expected, distance] = [0, 0, 0];
      for (const change of own) {
        for (let at = 0; at < width; at += SUMS) {
          const [after, before, other, base] = sums.get(change)!.subarray(at, at + SUMS);
          if (after === 0 && before === 0) continue;
          const part = before! * other! / base!;
          observed += after!;
          expected += part;
          distance += part * change.distance;
        }
      }
      const log = Math.log(observed / expected);
      return { effect: Number.isFinite(log) ? log : NaN, distance: distance / expected };
    };
    /** The mean of the slopes of waves, before or after the start, weighted by their numbers of entities. */
    const slope = (isLater: boolean) => {
      let [sum, total] = [0, 0];
      waves.forEach(({ base, times }, wave) => {
        const last = times[base.at(-1)!]!;
        const some = changes.filter((change) =>
          change.wave === wave && (isLater ? change.time >= 0 : change.time <= last)
        );
        const logs = some.map((change) => ratioOf([change]).effect);
        const own = slopeOver(some.map(({ time }) => time), logs);
        if (Number.isNaN(own)) return;
        const count = labels.filter((label) => label === wave).length;
        sum += count * own;
        total += count;
      });
      return { effect: sum / total, distance: NaN };
    };
    return effects.map(({ row, changes: own }, at) => ({
      ...row === "slope" || row === "later" ? slope(row === "later") : ratioOf(own),
      parts: parts[at]!,
    }));
  };
}
