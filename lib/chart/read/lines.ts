import { OTHER } from "../../table/read/largest.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { panelGaps } from "../../table/read/panel.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { everyIn } from "../../table/read/periods.ts";
import { dateOfDay, dayOf, type Every, periodFrom } from "../../schema/period.ts";
import { type ColoredSeries, drawnSeries } from "../series_colors.ts";
import { extentOf } from "../extent.ts";
import { formatCount, formatDay } from "../format.ts";
import { columnOfTimes, type Groups, groupsOf, recordsOf } from "./rows.ts";
import type { Note } from "../words.ts";
import { bySize, sumOfKnown } from "./combined.ts";

/** A point of a line. */
export interface LinePoint {
  /** A number, or a date in milliseconds. */
  readonly x: number;
  /** The value. Null if it is missing. */
  readonly y: number | null;
  /** Whether the period is over and fully covered by the data. */
  readonly complete: boolean;
  readonly lower?: number | null;
  readonly upper?: number | null;
  /** The prediction of a model. */
  readonly predicted?: number | null;
  /** The number of users that the value describes. */
  readonly size?: number | null;
  /** The text in the marker. */
  readonly text?: string;
}

/** A line with its points from left to right. */
export interface Line extends ColoredSeries {
  readonly points: readonly LinePoint[];
  /** Whether the points have no markers, as on a fitted line. `of` is the id of the line in whose panel it is drawn. */
  readonly plain?: boolean;
  readonly of?: string;
  /**
   * How the line is drawn beside others: what was observed is `strong`, what it is compared with is a thin gray
   * `reference`, and values that a trend is fitted to are dots that a thin line joins (`joined`).
   */
  readonly role?: "strong" | "reference" | "joined";
}

/**
 * A row of a series, ready to be drawn.
 *
 * @category Charts
 */
export interface SeriesRow {
  /** A date or a number. */
  readonly x: Date | number;
  /** The value. Null if it is missing. */
  readonly y: number | null;
  /** The color of the group, as `"#rrggbb"`. */
  readonly color: string;
  /** The id from which the color is derived. The id is `""` if the group has no name. */
  readonly id: string;
  /** The name of the group. */
  readonly label: string;
  /** Whether the period is over and fully covered by the data. True if the frame has no column `complete`. */
  readonly complete: boolean;
}

type SeriesOptions = Parameters<typeof series>[1];

/** The lines of a frame, and whether the horizontal axis has dates. */
interface ReadLines {
  readonly dates: boolean;
  readonly lines: readonly Line[];
}

/** Returns whether a column has dates. Throws if the column has neither dates nor numbers. */
function hasDates(frame: DataFrame, column: string, fn: string): boolean {
  const values = ([...frame.getColumn(column)] as unknown[])
    .filter((value) => value !== null && value !== undefined);
  if (values.length > 0 && values.every((value) => value instanceof Date)) return true;
  if (values.every((value) => typeof value === "number" || typeof value === "bigint")) return false;
  throw new TypeError(
    `${fn}: column ${column}: expected dates or numbers; got ${typeof values[0]} ${values[0]}`,
  );
}

/** Returns for each row whether its period is complete. All rows are complete if the frame has no column `complete`. */
export function completeRows(frame: DataFrame): boolean[] {
  if (!frame.columns.includes("complete")) return Array.from({ length: frame.height }, () => true);
  return [...frame.getColumn("complete")].map((each: unknown) => each !== false);
}

/**
 * Reads one line for each group, with its points in order of `x`. A null is a gap in the line. In a frame with periods
 * (column `until`), a period without a row is a gap, too.
 *
 * @throws {RangeError} when a column is missing, or a group has two rows with the same `x`.
 * @throws {TypeError} when a column has the wrong dtype.
 */
export function readLines(
  frame: DataFrame,
  { x, field, by, label }: {
    readonly x: string;
    readonly field: string;
    readonly by?: string | undefined;
    readonly label?: string | undefined;
  },
  fn: string,
): ReadLines {
  const columns = [x, by, label].filter((name) => name !== undefined);
  requireColumns(frame, {
    fn,
    source: "any frame with the columns named",
    columns,
    numbers: [field],
  });
  const dates = hasDates(frame, x, fn);
  const complete = completeRows(frame);
  const groups = groupsOf(frame, { fn, x, by, label, series: x === columnOfTimes(frame, fn) });
  const rows = recordsOf(frame, { numbers: [x, field, "lower", "upper"] });
  const lines = linesFrom(groups, (row) => {
    const { [x]: at = null, [field]: value = null, lower = null, upper = null } = rows[row]!;
    return at === null ? null : { x: at, y: value, complete: complete[row]!, lower, upper };
  }).filter(({ points }) => points.length > 0);
  for (const { label, points } of lines) {
    const again = points.find((point, index) => point.x === points[index + 1]?.x);
    if (again === undefined) continue;
    const where = dates ? formatDay(new Date(again.x)) : String(again.x);
    throw new RangeError(
      `${fn}: by: each line must have one row for each ${x}; got several of "${label}" at ` +
        `${where}. Name the column that distinguishes the lines`,
    );
  }
  if (!frame.columns.includes("until")) return { dates, lines };
  const places = shownPlaces(lines, dates ? everyIn(frame, x) : null);
  const open = new Set(pointsOf(lines).flatMap(({ x, complete }) => complete ? [] : [x]));
  return {
    dates,
    lines: lines.map((line) => {
      const known = new Map(line.points.map((point) => [point.x, point]));
      const points = places.map((x) => known.get(x) ?? { x, y: null, complete: !open.has(x) });
      return { ...line, points };
    }),
  };
}

