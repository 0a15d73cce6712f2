import { meanOf } from "../sums.ts";
import type { EventDesign } from "./event_design.ts";

/** A change from the base of a wave to another slot, or the slope of the slots up to the base. */
export interface Change {
  readonly wave: number;
  /** The time of the slot, and its distance from the base. NaN for the slope. */
  readonly time: number;
  readonly distance: number;
  /** For each entity, whether it is treated or a control. Undefined if it takes no part. */
  readonly sides: readonly (boolean | undefined)[];
  /** The values of the entities at the base and at the slot, and their differences. NaN means null. */
  readonly bases: readonly number[];
  readonly values: readonly number[];
  readonly deltas: readonly number[];
}

/** The minimum number of values of an entity before the start, for a mean or a slope of these. */
const FEWEST_BEFORE = 3;

/** Returns the slope of the known values of an entity over times, or NaN if there are too few. */
export function slopeOver(times: readonly number[], values: ArrayLike<number>): number {
  let [count, x, y, xx, xy] = [0, 0, 0, 0, 0];
  times.forEach((time, at) => {
    const value = values[at]!;
    if (Number.isNaN(value)) return;
    count += 1;
    x += time;
    y += value;
    xx += time * time;
    xy += time * value;
  });
  return count < FEWEST_BEFORE ? NaN : (xy - x * y / count) / (xx - x * x / count);
}

/** Returns the changes of all waves. The last change of a wave is its slope. */
function changesOf({ waves, labels, values, base, notYet }: EventDesign): Change[] {
  const units = [...labels.keys()];
  const slots = values.length / labels.length;
  const last = (wave: number) => waves[wave]!.base.at(-1)!;
  return waves.flatMap(({ times, base: kept }, wave) => {
    const fewest = base === "before" ? FEWEST_BEFORE : 1;
    const bases = units.map((unit) => {
      const known = kept.map((slot) => values[unit * slots + slot]!)
        .filter((value) => !Number.isNaN(value));
      return known.length < fewest ? NaN : meanOf(known);
    });
    const early = times.slice(0, last(wave) + 1);
    const slopes = units.map((unit) => slopeOver(early, values.subarray(unit * slots)));
    return [...times, NaN].flatMap((time, slot) => {
      const isSlope = slot === times.length;
      if (Number.isNaN(time) && !isSlope) return [];
      const latest = Math.max(isSlope ? 0 : slot, last(wave));
      const sides = Array.from(labels, (label) => {
        if (label === wave) return true;
        const isYet = notYet && label >= 0 && label < waves.length && latest <= last(label);
        return label === waves.length || isYet ? false : undefined;
      });
      const own = units.map((unit) => isSlope ? NaN : values[unit * slots + slot]!);
      return {
        wave,
        time,
        distance: time - meanOf(kept.map((slot) => times[slot]!)),
        sides,
        bases,
        values: own,
        deltas: isSlope ? slopes : units.map((unit) => own[unit]! - bases[unit]!),
      };
    });
  });
}

/** An effect: a weighted mean over changes of the difference between treated entities and controls. */
function effectOver(row: "time" | "wave" | "overall" | "slope", changes: readonly Change[]) {
  const none = () => new Set<number>();
  const [treated, controls, missing_treated, missing_controls] = [none(), none(), none(), none()];
  for (const { sides, deltas } of changes) {
    sides.forEach((isTreated, unit) => {
      if (isTreated === undefined) return;
      const isMissing = Number.isNaN(deltas[unit]);
      if (isTreated) (isMissing ? missing_treated : treated).add(unit);
      else (isMissing ? missing_controls : controls).add(unit);
    });
  }
  const [{ time, wave } = { time: NaN, wave: NaN }] = changes;
  return {
    row,
    /** The time and the wave of the first change. */
    time,
    wave,
    changes,
    /** The entities with a value at the base and at one slot. */
    treated,
    controls,
    /** The entities that take part, but lack one of these values. */
    missing_treated,
    missing_controls,
  };
}

/** Lays out the changes and the effects of a design: first the times, then the waves, all entities, and the slope. */
export function layoutOf(design: EventDesign) {
  const changes = changesOf(design);
  const after = changes.filter(({ time }) => time >= 0);
  const byTime = Map.groupBy(changes, ({ time }) => time);
  const slopes = byTime.get(NaN) ?? [];
  byTime.delete(NaN);
  return {
    design,
    changes,
    effects: [
      ...[...byTime].sort(([a], [b]) => a - b).map(([, own]) => effectOver("time", own)),
      ...Map.groupBy(after, ({ wave }) => wave).values().map((own) => effectOver("wave", own)),
      effectOver("overall", after),
      effectOver("slope", slopes),
    ],
  };
}

/** The changes and the effects of a design. */
export type EventLayout = ReturnType<typeof layoutOf>;
