import { listed } from "../../platform/terminal.ts";
import { dayText } from "../../schema/period.ts";
import type { Starts } from "./starts.ts";
import type { Study } from "./study_panel.ts";

/** The minimum number of controls of a stratum. A variance needs two. */
export const FEWEST_CONTROLS = 2;
const FEWEST_BEFORE = 4;

/** Entities that begin in the same period. A slot is the place of a date in the panel. */
interface Wave {
  /** The day on which the first of them begins. */
  readonly start: number;
  /** The slots whose mean is compared with other slots, in ascending order: one slot, or all before the start. */
  readonly base: readonly number[];
  /** The time since the start of each slot. NaN for a slot that contains the start but does not begin with it. */
  readonly times: readonly number[];
}

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
  /** How the effects of all waves and times are averaged. */
  readonly aggregate: "group" | "simple" | "dynamic";
  /** Whether sums of values are compared, not means of changes. */
  readonly total: boolean;
}

/** Throws a RangeError of `eventStudy`. */
export function refuse(reason: string): never {
  throw new RangeError(`eventStudy: ${reason}`);
}

/** Returns the values on the scale: for each entity, one number for each date. NaN means null. */
function valuesOf({ field, ids, dates, values }: Study, scale: string): Float64Array {
  const least = scale === "log" ? Number.MIN_VALUE : scale === "total" ? 0 : -Infinity;
  return values.map((value, at) => {
    if (value < least) {
      refuse(
        `scale "${scale}" needs values ${scale === "log" ? "above 0" : "of 0 or more"}; ` +
          `${field} of ${ids[Math.floor(at / dates.length)]} is ${value} on ` +
          `${dayText(dates[at % dates.length]!.start)}; use scale: ` +
          (value === 0 ? '"total"; a 0 that means unknown must be null' : '"level"'),
      );
    }
    return scale === "log" ? Math.log(value) : value;
  });
}

/** Groups entities into waves. Starts between the same two periods are one wave. Entities that never start are left out. */
function wavesOf({ ids, dates }: Study, starts: Starts, base: EventDesign["base"]) {
  const steps = dates.slice(1).map(({ start, place }, at) =>
    (start - dates[at]!.start) / (place - dates[at]!.place)
  );
  const least = steps.reduce((a, b) => Math.min(a, b), Infinity);
  const gap = steps.findIndex((step) => step >= 2 * least);
  if (gap >= 0) {
    refuse(
      `date: no entity has a row of the period after ${dayText(dates[gap]!.start)}; add rows ` +
        "whose value is null",
    );
  }
  const started = ids.flatMap((id, unit) => {
    const start = starts.get(id) ?? null;
    if (start === null) return [];
    const first = dates.find((date) => date.start >= start);
    const last = dates.findLast(({ end }) => end < start);
    return { id, unit, start, first, last };
  });
  const groups = Map.groupBy(started, ({ first, last }) => `${first?.place} ${last?.place}`);
  return [...groups.values()].map((group) => {
    const { first, last } = group[0]!;
    const times = dates.map(({ place }) =>
      first && place >= first.place
        ? place - first.place
        : last && place <= last.place
        ? place - last.place - 1
        : NaN
    );
    return {
      group,
      times,
      start: group.reduce((first, { start }) => Math.min(first, start), Infinity),
      base: [...times.keys()].filter((slot) =>
        base === "before" ? times[slot]! < 0 : times[slot] === base
      ),
    };
  }).sort((a, b) => a.start - b.start);
}

/** Numbers texts in order of first appearance. */
export function textNumbers(texts: readonly unknown[]): Int32Array {
  const known = [...new Set(texts)];
  const places = new Map(known.map((text, at) => [text, at]));
  return Int32Array.from(texts, (text) => places.get(text)!);
}

/**
 * Reads the design of an event study from a panel. `strata` has the stratum of each entity. Null means none.
 *
 * @throws {RangeError} when a start lies outside the data, when more than half of the treated entities have fewer than 4
 * periods before the start, when no stratum can be compared, and for values that the scale does not have.
 */
export function eventDesign(
  study: Study,
  { starts, scale, strata, ...design }: Pick<EventDesign, "base" | "notYet" | "aggregate"> & {
    readonly starts: Starts;
    readonly scale: string;
    readonly strata: readonly (string | null)[] | undefined;
  },
): EventDesign {
  const { ids } = study;
  const { base } = design;
  const waves = wavesOf(study, starts, base);
  const outside = waves
    .filter(({ times, base }) => base.length === 0 || !times.some((time) => time >= 0))
    .flatMap(({ group }) => group.map(({ id, start }) => `${id} ${dayText(start)}`));
  if (outside.length > 0) {
    refuse(
      `starts: need a complete period at the base, ${base}, and one after the start; got ` +
        `${listed(outside)}; null means never`,
    );
  }
  const before = waves.flatMap(({ group, times }) =>
    group.map(() => times.filter((time) => time < 0).length)
  );
  const early = before.filter((periods) => periods < FEWEST_BEFORE).length;
  if (2 * early > before.length) {
    refuse(
      `starts: ${early} of ${before.length} treated entities have fewer than ${FEWEST_BEFORE} ` +
        "complete periods before the start; at most half may",
    );
  }
  const labels = new Int32Array(ids.length).fill(waves.length);
  waves.forEach(({ group }, wave) => {
    for (const { unit } of group) labels[unit] = wave;
  });
  const alone: string[] = [];
  for (const [name, units] of strata ? Map.groupBy(ids.keys(), (unit) => strata[unit]!) : []) {
    const [all, treated] = [units.length, units.filter((unit) => labels[unit]! < waves.length)];
    const few = all - treated.length < FEWEST_CONTROLS;
    if (name !== null && treated.length > 0 && !few) continue;
    for (const unit of units) labels[unit] = -1;
    if (name === null || treated.length === 0) continue;
    alone.push(
      `${few && treated.length === all ? "all" : `${treated.length} of`} ${all} of ${name}`,
    );
  }
  if (!labels.some((label) => label >= 0)) {
    refuse(
      `within: ${listed(alone)} took part: nothing to compare inside; a stratum needs ` +
        `${FEWEST_CONTROLS} controls`,
    );
  }
  return {
    ...design,
    waves,
    labels,
    strata: strata === undefined ? new Int32Array(ids.length) : textNumbers(strata),
    values: valuesOf(study, scale),
    total: scale === "total",
  };
}
