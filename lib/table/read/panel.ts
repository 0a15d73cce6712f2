import { dayText, type Every, everyOf } from "../../schema/period.ts";
import { type DataFrame, pl } from "../build/polars.ts";
import { withPeriods } from "./periods.ts";
import { entityTexts, type Reading, readingOf, refuseTwice } from "./reading.ts";
import { requireColumns } from "./requirements.ts";

/**
 * A frame of entities over time, as a grid of entities and periods. Values are read by {@linkcode panelValues} into an
 * array in which the cell of an entity and a period is `entity * periods + period`.
 */
export interface Panel extends Reading {
  /** The function that reads the panel, for error messages. */
  readonly fn: string;
  /** The rows of the frame, with `until` and `complete`. */
  readonly rows: DataFrame;
  /** The column of dates. */
  readonly date: string;
  /** The text of each entity, in order of first appearance. */
  readonly keys: readonly string[];
  /** For each entity, the row of its first appearance. */
  readonly first: readonly number[];
  /** The first days of the periods, in order, as days since 1 January 1970. */
  readonly starts: Float64Array;
  /** The last days of the periods. */
  readonly ends: Float64Array;
  /** For each period, 1 if all rows of the period are complete. */
  readonly complete: Uint8Array;
  /** For each row of the frame, its cell. */
  readonly cells: Uint32Array;
  /** The length that all periods have in common, or null if they have different lengths, or there are none. */
  readonly every: Every | null;
}

/** Numbers groups of equal numbers in order of first appearance. */
function renumbered(
  codes: Float64Array,
): { readonly numbers: Uint32Array; readonly first: number[] } {
  const known = new Map<number, number>();
  const first: number[] = [];
  const numbers = new Uint32Array(codes.length);
  let [last, number] = [NaN, -1];
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (code !== last) {
      last = code;
      const found = known.get(code);
      number = found ?? known.size;
      if (found === undefined) {
        known.set(code, number);
        first.push(row);
      }
    }
    numbers[row] = number;
  }
  return { numbers, first };
}

/** Returns numbers of a column as an array. NaN means null. */
function typed(frame: DataFrame, column: ReturnType<typeof pl.col>): Float64Array {
  const filled = frame.select(column.cast(pl.Float64).fillNull(pl.lit(NaN)).alias("(value)"));
  return filled.getColumn("(value)").toTypedArray() as Float64Array;
}

/**
 * Numbers the groups of rows with the same texts in some columns, in order of first appearance. `first` has the first row
 * of each group. The codes of categories come from a table of the process, so they are renumbered.
 */
export function rowGroups(frame: DataFrame, entity: readonly string[]) {
  const parts = entity.map((name) =>
    renumbered(typed(frame, pl.col(name).cast(pl.Utf8).cast(pl.Categorical).cast(pl.UInt32)))
  );
  const [first = renumbered(new Float64Array(frame.height)), ...others] = parts;
  return others.reduce((all, part) => {
    const width = part.first.length;
    return renumbered(
      Float64Array.from(all.numbers, (code, row) => code * width + part.numbers[row]!),
    );
  }, first);
}

/**
 * Reads a frame as a panel: who the entities are, the periods, and the cell of each row.
 *
 * @throws {RangeError} when a date or an entity is null, or two rows have the same entity and period.
 */
export function panelOf(
  frame: DataFrame,
  { fn, entity, date: given }: {
    readonly fn: string;
    readonly entity?: string | readonly string[] | undefined;
    readonly date?: string | undefined;
  },
): Panel {
  const source = "a frame of entities over time";
  requireColumns(frame, { fn, source, columns: given === undefined ? [] : [given] });
  const reading = readingOf(frame, { fn, entity, date: given });
  const [date = "date"] = reading.times;
  const rows = withPeriods(frame, { fn, date });
  for (const name of [date, ...reading.entity]) {
    if (frame.getColumn(name).nullCount() === 0) continue;
    const row = frame.getColumn(name).toArray().findIndex((value) => value === null);
    throw new RangeError(`${fn}: ${name}: must not be null; got null in row ${row}`);
  }
  const day = (name: string) => pl.col(name).cast(pl.Date).cast(pl.Int32);
  const [days, until] = [typed(rows, day(date)), typed(rows, day("until"))];
  const whole = typed(rows, pl.col("complete"));
  const dates = renumbered(days);
  const order = dates.first.map((row) => days[row]!);
  const starts = Float64Array.from(order).sort();
  const rank = new Map(Array.from(starts, (start, at) => [start, at]));
  const places = order.map((start) => rank.get(start)!);
  const ends = new Float64Array(starts);
  const complete = new Uint8Array(starts.length).fill(1);
  const { numbers, first } = rowGroups(frame, reading.entity);
  const cells = new Uint32Array(days.length);
  const taken = new Uint8Array(first.length * starts.length);
  for (let row = 0; row < days.length; row++) {
    const at = places[dates.numbers[row]!]!;
    if (!Number.isNaN(until[row]!)) ends[at] = until[row]!;
    if (whole[row] !== 1) complete[at] = 0;
    const cell = numbers[row]! * starts.length + at;
    if (taken[cell] === 1) refuseTwice(frame, { ...reading, times: [date] }, fn);
    taken[cell] = 1;
    cells[row] = cell;
  }
  const lengths = new Set(Array.from(starts, (start, at) => everyOf({ start, end: ends[at]! })));
  const named = frame.select(
    // polars accepts a series here, but its types do not.
    pl.col([date, ...reading.entity]).gather(pl.Series("", first, pl.Int64) as never),
  );
  return {
    ...reading,
    fn,
    rows,
    date,
    keys: entityTexts(named, reading) as string[],
    first,
    starts,
    ends,
    complete,
    cells,
    every: lengths.size === 1 ? [...lengths][0]! : null,
  };
}

