import { shown } from "../../platform/terminal.ts";
import { dayOf, dayText } from "../../schema/period.ts";
import { dtypeNames } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { numbered, numberedValues, typed } from "./numbered.ts";
import { periodsOf, type RowPeriods } from "./periods.ts";
import { entityTexts, lastFullDay, type Reading, readingOf, refuseTwice } from "./reading.ts";
import { requireColumns } from "./requirements.ts";
import { daysOfSums, wholeSum } from "./whole_sums.ts";

/**
 * A frame of entities over time, as a grid of entities and periods. Values are read by {@linkcode panelValues} into an
 * array in which the cell of an entity and a period is `entity * periods + period`.
 */
export interface Panel extends Reading, Pick<RowPeriods, "every" | "isKnown" | "weekday"> {
  /** The function that reads the panel, for error messages. */
  readonly fn: string;
  readonly frame: DataFrame;
  /** The column of dates. */
  readonly date: string;
  /** The text of each entity, in order of first appearance. */
  readonly keys: readonly string[];
  /** The columns of the entity, and of its label, with one row for each entity. */
  readonly ids: DataFrame;
  /** The first days of the periods, in order, as days since 1 January 1970. */
  readonly starts: Float64Array;
  /** The last days of the periods. */
  readonly ends: Float64Array;
  /** For each period, the number of days with data: those of a period that is not over, up to the last full day. */
  readonly days: Float64Array;
  /** For each period, 1 if all rows of the period are complete. */
  readonly complete: Uint8Array;
  /** For each row of the frame, its cell. */
  readonly cells: Uint32Array;
}

/**
 * Numbers the groups of rows with the same texts in some columns, in order of first appearance. `first` has the first row
 * of each group.
 */
export function rowGroups(frame: DataFrame, entity: readonly string[]) {
  const parts = entity.map((name) => numberedValues(frame, name));
  const [first = numbered(new Float64Array(frame.height)), ...others] = parts;
  return others.reduce((all, part) => {
    const width = part.first.length;
    const both = new Float64Array(all.numbers);
    for (let row = 0; row < both.length; row++) {
      both[row] = both[row]! * width + part.numbers[row]!;
    }
    return numbered(both);
  }, first);
}

/** Throws a RangeError for a row with the entity and the period of another row. */
function refusePeriod(
  frame: DataFrame,
  { fn, date, row, reading }: {
    readonly fn: string;
    readonly date: string;
    readonly row: number;
    readonly reading: Reading;
  },
): never {
  refuseTwice(frame, { ...reading, times: [date] }, fn);
  // Different texts can name the same period.
  const value: unknown = frame.getColumn(date).toArray()[row];
  throw new RangeError(
    `${fn}: ${date}: two rows of an entity have the same period; got ${shown(value)} in row ${row}`,
  );
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
  const reading = readingOf(frame, { fn, entity, date: given, series: true, isChecked: true });
  const [date = "date"] = reading.times;
  const { numbers: places, periods, last, ...known } = periodsOf(frame, { fn, date });
  for (const name of [date, ...reading.entity]) {
    if (frame.getColumn(name).nullCount() === 0) continue;
    const row = frame.getColumn(name).toArray().findIndex((value) => value === null);
    throw new RangeError(`${fn}: ${name}: must not be null; got null in row ${row}`);
  }
  const order = periods.map((_, at) => at).sort((a, b) => periods[a]!.start - periods[b]!.start);
  const rank = new Uint32Array(order.length);
  order.forEach((number, at) => rank[number] = at);
  const starts = Float64Array.from(order, (number) => periods[number]!.start);
  const ends = Float64Array.from(order, (number) => periods[number]!.end);
  const through = lastFullDay(frame) ?? known.through ?? Infinity;
  const days = ends.map((end, at) =>
    (end > through && starts[at]! <= through ? through : end) - starts[at]! + 1
  );
  const complete = Uint8Array.from(ends, (end) => last === null || end <= last ? 1 : 0);
  const whole = frame.columns.includes("complete") ? typed(frame, pl.col("complete")) : null;
  const { numbers, first } = rowGroups(frame, reading.entity);
  const cells = new Uint32Array(places.length);
  const taken = new Uint8Array(first.length * starts.length);
  for (let row = 0; row < cells.length; row++) {
    const at = rank[places[row]!]!;
    if (whole !== null && whole[row] !== 1) complete[at] = 0;
    const cell = numbers[row]! * starts.length + at;
    if (taken[cell] === 1) refusePeriod(frame, { fn, date, row, reading });
    taken[cell] = 1;
    cells[row] = cell;
  }
  const named = [...reading.entity, ...reading.label === null ? [] : [reading.label]];
  // polars accepts a series here, but its types do not. An untracked frame of series is faster.
  const ids = pl.DataFrame(named.map((name) => frame.getColumn(name))).select(
    pl.all().gather(pl.Series("", first, pl.Int64) as never),
  );
  return {
    ...reading,
    fn,
    frame,
    date,
    // A frame without columns has no rows.
    keys: named.length === 0 ? first.map(() => "") : entityTexts(ids, reading) as string[],
    ids,
    starts,
    ends,
    days,
    complete,
    cells,
    every: known.every,
    isKnown: known.isKnown,
    weekday: known.weekday,
  };
}

