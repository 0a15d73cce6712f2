import { columnOf } from "../schema/columns.ts";
import { dayOf, dayText } from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { arraysIn } from "./columns.ts";

/** Values of units over time: one number per unit and date. */
export interface UnitPanel {
  /** The name of the column of units. */
  readonly unit: string;
  /** The units, in order of first appearance. */
  readonly units: readonly string[];
  /** The first day of each period, in order. */
  readonly days: readonly number[];
  /** The last day of each period. Null if the frame has no `until`. */
  readonly ends: readonly number[] | null;
  /** Whether each period is complete. True if the frame has no `complete`. */
  readonly complete: readonly boolean[];
  /** The values of each field, by unit and date. NaN for null and for missing rows. */
  readonly values: readonly Float64Array[];
}

/** The columns of units, time and values of a frame. */
interface PanelColumns {
  readonly fn: string;
  readonly fields: readonly string[];
  readonly unit?: string | undefined;
  readonly date?: string | undefined;
}

/** Returns the column of units: the given column, else `data_id`, else the only column of ids. */
function unitColumn(frame: DataFrame, { fn, unit }: PanelColumns): string {
  if (unit !== undefined) return unit;
  if (frame.columns.includes("data_id")) return "data_id";
  const ids = frame.columns.filter((name) => /_id$/.test(name));
  if (ids.length === 1) return ids[0]!;
  const found = ids.length === 0 ? "no column name ends in _id" : `several do: ${ids.join(", ")}`;
  throw new RangeError(`${fn}: unit: must name the column of entities; ${found}`);
}

/**
 * Reads a frame as values of units over time.
 *
 * @throws {RangeError} when columns are missing, the column of units is ambiguous, a unit or date is null,
 * or a unit has two rows of one date.
 * @throws {TypeError} when a column has the wrong dtype.
 */
export function unitPanel(frame: DataFrame, columns: PanelColumns): UnitPanel {
  const { fn, fields, date = "date" } = columns;
  requireColumns(frame, { fn, source: "a frame of units over time", columns: [date] });
  const unit = unitColumn(frame, columns);
  requireColumns(frame, {
    fn,
    source: "a frame of units over time",
    columns: [unit],
    dtypes: { [date]: "Date" },
    numbers: fields,
  });
  const dates = frame.getColumn(date).toArray() as unknown as (Date | null)[];
  const names = frame.getColumn(unit).toArray() as unknown[];
  const missing = dates.findIndex((each, row) => each === null || names[row] === null);
  if (missing >= 0) {
    const name = dates[missing] === null ? date : unit;
    throw new RangeError(`${fn}: ${name}: must not be null; got null in row ${missing}`);
  }
  const rowDays = dates.map((each) => dayOf(each!));
  const days = [...new Set(rowDays)].sort((a, b) => a - b);
  const units = [...new Set(names.map(String))];
  const [dayAt, unitAt] = [days, units].map((list) =>
    new Map<unknown, number>(list.map((each, index) => [each, index]))
  ) as [Map<unknown, number>, Map<unknown, number>];
  const untils = frame.columns.includes("until")
    ? frame.getColumn("until").toArray() as unknown as (Date | null)[]
    : null;
  const flags = frame.columns.includes("complete")
    ? frame.getColumn("complete").toArray() as (boolean | null)[]
    : null;
  const ends = days.slice();
  const complete = days.map(() => true);
  const cells = rowDays.map((day, row) =>
    unitAt.get(String(names[row]))! * days.length + dayAt.get(day)!
  );
  const seen = new Set<number>();
  cells.forEach((cell, row) => {
    const at = cell % days.length;
    if (seen.has(cell)) {
      throw new RangeError(
        `${fn}: two rows have ${unit} ${names[row]} and date ${dayText(days[at]!)}; ` +
          "keep one, or name another unit",
      );
    }
    seen.add(cell);
    if (untils?.[row]) ends[at] = dayOf(untils[row]);
    if (flags !== null && !flags[row]) complete[at] = false;
  });
  const values = arraysIn(frame, fields).map((column) => {
    const filled = new Float64Array(units.length * days.length).fill(NaN);
    cells.forEach((cell, row) => filled[cell] = column[row]!);
    return filled;
  });
  return { unit, units, days, ends: untils === null ? null : ends, complete, values };
}

/**
 * Returns the index of the previous period. Returns null for the first period, if the previous period is missing, or if
 * one of the two periods is incomplete.
 */
export function placeBefore({ days, ends, complete }: UnitPanel, at: number): number | null {
  if (at === 0 || !complete[at] || !complete[at - 1]) return null;
  return ends === null || ends[at - 1]! + 1 === days[at] ? at - 1 : null;
}

/**
 * Checks that the values of a column can be added over units. Unknown columns are assumed to be additive.
 *
 * @throws {RangeError} with the reason, for users, fractions and changes.
 */
export function refuseNotAdditive(field: string, fn: string): void {
  const column = columnOf(field);
  if (column === undefined || column.addsOverGroups || column.unit === null) return;
  const reason = column.unit === "users" || column.unit === "addresses"
    ? "a user can be counted in several of them"
    : `it is a ${column.unit}`;
  throw new RangeError(
    `${fn}: field: must be a column that adds up over entities; got ${field}: ${reason}`,
  );
}
