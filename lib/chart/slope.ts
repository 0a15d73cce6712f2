import { oneOf, required, string } from "../platform/check_options.ts";
import type { DataFrame } from "../table/build/polars.ts";
import { everyIn } from "../table/read/periods.ts";
import { requireColumns } from "../table/read/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { formatDay, formatterFor } from "./format.ts";
import { groupNoun, measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings, SCALES } from "./options.ts";
import { periodText, writtenAs } from "./periods.ts";
import { groupsOf, numberValues } from "./read/rows.ts";
import { completeRows, largest, type Line, linesFrom, pointsOf } from "./read/lines.ts";
import { countOf } from "./words.ts";

const RULES = { field: required(string), x: string, by: string, scale: oneOf(SCALES) };
const MOST = 12;

function keyOf(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value;
}

/**
 * Returns the two values that a slope chart compares. Texts are in order of appearance, and other values are in
 * ascending order.
 */
function sidesOf(frame: DataFrame, column: string): [unknown, unknown] {
  const values = ([...frame.getColumn(column)] as unknown[]).filter((value) => value !== null);
  const known = [...new Map(values.map((value) => [keyOf(value), value])).values()];
  if (known.length !== 2) {
    throw new RangeError(
      `plotSlope: x: must have two values; ${column} has ${known.length}; keep two, such as ` +
        `where(frame, { ${column}: […, …] })`,
    );
  }
  const [a, b] = known as [unknown, unknown];
  return typeof a === "string" || Number(keyOf(a)) < Number(keyOf(b)) ? [a, b] : [b, a];
}

/** Reads one line for each group, from its first value on the left to its first value on the right. */
function linesOf(
  frame: DataFrame,
  { x, field, by, label }: {
    readonly x: string;
    readonly field: string;
    readonly by: string | undefined;
    readonly label: string | undefined;
  },
  sides: readonly unknown[],
): Line[] {
  const values = numberValues(frame, field);
  const complete = completeRows(frame);
  const keys = sides.map(keyOf);
  const at = ([...frame.getColumn(x)] as unknown[]).map((value) => keys.indexOf(keyOf(value)));
  const lines = linesFrom(
    groupsOf(frame, { by }),
    (row) => at[row] === -1 ? null : { x: at[row]!, y: values[row]!, complete: complete[row]! },
  );
  const { labels } = groupsOf(frame, label === undefined ? { by } : { label });
  return lines.map((line) => ({
    ...line,
    label: labels[line.rows[0]!]!,
    points: [0, 1].flatMap((side) => line.points.find(({ x }) => x === side) ?? []),
  }));
}

/**
 * Draws the change between two dates. Each group has one line from its value on the left to its value on the right.
 * Names and values are on both sides.
 *
 * A group without a value on one side is left out. The caption states the number of these groups. If there are more
 * than 12 groups (see `limit`), the groups with the largest values on the right are drawn.
 *
 * @example
 * ```ts
 * import { pl, plotSlope } from "@chainframe/chainframe";
 *
 * const frame = pl.DataFrame({
 *   year: [2025, 2026, 2025, 2026],
 *   chain: ["Alder", "Alder", "Basalt", "Basalt"],
 *   fees: [10, 30, 25, 20],
 * });
 * console.log(plotSlope(frame, { field: "fees", x: "year", by: "chain" }));
 * ```
 *
 * @throws {RangeError} when a column is missing, `x` does not have two values, or an option is out of range.
 * @throws {TypeError} when `field` does not hold numbers.
 * @category Charts
 */
export function plotSlope(
  frame: DataFrame,
  options: {
    /** The numeric column of the vertical axis. */
    readonly field: string;
    /**
     * The column with the two dates, or two other values, to compare.
     * @default {"date"}
     */
    readonly x?: string;
    /**
     * The column whose values have a line each.
     * @default {the names or ids of the frame that distinguish its rows}
     */
    readonly by?: string;
    /**
     * The scale: `"linear"`, `"log"` or `"auto"`. `"log"` requires values above zero. On a logarithmic scale, parallel
     * lines show the same percentage growth. `"auto"` is logarithmic if the largest value is more than 30 times the
     * smallest value, and the values are not fractions.
     * @default {"auto"}
     */
    readonly scale?: "auto" | "linear" | "log";
  } & ChartOptions,
): PlotChart {
  const settings = chartSettings("plotSlope", options, RULES);
  const { fn, field, x = "date", label, by = label } = settings;
  const { unit, limit = MOST, locale, scale = "auto" } = settings;
  requireColumns(frame, {
    fn,
    source: "any frame with the columns named",
    columns: by === undefined ? [x] : [x, by],
    numbers: [field],
  });
  const pair = frame.height === 0 ? ["", ""] as const : sidesOf(frame, x);
  const every = x === "date" ? everyIn(frame) : null;
  const written = x === "date" ? writtenAs(frame) : null;
  const name = (side: unknown) =>
    !(side instanceof Date)
      ? String(side)
      : x === "date"
      ? periodText(side, written, locale)
      : formatDay(side, locale);
  const sides = [name(pair[0]), name(pair[1])] as const;
  const all = linesOf(frame, { field, x, by, label }, pair);
  const whole = all.filter(({ points }) => points.filter(({ y }) => y !== null).length === 2);
  const sizeOf = ({ points }: Line) => points[1]!.y;
  const { kept: lines, note } = largest(whole, { limit, sizeOf }, "largest on the right");
  const measure = measureOf(frame, field, { unit, every });
  const values = pointsOf(lines).map(({ y }) => y);
  const write = formatterFor(values, { unit: measure.unit, locale });
  const pairs = lines.map(({ label, points }) =>
    `${label} ${points.map(({ y }) => write(y!)).join(" to ")}`
  );
  const noun = groupNoun(lines[0]?.kind ?? by);
  return readyChart({
    again: plotSlope,
    frame,
    settings,
    series: lines,
    empty: lines.length === 0,
    words: {
      what: measure.title,
      of: countOf(lines.length, noun),
      span: sides.join(" and "),
      kind: "Slope chart",
      noun,
      rows: pairs,
      dropped: note,
      values: pointsOf(lines),
      period: (side) => sides[side]!,
      missing: all.filter((line) => !whole.includes(line)).map(({ label }) => label),
      empty: "no value on one side",
    },
    figure: (draw, look) => draw.slopeFigure({ lines, sides, unit: measure.unit, scale }, look),
  });
}
