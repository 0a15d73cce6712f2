import { listed } from "../../platform/terminal.ts";
import { dateOfDay, dayText } from "../../schema/period.ts";
import type { EventDesign } from "./event_design.ts";
import type { Starts } from "./starts.ts";
import type { Study } from "./study_panel.ts";

const FN = "eventStudy";
const FEWEST_BEFORE = 4;
const FEWEST_CONTROLS = 2;

/** Throws a RangeError of `eventStudy`. */
export function refuse(reason: string): never {
  throw new RangeError(`${FN}: ${reason}`);
}

/** Returns the place of each date in a calendar of equal steps: months, or days. */
function placesOf(dates: Study["dates"]): number[] {
  const moments = dates.map(({ start }) => dateOfDay(start));
  const monthly = moments.every((moment) => moment.getUTCDate() === moments[0]!.getUTCDate());
  const places = moments.map((moment, at) =>
    monthly ? moment.getUTCFullYear() * 12 + moment.getUTCMonth() : dates[at]!.start
  );
  const divisor = (a: number, b: number): number => b === 0 ? a : divisor(b, a % b);
  const step = places.reduce((step, place) => divisor(place - places[0]!, step), 0);
  return places.map((place) => (place - places[0]!) / (step || 1));
}

/** The scales on which `eventStudy` compares values. */
export type EventScale = "level" | "log" | "total" | "points";

/** Returns the values on the scale: for each entity, one number for each complete date. NaN means null. */
function valuesOf({ field, ids, dates, values }: Study, scale: EventScale): Float64Array {
  const kept = dates.flatMap(({ complete }, at) => complete ? [at] : []);
  return Float64Array.from({ length: ids.length * kept.length }, (_, place) => {
    const unit = Math.floor(place / kept.length);
    const at = kept[place % kept.length]!;
    const value = values[unit * dates.length + at]!;
    const least = scale === "log" ? Number.MIN_VALUE : scale === "total" ? 0 : -Infinity;
    if (value < least) {
      refuse(
        `field: scale "${scale}" needs values ${scale === "log" ? "above 0" : "of 0 or more"}; ` +
          `${field} of ${ids[unit]} is ${value} on ${dayText(dates[at]!.start)}; use scale: ` +
          (value === 0 ? '"total"; a 0 that means unknown must be null' : '"level"'),
      );
    }
    return scale === "log" ? Math.log(value) : value;
  });
}

/** Groups entities into waves. Starts between the same two periods are one wave. Entities that never start are left out. */
function wavesOf({ ids, dates }: Study, starts: Starts, base: EventDesign["base"]) {
  const places = placesOf(dates);
  const started = ids.flatMap((id) => {
    const start = starts.get(id) ?? null;
    if (start === null) return [];
    const first = dates.findIndex((date) => date.start >= start);
    const last = dates.findLastIndex(({ end }) => end < start);
    return { id, start, first, last };
  });
  const groups = Map.groupBy(started, ({ first, last }) => `${first} ${last}`);
  return [...groups.values()].map((group) => {
    const { first, last } = group[0]!;
    const times = dates.flatMap(({ complete }, at) => {
      if (!complete) return [];
      if (first !== -1 && at >= first) return places[at]! - places[first]!;
      return at <= last ? places[at]! - places[last]! - 1 : NaN;
    });
    const start = Math.min(...group.map((each) => each.start));
    const isBase = (time: number) => base === "before" ? time < 0 : time === base;
    const slots = times.flatMap((time, slot) => isBase(time) ? [slot] : []);
    return { group, start, times, base: slots };
  }).sort((a, b) => a.start - b.start);
}

/** The stratum, or the cluster, of each entity. Null means none. */
export type Strata = readonly (string | null)[];

/** Numbers texts in order of first appearance. */
export function textNumbers(texts: Strata): Int32Array {
  const places = new Map([...new Set(texts)].map((text, at) => [text, at]));
  return Int32Array.from(texts, (text) => places.get(text)!);
}

/** Returns the entities of strata that have treated entities and 2 controls. */
function comparable(isTreated: (unit: number) => boolean, strata: Strata): Set<number> {
  const named = [...strata.keys()].filter((unit) => strata[unit] !== null);
  const groups = [...Map.groupBy(named, (unit) => strata[unit]!)].map(([name, units]) => {
    const treated = units.filter(isTreated).length;
    return { name, units, treated, all: units.length };
  }).filter(({ treated }) => treated > 0);
  const kept = groups.filter(({ treated, all }) => all - treated >= FEWEST_CONTROLS);
  if (kept.length === 0) {
    const found = groups.map(({ name, treated, all }) =>
      `${treated === all ? "all" : `${treated} of`} ${all} of ${name} took part`
    );
    refuse(`within: ${listed(found)}: nothing to compare inside; a stratum needs 2 controls`);
  }
  return new Set(kept.flatMap(({ units }) => units));
}

/**
 * Reads the design of an event study from a panel.
 *
 * @throws {RangeError} when a start lies outside the data, when more than half of the treated entities have fewer than 4
 * periods before the start, when no stratum can be compared, and for values that the scale does not have.
 */
export function eventDesign(
  study: Study,
  { starts, scale, strata, ...design }:
    & Pick<EventDesign, "base" | "notYet" | "detail" | "aggregate">
    & { readonly starts: Starts; readonly scale: EventScale; readonly strata: Strata | undefined },
): EventDesign {
  const { ids, dates } = study;
  const { base } = design;
  const waves = wavesOf(study, starts, base);
  const outside = waves
    .filter(({ times, base }) => base.length === 0 || !times.some((time) => time >= 0))
    .flatMap(({ group }) => group.map(({ id, start }) => `${id} ${dayText(start)}`));
  if (outside.length > 0) {
    refuse(
      `starts: need a complete period ${
        base === "before" ? "before the start" : `at time ${base}`
      } and one after the start; got ${listed(outside)}; the frame has ` +
        `${dayText(dates[0]!.start)} to ${dayText(dates.at(-1)!.end)}; null means never`,
    );
  }
  const sizeOf = (kept: typeof waves) => kept.reduce((sum, { group }) => sum + group.length, 0);
  const early = sizeOf(
    waves.filter(({ times }) => times.filter((time) => time < 0).length < FEWEST_BEFORE),
  );
  if (early * 2 > sizeOf(waves)) {
    refuse(
      `starts: ${early} of ${sizeOf(waves)} treated entities have fewer than ${FEWEST_BEFORE} ` +
        "complete periods before the start; at most half may",
    );
  }
  const waveOf = new Map(waves.flatMap(({ group }, label) => group.map(({ id }) => [id, label])));
  const label = (unit: number) => waveOf.get(ids[unit]!) ?? waves.length;
  const kept = strata && comparable((unit) => label(unit) < waves.length, strata);
  return {
    ...design,
    waves,
    labels: Int32Array.from(ids, (_, unit) => kept?.has(unit) === false ? -1 : label(unit)),
    strata: strata === undefined ? new Int32Array(ids.length) : textNumbers(strata),
    values: valuesOf(study, scale),
    total: scale === "total",
  };
}
