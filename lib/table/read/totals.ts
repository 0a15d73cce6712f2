import { notify, terminalText } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { typed } from "./numbered.ts";
import { type Panel, rowGroups } from "./panel.ts";
import { entityTexts, type Reading, readingOf } from "./reading.ts";

/** Names of rows that sum others. */
const NAMED =
  /(?:^|[^\p{L}])(?:(?:sub|grand)?totals?|all|sums?|overall|world(?:wide)?|global|combined|aggregated?|gesamt|summe)(?:$|[^\p{L}])/iu;
/** How many dates with different totals, others at one date, and digits of a total are no chance. */
const [FEWEST_TOTALS, FEWEST_OTHERS, FEWEST_DIGITS] = [4, 3, 6];
/** How many dates are no chance for a name such as Total. */
const FEWEST_NAMED = 3;
/** Number of rows from which the written decimals are taken. */
const SAMPLE = 200;
/** More decimals than these are not written, but rounding errors. */
const MOST_DECIMALS = 8;

/** The numbers of a column, with the numbers of the entity and of the time of each row. */
interface Rows {
  readonly values: Float64Array;
  readonly entities: Uint32Array;
  readonly times: Uint32Array;
}

/** Returns the unit in which values are written: that of their last decimal, or of the zeros at the end of all of them. */
function writtenUnit(values: Float64Array): number {
  let [decimals, sampled] = [0, 0];
  for (let row = 0; row < values.length && sampled < SAMPLE; row++) {
    if (values[row] === 0 || Number.isNaN(values[row]!)) continue;
    sampled++;
    decimals = Math.max(decimals, /\.(\d+)$/.exec(String(values[row]))?.[1]?.length ?? 0);
  }
  if (decimals > 0) return decimals > MOST_DECIMALS ? 0 : 10 ** -decimals;
  let unit = 1e15;
  for (let row = 0; row < values.length && unit > 1; row++) {
    while (unit > 1 && values[row]! % unit !== 0 && !Number.isNaN(values[row]!)) unit /= 10;
  }
  return unit;
}

/** The sums of the values of each time, the sums of their sizes, and their numbers. */
function sumsOf({ values, times }: Rows) {
  let last = -1;
  for (let row = 0; row < times.length; row++) last = Math.max(last, times[row]!);
  const empty = () => new Float64Array(last + 1);
  const [sums, sizes, counts] = [empty(), empty(), empty()];
  for (let row = 0; row < values.length; row++) {
    const [value, time] = [values[row]!, times[row]!];
    if (Number.isNaN(value)) continue;
    sums[time]! += value;
    sizes[time]! += Math.abs(value);
    counts[time]!++;
  }
  return { sums, sizes, counts };
}

/** An entity whose values are the sums of the others so far. */
interface Candidate {
  readonly totals: Set<number>;
  readonly times: Set<number>;
  /** Whether a time with enough others has a value that is no chance. */
  isClear: boolean;
}

/**
 * Returns the number of the entity whose values are the sum of the values of all others; -1 without such an entity. This holds at
 * each time at which two or more others have a value, to 1e-9, or half a unit of the last written decimal per entity, at
 * most 1e-3. Of small numbers it can be chance: it must hold for four different totals, or at one time with three others
 * for a total of six digits, or of a name such as Total, for which three times are enough as well.
 */
