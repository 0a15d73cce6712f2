/** Entities that begin in the same period. A slot is the place of a date in the panel. */
interface Wave {
  /** The day on which the first of them begins. */
  readonly start: number;
  /** The slots whose mean is compared with other slots, in ascending order: one slot, or all before the start. */
  readonly base: readonly number[];
  /** The time since the start of each slot. NaN for a slot that contains the start but does not begin with it. */
  readonly times: readonly number[];
}

/** How the effects of a program are averaged over waves and times. */
export const AGGREGATES = ["group", "simple", "dynamic"] as const;

/** The design and the values of an event study. */
export interface EventDesign {
  readonly waves: readonly Wave[];
  /** The wave of each entity. Entities without a start have the number of waves, and entities that are left out -1. */
  readonly labels: Int32Array;
  /** The stratum of each entity, counted from 0. Entities are compared within their stratum. */
  readonly strata: Int32Array;
  /** The slots of the first entity, then those of the second. NaN means null. */
  readonly values: Float64Array;
  /** The time of the base, -1 or less, or all times before the start. */
  readonly base: number | "before";
  /** Whether entities are controls of other waves up to their own base. */
  readonly notYet: boolean;
  /** Whether each time of each wave is an effect, too. */
  readonly detail: boolean;
  readonly aggregate: typeof AGGREGATES[number];
  /** Whether sums of values are compared, not means of changes. */
  readonly total: boolean;
}

/** A change from the base of a wave to another slot, of the entities of this wave and of their controls. */
interface Change {
  readonly wave: number;
  /** The slot, or null for the slope of the slots up to the base. */
  readonly slot: number | null;
  readonly time: number;
}

/** An effect: a weighted mean over changes of the difference between treated entities and controls. */
export interface EventEffect {
  readonly row: "time" | "time of wave" | "wave" | "overall" | "slope";
  /** The time and the wave of the first change. */
  readonly time: number;
  readonly wave: number;
  /** The places of its changes. */
  readonly places: readonly number[];
}

/** The changes of a design, its effects, and the numbers that these compare. */
export interface EventLayout {
  readonly design: EventDesign;
  readonly changes: readonly Change[];
  /** First the times, then the times of waves, the waves, all entities, and the slope before the start. */
  readonly effects: readonly EventEffect[];
  /** The change of each entity at each place, place after place: NaN if it takes no part, or lacks a value. */
  readonly deltas: readonly Float64Array[];
  /** The base of each entity for each wave, wave after wave. NaN means null. */
  readonly bases: readonly Float64Array[];
}

/** The minimum number of values of an entity before the start, for a mean or a slope of these. */
const FEWEST_BEFORE = 3;

/** Returns the distance of a time from the base of its wave. */
export function distanceOf({ base, waves }: EventDesign, { wave, time }: Change): number {
  if (base !== "before") return time - base;
  const { base: slots, times } = waves[wave]!;
  return time - slots.reduce((sum, slot) => sum + times[slot]!, 0) / slots.length;
}

/** Returns the side of the entities with a label in a change. They can take no part. */
function sideOf({ waves, notYet }: EventDesign, { wave, slot }: Change, label: number) {
  if (label === wave) return "treated";
  if (label === waves.length) return "controls";
  const last = (of: number) => waves[of]!.base.at(-1)!;
  const isYet = notYet && label >= 0 && Math.max(slot ?? 0, last(wave)) <= last(label);
  return isYet ? "controls" : null;
}

/** Returns the effects of a list of changes. */
function effectsOf({ waves, detail, base }: EventDesign, changes: readonly Change[]) {
  const effects: EventEffect[] = [];
  const add = (row: EventEffect["row"], kept: (change: Change) => boolean) => {
    const places = changes.flatMap((change, place) => kept(change) ? [place] : []);
    if (places.length === 0) return;
    const { time, wave } = changes[places[0]!]!;
    effects.push({ row, time, wave, places });
  };
  const times = new Set(changes.flatMap(({ slot, time }) => slot === null ? [] : [time]));
  const sorted = [...times].sort((a, b) => a - b);
  for (const time of sorted) add("time", (change) => change.time === time);
  for (const wave of detail ? waves.keys() : []) {
    for (const time of sorted) {
      if (time !== base) {
        add("time of wave", (change) => change.wave === wave && change.time === time);
      }
    }
  }
  for (const wave of waves.keys()) {
    add("wave", (change) => change.wave === wave && change.time >= 0);
  }
  add("overall", ({ time }) => time >= 0);
  add("slope", ({ slot }) => slot === null);
  return effects;
}

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

/** Lays out the changes, the effects and the numbers of a design. */
export function layoutOf(design: EventDesign): EventLayout {
  const { waves, labels, values, base } = design;
  const slots = values.length / labels.length;
  const changes = waves.flatMap(({ times }, wave): Change[] => [
    ...times.flatMap((time, slot) => Number.isNaN(time) ? [] : [{ wave, slot, time }]),
    { wave, slot: null, time: NaN },
  ]);
  const bases = waves.map(({ base: kept }) =>
    Float64Array.from(labels, (_, unit) => {
      let [sum, count] = [0, 0];
      for (const slot of kept) {
        const value = values[unit * slots + slot]!;
        if (Number.isNaN(value)) continue;
        sum += value;
        count += 1;
      }
      return count < (base === "before" ? FEWEST_BEFORE : 1) ? NaN : sum / count;
    })
  );
  const deltas = changes.map((change) => {
    const { times, base: kept } = waves[change.wave]!;
    const own = bases[change.wave]!;
    const sides = [...waves.keys(), waves.length].map((label) => sideOf(design, change, label));
    const before = times.slice(0, kept.at(-1)! + 1);
    return Float64Array.from(labels, (label, unit) => {
      if (!sides[label]) return NaN;
      const first = unit * slots;
      return change.slot === null
        ? slopeOver(before, values.subarray(first, first + before.length))
        : values[first + change.slot]! - own[unit]!;
    });
  });
  return { design, changes, effects: effectsOf(design, changes), deltas, bases };
}

/**
 * Returns the entities that count in an effect: those with a value at the base and at one slot of the effect. Also
 * returns those that take part, but lack one of these values.
 */
export function membersOf({ design, changes, deltas }: EventLayout, { places }: EventEffect) {
  const none = (): number[] => [];
  const members = {
    treated: none(),
    controls: none(),
    missing_treated: none(),
    missing_controls: none(),
  };
  design.labels.forEach((label, unit) => {
    for (const side of ["treated", "controls"] as const) {
      const own = places.filter((place) => sideOf(design, changes[place]!, label) === side);
      const missing = own.filter((place) => Number.isNaN(deltas[place]![unit]!));
      if (missing.length < own.length) members[side].push(unit);
      if (missing.length > 0) members[`missing_${side}`].push(unit);
    }
  });
  return members;
}
