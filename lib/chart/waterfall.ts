import { dayText } from "../schema/period.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { type ChartFunction, readyChart } from "./ready_chart.ts";
import type { PlotChart } from "./chart.ts";
import type { BarItem } from "./drawing/bars.ts";
import { formatValue } from "./format.ts";
import type { Measure } from "./measures.ts";
import type { Settings } from "./options.ts";
import { daysText } from "./periods.ts";
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

/** Returns the first date of the waterfall, and the growth of the total in each later period up to the last date. */
function periodsOf({ from, to, total: { points } }: WaterfallParts, fn: string) {
  const first = points.findIndex(({ y }) => y !== null);
  if (first === -1) return { start: NaN, periods: [] };
  const start = from === undefined ? points[Math.max(first - 1, 0)]!.x : from * DAY;
  const end = to === undefined ? points.findLast(({ y }) => y !== null)!.x : to * DAY;
  const text = (date: number) => dayText(date / DAY);
  for (const [name, date] of [["from", start], ["to", end]] as const) {
    if (points.some(({ x }) => x === date)) continue;
    const span = `${text(points[0]!.x)} to ${text(points.at(-1)!.x)}`;
    throw new RangeError(
      `${fn}: ${name}: expected the first day of a period, ${span}; got ${text(date)}`,
    );
  }
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
  const { start, periods } = periodsOf(parts, settings.fn);
  const steps = stepsOf(lines, periods).filter((step) => firstValue(step) !== 0);
  const { kept, ...left } = largest(steps, {
    limit,
    sizeOf: (step) => Math.abs(firstValue(step)!),
    other: (rest) => combinedItem(rest),
  });
  const ordered = ranked(kept);
  const total = sumBy(steps, firstValue);
  const { noun = "group" } = lines[0] ?? {};
  const dates = new Set(periods.map(({ x }) => x));
  return readyChart({
    again: parts.again,
    frame,
    settings,
    empty: steps.length === 0,
    words: {
      what: `Contributions of ${countOf(steps.length, noun)} to the growth of ${whole}`,
      span: steps.length === 0 ? "" : daysText([start, ...dates], settings.locale),
      said: [`Changes of ${whole}, relative to the total at the start`],
      results: steps.length === 0 ? [] : [`total ${formatValue(total, "change", settings.locale)}`],
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
