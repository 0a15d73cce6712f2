import { meanOf } from "../sums.ts";
import type { EventDesign } from "./event_design.ts";

/** Slopes: of the slots up to the base, and of those from the start on. */
const SLOPES = ["slope", "later"] as const;

/** A change from the base of a wave to another slot, or a slope. */
export interface Change {
  readonly kind: "time" | typeof SLOPES[number];
  readonly wave: number;
  /** The time of the slot, and its distance from the base. NaN for slopes. */
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

/** Returns the changes of all waves. The last changes of a wave are its slopes. */
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
    const first = times.findIndex((time) => time >= 0);
    const slopeFrom = (from: number, to: number) =>
      units.map((unit) => slopeOver(times.slice(from, to), values.subarray(unit * slots + from)));
    const slopes = { slope: slopeFrom(0, last(wave) + 1), later: slopeFrom(first, slots) };
    return [...times, ...SLOPES].flatMap((of, slot) => {
      const [time, kind] = typeof of === "number" ? [of, "time" as const] : [NaN, of];
      if (kind === "time" && Number.isNaN(time)) return [];
      const latest = Math.max(
        kind === "time" ? slot : kind === "slope" ? 0 : slots - 1,
        last(wave),
      );
      const sides = Array.from(labels, (label) => {
        if (label === wave) return true;
        const isYet = notYet && label >= 0 && label < waves.length && latest <= last(label);
        return label === waves.length || isYet ? false : undefined;
      });
      const own = units.map((unit) => kind === "time" ? values[unit * slots + slot]! : NaN);
      return {
        kind,
        wave,
        time,
        distance: time - meanOf(kept.map((slot) => times[slot]!)),
        sides,
        bases,
        values: own,
        deltas: kind === "time" ? units.map((unit) => own[unit]! - bases[unit]!) : slopes[kind],
      };
    });
  });
}

/** An effect: a weighted mean over changes of the difference between treated entities and controls. */
function effectOver(row: Change["kind"] | "wave" | "overall", changes: readonly Change[]) {
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

/** Lays out the changes and the effects of a design: all entities, the times, the waves, and the slopes. */
export function layoutOf(design: EventDesign) {
  const changes = changesOf(design);
  const { time: own = [], ...slopes } = Object.groupBy(changes, ({ kind }) => kind);
  const after = own.filter(({ time }) => time >= 0);
  const byTime = Map.groupBy(own, ({ time }) => time);
  return {
    design,
    changes,
    effects: [
      effectOver("overall", after),
      ...[...byTime].sort(([a], [b]) => a - b).map(([, own]) => effectOver("time", own)),
      ...Map.groupBy(after, ({ wave }) => wave).values().map((own) => effectOver("wave", own)),
      ...SLOPES.map((row) => effectOver(row, slopes[row] ?? [])),
    ],
  };
}

/** The changes and the effects of a design. */
export type EventLayout = ReturnType<typeof layoutOf>;