/** Groups rows into lines by their labels. Rows without a point are left out. Points are sorted from left to right. */
export function linesFrom(
  { labels, ids, kind, noun }: Partial<Groups> & Pick<Groups, "labels" | "ids">,
  pointOf: (row: number) => LinePoint | null,
): (Line & { readonly rows: readonly number[] })[] {
  const groups = Map.groupBy(labels.keys(), (row) => labels[row]!);
  return [...groups].map(([label, rows]) => ({
    id: ids[rows[0]!]!,
    label,
    kind,
    noun,
    rows,
    ...ids[rows[0]!] === OTHER.id && { folded: true },
    points: rows.flatMap((row) => {
      const point = pointOf(row);
      return point === null ? [] : [point];
    }).toSorted((a, b) => a.x - b.x),
  }));
}

/**
 * Returns the periods of all lines, from the first to the last period with a value. Periods without a row are included,
 * unless most of them have none: such dates are snapshots.
 */
function shownPlaces(lines: readonly Line[], every: Every | null): number[] {
  const points = pointsOf(lines);
  const known = points.flatMap(({ x, y }) => y === null ? [] : [x]);
  const places = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  if (known.length === 0) return places;
  const [first, last] = extentOf(known);
  const shown = places.filter((at) => at >= first && at <= last);
  if (every === null) return shown;
  const all: number[] = [];
  for (let at = first; at <= last;) {
    all.push(at);
    at = dateOfDay(periodFrom(dayOf(new Date(at)), every).end + 1).getTime();
  }
  return all.length > 2 * shown.length ? shown : all;
}

/** Returns the points of all lines. */
export function pointsOf<Point>(
  lines: readonly { readonly points: readonly Point[] }[],
): Point[] {
  return lines.flatMap((line) => line.points);
}

/**
 * Returns the value by which a line is compared with others: that of the last complete period with a value. If there is
 * no such period, returns the last value, or null if there are no values.
 */
export function lastValue({ points }: Line): number | null {
  const settled = points.findLast(({ y, complete }) => complete && y !== null);
  return (settled ?? points.findLast(({ y }) => y !== null))?.y ?? null;
}

/** Reads lines as a panel, and finds their missing values. */
function gapsOf(lines: readonly Line[]) {
  const points = pointsOf(lines);
  const places = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const at = new Map(places.map((x, index) => [x, index]));
  const values = new Float64Array(lines.length * places.length).fill(NaN);
  const complete = new Uint8Array(places.length).fill(1);
  for (const [line, { points }] of lines.entries()) {
    for (const point of points) {
      const place = at.get(point.x)!;
      values[line * places.length + place] = point.y ?? NaN;
      if (!point.complete) complete[place] = 0;
    }
  }
  const keys = lines.map(({ id }) => id);
  const panel = { keys, starts: Float64Array.from(places), complete };
  return { places, complete, ...panelGaps(panel, values, { levels: false }) };
}

/**
 * Returns the positions at which the total of lines is not complete: a line is not, or the last values of the lines
 * that lack one are more than 2% of the total.
 */
export function openTotals(lines: readonly Line[]): ReadonlySet<number> {
  const { places, totals } = gapsOf(lines);
  return new Set(places.filter((_, place) => totals[place] === 0));
}

/**
 * Returns the positions without ranks: a line is not complete, or a line that lacks a value could change the order of the
 * first `limit` lines, because its last value was not beyond theirs.
 */
export function openRanks(
  lines: readonly Line[],
  { limit, descending }: { readonly limit: number; readonly descending: boolean },
): ReadonlySet<number> {
  const { places, complete, lost } = gapsOf(lines);
  const sign = descending ? 1 : -1;
  const known = Map.groupBy(pointsOf(lines).filter(({ y }) => y !== null), ({ x }) => x);
  return new Set(places.filter((x, place) => {
    const values = known.get(x)?.map(({ y }) => sign * y!).sort((a, b) => b - a) ?? [];
    const least = values[limit - 1] ?? -Infinity;
    return complete[place] === 0 || lost[place]!.some((value) => sign * value >= least);
  }));
}