export function totalEntity(rows: Rows, nameOf: (entity: number) => string): number {
  const { values, entities, times } = rows;
  const { sums, sizes, counts } = sumsOf(rows);
  const unit = writtenUnit(values);
  const rounding = unit / 2;
  const required = counts.reduce((sum, count) => sum + Number(count > 2), 0);
  const found = new Map<number, Candidate>();
  const isOut = new Uint8Array(entities.reduce((most, each) => each > most ? each : most, 0) + 1);
  for (let row = 0; row < values.length; row++) {
    const entity = entities[row]!;
    if (isOut[entity] === 1) continue;
    const [value, time] = [values[row]!, times[row]!];
    const count = counts[time]!;
    if (count < 3 || Number.isNaN(value)) continue;
    const size = sizes[time]!;
    const most = Math.max(1e-9 * size, Math.min(count * rounding, 1e-3 * size));
    const own = found.get(entity) ?? { totals: new Set(), times: new Set(), isClear: false };
    // A second row of a time is no total of it.
    if (Math.abs(2 * value - sums[time]!) > most || own.times.has(time)) {
      isOut[entity] = 1;
      found.delete(entity);
      continue;
    }
    own.times.add(time);
    if (value !== 0) own.totals.add(value);
    const isLong = Math.abs(value) >= (unit || Number.MIN_VALUE) * 10 ** (FEWEST_DIGITS - 1);
    if (count > FEWEST_OTHERS && value !== 0 && (isLong || NAMED.test(nameOf(entity)))) {
      own.isClear = true;
    }
    found.set(entity, own);
  }
  // At a time with two values, an entity without a value has two others.
  const absent = (entity: number) => {
    const pairs = new Set([...counts.keys()].filter((time) => counts[time] === 2));
    if (pairs.size === 0) return false;
    for (let row = 0; row < values.length; row++) {
      if (entities[row] === entity && !Number.isNaN(values[row]!)) pairs.delete(times[row]!);
    }
    return pairs.size > 0;
  };
  for (const [entity, own] of found) {
    if (own.times.size < required) continue;
    const isNamed = own.times.size >= FEWEST_NAMED && own.totals.size > 0 &&
      NAMED.test(nameOf(entity));
    const isTotal = own.isClear || isNamed || own.totals.size >= FEWEST_TOTALS;
    if (isTotal && !absent(entity)) return entity;
  }
  return -1;
}

/** Who the rows are, and when; with the numbers of both if they are known. */
interface Numbering extends Pick<Reading, "entity" | "times"> {
  readonly rows?: Pick<Rows, "entities" | "times">;
}

/** Returns the numbering of a panel. */
export function numberingOf({ entity, date, cells, starts }: Panel): Numbering {
  const [entities, times] = [new Uint32Array(cells.length), new Uint32Array(cells.length)];
  for (let row = 0; row < cells.length; row++) {
    times[row] = cells[row]! % starts.length;
    entities[row] = (cells[row]! - times[row]!) / starts.length;
  }
  return { entity, times: [date], rows: { entities, times } };
}

/** Returns the name and the first row of the entity that sums the others in a column; null without one. */
export function totalIn(
  frame: DataFrame,
  field: string,
  { entity, times, rows }: Numbering,
): { readonly name: string; readonly row: number } | null {
  if (entity.length === 0 || frame.height < 4) return null;
  const numbers = rows ??
    { entities: rowGroups(frame, entity).numbers, times: rowGroups(frame, times).numbers };
  const firstOf = (number: number) => numbers.entities.indexOf(number);
  const nameAt = (row: number) =>
    entityTexts(frame.select(...entity).slice(row, 1), { entity })[0] ?? "null";
  const names = new Map<number, string>();
  const nameOf = (number: number) => {
    const name = names.get(number) ?? nameAt(firstOf(number));
    names.set(number, name);
    return name;
  };
  const total = totalEntity({ values: typed(frame, pl.col(field)), ...numbers }, nameOf);
  return total < 0 ? null : { name: nameOf(total), row: firstOf(total) };
}

const noted = new WeakMap<DataFrame, Set<string>>();

/** Shows one notice for each frame and column of which an entity sums the others. */
export function noteTotal(
  frame: DataFrame,
  { fn, field, reading = readingOf(frame, { fn, repeats: true }) }: {
    readonly fn: string;
    readonly field: string;
    readonly reading?: Numbering;
  },
): void {
  const fields = noted.get(frame) ?? new Set();
  if (fields.has(field)) return;
  noted.set(frame, fields.add(field));
  const total = totalIn(frame, field, reading);
  if (total === null) return;
  notify(terminalText(
    `${fn}: ${total.name} is the sum of the others in ${field}; leave it out, or sums count it twice`,
  ));
}
