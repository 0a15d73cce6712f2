/** Entities that begin in the same period. A slot is the place of a date in the panel. */
interface Wave {
  /** The day on which the first of them begins. */
  readonly start: number;
  /** The slot with which all other slots of these entities are compared. */
  readonly base: number;
  /** The time since the start of each slot. NaN for a slot that contains the start but does not begin with it. */
  readonly times: readonly number[];
}

/** The design and the values of an event study. */
export interface EventDesign {
  readonly waves: readonly Wave[];
  /** The wave of each entity. Entities without a start have the number of waves. */
  readonly labels: Int32Array;
  /** Whether entities are controls of other waves up to their own base. */
  readonly notYet: boolean;
  /** Whether each time of each wave is an effect, too. */
  readonly detail: boolean;
  /** The slots of the first entity, then those of the second. NaN means null. */
  readonly values: Float64Array;
}

/** A change from the base of a wave to another slot, of the entities of this wave and of their controls. */
interface Change {
  readonly wave: number;
  readonly slot: number;
  readonly time: number;
}

/** An effect: a weighted mean over changes of the difference between treated entities and controls. */
export interface EventEffect {
  readonly row: "time" | "time of wave" | "wave" | "overall";
  /** The time and the wave of the first change. */
  readonly time: number;
  readonly wave: number;
  readonly changes: readonly Change[];
}

/** Returns the time of the base: -1 or less. */
export function baseOf({ waves: [first] }: EventDesign): number {
  return first!.times[first!.base]!;
}

/** Returns the effects of a design: first the times with the base, then the times of waves, the waves, and all entities. */
export function effectsOf(design: EventDesign): EventEffect[] {
  const { waves, detail } = design;
  const changes = waves.flatMap(({ times }, wave): Change[] =>
    times.flatMap((time, slot) => Number.isNaN(time) ? [] : { wave, slot, time })
  );
  const effects: EventEffect[] = [];
  const add = (row: EventEffect["row"], kept: (change: Change) => boolean) => {
    const own = changes.filter(kept);
    if (own.length > 0) effects.push({ row, time: own[0]!.time, wave: own[0]!.wave, changes: own });
  };
  const times = [...new Set(changes.map(({ time }) => time))].sort((a, b) => a - b);
  for (const time of times) add("time", (change) => change.time === time);
  for (const wave of detail ? waves.keys() : []) {
    for (const time of times.filter((time) => time !== baseOf(design))) {
      add("time of wave", (change) => change.wave === wave && change.time === time);
    }
  }
  for (const wave of waves.keys()) {
    add("wave", (change) => change.wave === wave && change.time >= 0);
  }
  add("overall", (change) => change.time >= 0);
  return effects;
}

/** Returns whether entities with a label are controls of a change. */
export function isControl(
  { waves, notYet }: EventDesign,
  { wave, slot }: Change,
  label: number,
): boolean {
  if (label === waves.length) return true;
  return notYet && label !== wave && Math.max(slot, waves[wave]!.base) <= waves[label]!.base;
}

/** Returns the difference between the slot of a change and the base. NaN means null. */
export function deltaOf(
  { waves, labels, values }: EventDesign,
  { wave, slot }: Change,
  unit: number,
) {
  const first = unit * (values.length / labels.length);
  return values[first + slot]! - values[first + waves[wave]!.base]!;
}

/**
 * Returns the entities that count in an effect: those with a value at the base and at one slot of the effect. Also
 * returns those that lack one of these values.
 */
export function membersOf(design: EventDesign, { changes }: Pick<EventEffect, "changes">) {
  const none = (): number[] => [];
  const members = {
    treated: none(),
    missing_treated: none(),
    controls: none(),
    missing_controls: none(),
  };
  const add = (kind: "treated" | "controls", unit: number, own: readonly Change[]) => {
    const missing = own.filter((change) => Number.isNaN(deltaOf(design, change, unit))).length;
    if (missing < own.length) members[kind].push(unit);
    if (missing > 0) members[`missing_${kind}`].push(unit);
  };
  design.labels.forEach((label, unit) => {
    add("treated", unit, changes.filter(({ wave }) => wave === label));
    add("controls", unit, changes.filter((change) => isControl(design, change, label)));
  });
  return members;
}