/** Returns whether lines have the predictions of a model. */
export function hasForecast(lines: readonly Line[]): boolean {
  return pointsOf(lines).some(({ predicted = null }) => predicted !== null);
}

/** Returns the sum of a value over some items. Null counts as 0. */
export function sumBy<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => number | null,
): number {
  return items.reduce((sum, item) => sum + (valueOf(item) ?? 0), 0);
}

/** The items that {@linkcode largest} keeps, and the items that it leaves out. */
interface Kept<Item> {
  /** The kept items, largest first. If the others are combined into one item, this item is at the end. */
  readonly kept: readonly Item[];
  /** The number of items that are combined into one. */
  readonly others: number;
  /** A note that states the number of items that are drawn separately. False if all items are kept. */
  readonly dropped: Note;
}

/**
 * Returns the `limit` largest items. Items without a size are last, followed by combined items, which do not count. If
 * `other` is given, another item combines the items that are left out, if these are at least two. `what` describes the
 * kept items in the note, for example `largest chains`.
 */
export function largest<Item>(
  items: readonly Item[],
  { limit, sizeOf, other }: {
    readonly limit: number;
    readonly sizeOf: (item: Item) => number | null;
    readonly other?: ((rest: readonly Item[]) => Item) | undefined;
  },
  what = "largest",
): Kept<Item> {
  const isFolded = (item: Item) => (item as { readonly folded?: boolean }).folded === true;
  const folded = items.filter(isFolded);
  const ranked = bySize(items.filter((item) => !isFolded(item)), sizeOf);
  // If only one item is left out, its own name takes no more space than "other".
  if (ranked.length <= limit + (other === undefined ? 0 : 1)) {
    return { kept: [...ranked, ...folded], others: 0, dropped: false };
  }
  const [kept, rest] = [ranked.slice(0, limit), [...ranked.slice(limit), ...folded]];
  const note = `Drawn: the ${formatCount(limit)} ${what} of ${formatCount(items.length)}`;
  return other === undefined ? { kept, others: 0, dropped: `${note}.` } : {
    kept: [...kept, other(rest)],
    others: rest.length,
    dropped: `${note}, and the sum of the others.`,
  };
}

/**
 * Returns the sum of lines at each position. If no line has a value at a position, the sum is null. A sum is complete as
 * {@linkcode openTotals} says.
 */
export function sumOfLines(lines: readonly Line[], label: string): Line {
  const open = openTotals(lines);
  const places = Map.groupBy(pointsOf(lines), ({ x }) => x);
  const points = [...places].toSorted(([a], [b]) => a - b).map(([x, all]) => (
    { x, y: sumOfKnown(all.map(({ y }) => y)), complete: !open.has(x) }
  ));
  return { id: label, label, points, folded: true };
}

/** Returns a row for each point of the lines, in the order of the lines. */
export function pointRows<Each extends Line>(lines: readonly Each[], dates: boolean) {
  return lines.flatMap(({ points, ...line }) =>
    points.map((point) => ({ ...line, ...point, x: dates ? new Date(point.x) : point.x }))
  );
}

function seriesRows(lines: readonly Line[], dates: boolean, colors?: SeriesOptions["colors"]) {
  return pointRows(drawnSeries(lines, { colors }), dates)
    .map(({ x, y, color, id, label, complete }): SeriesRow => (
      { x, y, color, id, label, complete }
    ));
}

/**
 * Converts a frame to rows for marks. Returns one row for each row of the frame, sorted by group, then by `x`. Each
 * group has the color that its id has in chainframe's charts.
 *
 * @example
 * ```ts
 * import { pl } from "@chainframe/chainframe";
 * import { series } from "@chainframe/chainframe/marks";
 *
 * const frame = pl.DataFrame({ month: [1, 2], retention: [0.5, 0.4] });
 * console.log(series(frame, { field: "retention", x: "month" }).length); // 2
 * ```
 *
 * @throws {RangeError} when a column is missing, or a group has two rows with the same `x`.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function series(
  frame: DataFrame,
  options: {
    /** The numeric column of the vertical axis. */
    readonly field: string;
    /** The column of the horizontal axis: dates or numbers. */
    readonly x: string;
    /**
     * The column of ids or names that distinguishes the groups.
     * @default {the entity that the frame's columns show}
     */
    readonly by?: string;
    /**
     * The column that names the groups.
     * @default {the column of `by`}
     */
    readonly label?: string;
    /**
     * Colors by id or name, as `"#rrggbb"`.
     * @default {the colors that `colorOf` returns}
     */
    readonly colors?: Readonly<Record<string, string>>;
  },
): SeriesRow[] {
  const { lines, dates } = readLines(frame, options, "series");
  return seriesRows(lines, dates, options.colors);
}
