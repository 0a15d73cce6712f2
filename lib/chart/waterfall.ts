import { dayText } from "../schema/period.ts";
import { periodsOf } from "../table/read/periods.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { type ChartFunction, readyChart } from "./ready_chart.ts";
import type { PlotChart } from "./chart.ts";
import type { BarItem } from "./drawing/bars.ts";
import type { Measure } from "./measures.ts";
import type { Settings } from "./options.ts";
import { daysText, writtenAs } from "./periods.ts";
import { combinedItem, firstValue, ranked } from "./read/combined.ts";
import { largest, type Line, type LinePoint, sumBy } from "./read/lines.ts";
import { countOf, type Note, valueTexts } from "./words.ts";

const DAY = 86_400_000;

/** The contributions of each group, and the growth of the total. `from` and `to` are dates in days since 1970. */
interface WaterfallParts {
  readonly lines: readonly Line[];
  readonly total: Line;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly limit: number;
  readonly again: ChartFunction;
  /** What the groups contribute to: `fees`. */
  readonly whole: string;
  readonly notes: readonly Note[];
}

/** Returns the first day of the period that contains a day, in milliseconds. NaN if the frame does not have it. */
function placeOf(frame: DataFrame, day: number, fn: string): number {
  const { periods, isKnown } = periodsOf(frame, { fn });
  const starts = periods.map(({ start }) => start).sort((a, b) => a - b);
  // A period of unknown length lasts until the next one.
  const found = isKnown
    ? periods.find(({ start, end }) => start <= day && day <= end)?.start
    : starts.findLast((start) => start <= day);
  return (found ?? NaN) * DAY;
}

/** Returns the first date of the waterfall, and the growth of the total in each later period up to the last date. */
function stepPeriods(
  frame: DataFrame,
  { from, to, total: { points } }: WaterfallParts,
  fn: string,
) {
  const first = points.findIndex(({ y }) => y !== null);
  if (first === -1) return { start: NaN, periods: [] };
  const text = (date: number) => dayText(date / DAY);
  const placed = (name: string, day: number | undefined, usual: number) => {
    if (day === undefined) return usual;
    const place = placeOf(frame, day, fn);
    if (points.some(({ x }) => x === place)) return place;
    const span = `${text(points[0]!.x)} to ${text(points.at(-1)!.x)}`;
    throw new RangeError(
      `${fn}: ${name}: expected a day of a period; periods begin on ${span}; got ${dayText(day)}`,
    );
  };
  const start = placed("from", from, points[Math.max(first - 1, 0)]!.x);
  const end = placed("to", to, points.findLast(({ y }) => y !== null)!.x);
  if (start >= end) {
    throw new RangeError(`${fn}: to: must be after ${text(start)}; got ${text(end)}`);
  }
  const periods = points.filter(({ x }) => x > start && x <= end);
  const gap = periods.find(({ y }) => y === null);
  if (gap === undefined) return { start, periods };
  throw new RangeError(
    `${fn}: from, to: the period of ${
      text(gap.x)
    } has no total: it is incomplete, the one before ` +
      "it is missing, or an entity has a gap",
  );
}

/** Returns the change of each group between two dates, as a fraction of the total at the first date. */
function stepsOf(lines: readonly Line[], periods: readonly LinePoint[]): BarItem[] {
  let total = 1;
  const levels = new Map(periods.map(({ x, y }) => {
    const before = total;
    total *= 1 + y!;
    return [x, before];
  }));
  return lines.map(({ id, label, kind, points }) => (
    { id, label, kind, values: [sumBy(points, ({ x, y }) => (levels.get(x) ?? 0) * (y ?? 0))] }
  ));
}

/** The title, unit and axis label of the bars. */
const MEASURE: Measure = {
  title: "value",
  unit: "change",
  axis: "",
  additive: true,
};

/** Returns the rows of the waterfall. Each step begins where the step above it ends. The last row is the sum. */
function itemsOf(steps: readonly BarItem[]): BarItem[] {
  let sum = 0;
  const items = steps.map((step) => {
    const lower = sum;
    sum += firstValue(step)!;
    return { ...step, lower, upper: sum };
  });
  return [...items, { id: "", label: "total", values: [sum], lower: 0, upper: sum, total: true }];
}

/** Draws contributions between two dates: gains first, then losses, then the sum. */
export function waterfallChart(
  frame: DataFrame,
  settings: Settings,
  parts: WaterfallParts,
): PlotChart {
  const { lines, limit, whole } = parts;
  const { start, periods } = stepPeriods(frame, parts, settings.fn);
  const steps = stepsOf(lines, periods).filter((step) => firstValue(step) !== 0);
  const { kept, ...left } = largest(steps, {
    limit,
    sizeOf: (step) => Math.abs(firstValue(step)!),
    other: (rest) => combinedItem(rest),
  });
  const ordered = ranked(kept);
  const { noun = "group" } = lines[0] ?? {};
  const dates = new Set(periods.map(({ x }) => x));
  return readyChart({
    again: parts.again,
    frame,
    settings,
    empty: steps.length === 0,
    words: {
      what: `Contributions of ${countOf(steps.length, noun)} to the growth of ${whole}`,
      span: steps.length === 0
        ? ""
        : daysText([start, ...dates], settings.locale, writtenAs(frame)),
      said: [`Changes of ${whole}, relative to the total at the start`],
      kind: "Waterfall chart",
      noun,
      rows: valueTexts(ordered, "change", firstValue),
      ...left,
      notes: parts.notes,
    },
    figure: (draw, look) =>
      draw.barsFigure(
        { measures: [MEASURE], items: itemsOf(ordered), noun: "group", as: "steps" },
        look,
      ),
  });
}