/** Values above this size can have sums that are not finite. */
const LARGEST = 1e300;

/**
 * Returns the numbers of a column, by row. NaN means null.
 *
 * @throws {RangeError} for a value that is infinite, or larger than 1e300.
 */
export function finiteNumbers(
  frame: DataFrame,
  { fn, field }: { readonly fn: string; readonly field: string },
): Float64Array {
  const numbers = typed(frame, pl.col(field));
  // This is much faster than `findIndex`.
  let row = 0;
  while (row < numbers.length && !(Math.abs(numbers[row]!) > LARGEST)) row++;
  if (row === numbers.length) return numbers;
  const dtypes = dtypeNames(frame);
  const namesOf = (dtype: RegExp) => frame.columns.filter((_, at) => dtype.test(dtypes[at]!));
  const names = [...namesOf(/^(String|Cat|Enum)/).slice(0, 2), ...namesOf(/^Date/).slice(0, 1)];
  const texts = (names.length === 0 ? [] : frame.select(...names).row(row))
    .filter((value) => value !== null)
    .map((value) => value instanceof Date ? dayText(dayOf(value)) : value);
  throw new RangeError(
    `${fn}: ${field}: must be a number of at most 1e300; got ${numbers[row]} in row ${row}` +
      (texts.length === 0 ? "" : ` (${texts.join(", ")})`),
  );
}

/** How sums of periods are read. */
interface SumsRead {
  /** `whole` scales sums that lack days to all days of their periods, `day` divides by days, and `period` does neither. */
  readonly per?: "whole" | "day" | "period";
  /** The column whose days with a value count, if it is not the column itself. */
  readonly daysOf?: string;
}

/**
 * Returns the values of a column by cell. NaN means that the value is null, or that the cell has no row. The days of a sum
 * are those with a value, if the frame has them, or else those of the period. Throws what {@linkcode finiteNumbers} and
 * {@linkcode daysOfSums} throw.
 */
export function panelValues(
  panel: Panel,
  field: string,
  { per = "whole", daysOf = field }: SumsRead = {},
): Float64Array {
  const { fn, frame, cells, keys, starts, ends, days } = panel;
  const values = new Float64Array(keys.length * starts.length).fill(NaN);
  const column = finiteNumbers(frame, { ...panel, field });
  const lengthOf = (row: number) => {
    const at = cells[row]! % starts.length;
    return ends[at]! - starts[at]! + 1;
  };
  const counts = per === "period" ? null : daysOfSums(frame, daysOf, { fn, lengthOf });
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row]!;
    if (counts === null && per !== "day") {
      values[cell] = column[row]!;
      continue;
    }
    const all = days[cell % days.length]!;
    const known = counts === null ? all : counts[row]!;
    values[cell] = per === "day"
      ? column[row]! / (known > 0 ? known : NaN)
      : wholeSum(column[row]!, { days: known, all });
  }
  return values;
}

/** The part of a total that may be missing without making the total incomplete. */
const TOLERATED = 0.02;

/** Which values of a panel are missing, and what this means for totals. */
interface Gaps {
  /**
   * For each cell, 1 if a value is missing there: a gap between values, or an end that is not yet known. Before its
   * first value an entity has not entered, and after its last value it has left.
   */
  readonly lacks: Uint8Array;
  /** For each period, the last known values of the entities that lack one, without those of sparse entities. */
  readonly lost: readonly (readonly number[])[];
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
  const lost = Array.from({ length: periods }, (): number[] => []);
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
        if (!isSparse) lost[at]!.push(before);
      }
    }
  }
  const totals = Uint8Array.from(lost, (values, at) => {
    const sum = values.reduce((all, value) => all + Math.abs(value), 0);
    return complete[at] === 1 && sum <= TOLERATED * (sums[at]! + sum) ? 1 : 0;
  });
  const sparse = spans.flatMap(({ isSparse, first }, at) => isSparse && first >= 0 ? [at] : []);
  return { lacks, lost, totals, spans, sparse };
}
