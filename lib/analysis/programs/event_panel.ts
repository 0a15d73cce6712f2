import type { Rule } from "../../platform/check_options.ts";
import { listed, shown } from "../../platform/terminal.ts";
import { dateOfDay, dayText } from "../../schema/period.ts";
import { aDay } from "../../table/read/day_rule.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/require_columns.ts";
import { refuseRepeats } from "../columns.ts";
import type { EventDesign } from "./event_design.ts";
import type { Study } from "./study_panel.ts";

const FN = "eventStudy";
const FEWEST_BEFORE = 4;

/** Throws a RangeError of `eventStudy`. */
export function refuse(reason: string): never {
  throw new RangeError(`${FN}: ${reason}`);
}

/** The days on which entities begin, by id. Null means never. */
type Starts = ReadonlyMap<string, number | null>;

/** Returns the ids and the starts of a frame. `data_id` of a frame of metrics is often `project_id` in one's own table. */
function startRows(frame: DataFrame, entity: string): [unknown, unknown][] {
  const names = frame.columns.filter((name) => /_id$/.test(name));
  const key = names.length === 1 && !names.includes(entity) ? names[0]! : entity;
  requireColumns(frame, { fn: FN, source: "a frame of starts", columns: [key, "start"] });
  refuseRepeats(frame, [key], { fn: `${FN}: starts`, then: "; keep one" });
  return frame.select(key, "start").rows() as [unknown, unknown][];
}

/** Accepts days by id, as an object or as a frame. Returns a function that reads them with the column of ids. */
export const startsRule: Rule<(entity: string) => Starts> = (value, refuseStarts) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuseStarts(`must be days by id, such as { tidewater: "2025-10" }, or a frame`);
  }
  const isFrame = pl.DataFrame.isDataFrame(value);
  return (entity) => {
    const rows = isFrame ? startRows(value as DataFrame, entity) : Object.entries(value);
    return new Map(rows.map(([id, start]) => {
      const fail = (rule: string) => refuse(`starts: ${id}: ${rule}; got ${shown(start)}`);
      return [String(id), start === null ? null : aDay(start, fail)];
    }));
  };
};

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

/** The scale on which values are compared, and what it does with a value of 0. */
interface ValueScale {
  readonly scale: "level" | "log" | "logit";
  readonly zeros: "refuse" | "skip";
}

/** Returns the values on the scale: for each entity, one number for each complete date. NaN means null. */
function valuesOf(
  { field, ids, dates, numbers }: Study,
  { scale, zeros }: ValueScale,
): Float64Array {
  const { size, retained, [field]: given } = numbers;
  const kept = dates.flatMap(({ complete }, at) => complete ? [at] : []);
  return Float64Array.from({ length: ids.length * kept.length }, (_, place) => {
    const unit = Math.floor(place / kept.length);
    const at = kept[place % kept.length]!;
    const row = at * ids.length + unit;
    // Half a user on both sides keeps the logit of none or all users finite.
    if (scale === "logit") {
      return Math.log((retained![row]! + 0.5) / (size![row]! - retained![row]! + 0.5));
    }
    const value = given![row]!;
    if (scale === "level" || value > 0) return scale === "log" ? Math.log(value) : value;
    if (value < 0 || value === 0 && zeros === "refuse") {
      refuse(
        `field: scale "log" needs values above 0; ${field} of ${ids[unit]} is ${value} on ` +
          `${dayText(dates[at]!.start)}; use scale: "level"` +
          (value < 0 ? "" : `, or zeros: "skip" to treat 0 as missing`),
      );
    }
    return NaN;
  });
}

/** Groups entities into waves. Starts between the same two periods are one wave. Entities that never start are left out. */
function wavesOf({ ids, dates }: Study, starts: Starts, base: number) {
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
    return { group, start, times, base: times.indexOf(base) };
  }).sort((a, b) => a.start - b.start);
}

/**
 * Reads the design of an event study from a panel.
 *
 * @throws {RangeError} when a start lies outside the data, when more than half of the treated entities have fewer than 4
 * periods before the start, and for values that have no logarithm.
 */
export function eventDesign(
  study: Study,
  { starts, base, notYet, detail, ...scale }: ValueScale & {
    readonly starts: Starts;
    /** The time of the base: -1 or less. */
    readonly base: number;
    readonly notYet: boolean;
    readonly detail: boolean;
  },
): EventDesign {
  const { ids, dates } = study;
  const waves = wavesOf(study, starts, base);
  const outside = waves.filter(({ times, base }) => base === -1 || !times.some((time) => time >= 0))
    .flatMap(({ group }) => group.map(({ id, start }) => `${id} ${dayText(start)}`));
  if (outside.length > 0) {
    refuse(
      `starts: need a complete period at time ${base} and one after the start; got ` +
        `${listed(outside)}; the frame has ${dayText(dates[0]!.start)} to ` +
        `${dayText(dates.at(-1)!.end)}; null means never`,
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
  const labels = new Map(waves.flatMap(({ group }, label) => group.map(({ id }) => [id, label])));
  return {
    waves,
    labels: Int32Array.from(ids, (id) => labels.get(id) ?? waves.length),
    values: valuesOf(study, scale),
    notYet,
    detail,
  };
}