/** Values above this size can have sums that are not finite. */
const LARGEST = 1e300;

/**
 * Returns the values of a column by cell. NaN means that the value is null, or that the cell has no row. `as` is the
 * expression of the values, if they are not those of the column.
 *
 * @throws {RangeError} for a value that is infinite, or larger than 1e300.
 */
export function panelValues(
  panel: Panel,
  field: string,
  as: ReturnType<typeof pl.col> = pl.col(field),
): Float64Array {
  const { fn, rows, cells, keys, starts } = panel;
  const values = new Float64Array(keys.length * starts.length).fill(NaN);
  const column = typed(rows, as);
  for (let row = 0; row < cells.length; row++) {
    const value = column[row]!;
    if (Math.abs(value) > LARGEST) {
      const cell = cells[row]!;
      const key = keys[Math.floor(cell / starts.length)]!;
      throw new RangeError(
        `${fn}: ${field}: must be a number of at most 1e300; got ${value} in row ${row} (${
          [key, dayText(starts[cell % starts.length]!)].filter((text) => text !== "").join(", ")
        })`,
      );
    }
    values[cells[row]!] = value;
  }
  return values;
}

/** The part of a total that may be missing without making the total incomplete. */
const TOLERATED = 0.02;

/** Which values of a panel are missing, and what this means for totals. */
export interface Gaps {
  /**
   * For each cell, 1 if a value is missing there: a gap between values, or an end that is not yet known. Before its
   * first value an entity has not entered, and after its last value it has left.
   */
  readonly lacks: Uint8Array;
  /** For each period, 1 if the total of the period is complete. */
  readonly totals: Uint8Array;
  /** For each entity, the period of its first value, and of its last one. -1 without a value. */
  readonly spans: readonly { readonly first: number; readonly last: number }[];
  /** The entities that have values in fewer than half of the periods between their first and last value. */
  readonly sparse: readonly number[];
}

/**
 * Finds the missing values of a panel. An exit is known after one later complete period in which another entity has a
 * value; for levels, after two.
 *
 * A total is complete if its period is complete, and the last known values of the entities that lack one are at most 2%
 * of it. Sparse entities do not make totals incomplete.
 */
export function panelGaps(
  { keys, starts, complete }: Pick<Panel, "keys" | "starts" | "complete">,
  values: Float64Array,
  { levels }: { readonly levels: boolean },
): Gaps {
  const [count, periods] = [keys.length, starts.length];
  const has = (entity: number, at: number) => !Number.isNaN(values[entity * periods + at]!);
  const known = new Uint32Array(periods);
  const spans = keys.map((_, entity) => {
    let [first, last, filled] = [-1, -1, 0];
    for (let at = 0; at < periods; at++) {
      if (!has(entity, at)) continue;
      if (first < 0) first = at;
      last = at;
      filled += 1;
      known[at]! += 1;
    }
    return { first, last, isSparse: filled < (last - first + 1) / 2 };
  });
  // For each period, the number of later complete periods that have values.
  const later = new Uint32Array(periods + 1);
  for (let at = periods - 1; at >= 0; at--) {
    later[at] = later[at + 1]! + (complete[at] === 1 && known[at]! > 0 ? 1 : 0);
  }
  const lacks = new Uint8Array(count * periods);
  const missing = new Float64Array(periods);
  const sums = new Float64Array(periods);
  for (let entity = 0; entity < count; entity++) {
    const { first, last, isSparse } = spans[entity]!;
    if (first < 0) continue;
    const left = (later[last + 2] ?? 0) >= (levels ? 2 : 1);
    let before = NaN;
    for (let at = first; at < periods; at++) {
      const value = values[entity * periods + at]!;
      if (!Number.isNaN(value)) {
        before = value;
        sums[at]! += Math.abs(value);
      } else if (at < last || !left) {
        lacks[entity * periods + at] = 1;
        if (!isSparse) missing[at]! += Math.abs(before);
      }
    }
  }
  const totals = Uint8Array.from(
    missing,
    (sum, at) => complete[at] === 1 && sum <= TOLERATED * (sums[at]! + sum) ? 1 : 0,
  );
  const sparse = spans.flatMap(({ isSparse, first }, at) => isSparse && first >= 0 ? [at] : []);
  return { lacks, totals, spans, sparse };
}
