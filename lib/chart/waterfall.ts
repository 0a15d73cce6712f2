import { dayText } from "../schema/period.ts";
import type { DataFrame } from "../table/polars.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import type { WaterfallStep } from "./drawing/waterfall.ts";
import { formatterFor } from "./format.ts";
import type { Settings } from "./options.ts";
import { daysText } from "./periods.ts";
import { numberValues } from "./rows.ts";
import { largest, type Line, ranked } from "./series.ts";
import { described, drawnNote } from "./words.ts";

const DAY = 86_400_000;

/** The contributions of each group, and the first and last period as days. */
interface WaterfallParts {
  readonly fn: string;
  readonly lines: readonly Line[];
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly limit: number;
}

/**
 * Returns the relative change of the total in each period of a frame of `contributions`, by date. Null if it is
 * unknown.
 */
function growthByDate(frame: DataFrame): Map<number, number | null> {
  const dates = [...frame.getColumn("date")] as unknown as Date[];
  const totals = numberValues(frame, "total");
  const byDate = dates.map((date, row) => [date.getTime(), totals[row] ?? null] as const);
  return new Map(byDate.toSorted(([a], [b]) => a - b));
}

/** Returns the periods after the first period up to the last, with the growth of the total in each. */
function periodsOf(growth: ReadonlyMap<number, number | null>, parts: WaterfallParts) {
  const { fn, from, to } = parts;
  const dates = [...growth.keys()];
  const known = dates.filter((date) => growth.get(date) !== null);
  if (known.length === 0) return { start: NaN, periods: [] };
  const start = from === undefined ? dates[dates.indexOf(known[0]!) - 1] ?? dates[0]! : from * DAY;
  const end = to === undefined ? known.at(-1)! : to * DAY;
  const text = (date: number) => dayText(date / DAY);
  const span = `${text(dates[0]!)} to ${text(dates.at(-1)!)}`;
  for (const [name, date] of [["from", start], ["to", end]] as const) {
    if (!dates.includes(date)) {
      throw new RangeError(
        `${fn}: ${name}: expected the first day of a period, ${span}; got ${text(date)}`,
      );
    }
  }
  if (start >= end) {
    throw new RangeError(`${fn}: to: must be after ${text(start)}; got ${text(end)}`);
  }
  const periods = dates.filter((date) => date > start && date <= end)
    .map((date) => ({ date, growth: growth.get(date)! }));
  const gap = periods.find(({ growth }) => growth === null);
  if (gap !== undefined) {
    throw new RangeError(
      `${fn}: from, to: the period of ${
        text(gap.date)
      } has no contributions: it is incomplete, or the ` +
        "one before it is missing",
    );
  }
  return { start, periods };
}

/** Returns the change of each group between two dates, as a fraction of the total at the first date. */
function stepsOf(
  lines: readonly Line[],
  periods: readonly { readonly date: number; readonly growth: number }[],
): WaterfallStep[] {
  let level = 1;
  const values = lines.map(() => 0);
  for (const { date, growth } of periods) {
    lines.forEach(({ points }, index) => {
      values[index]! += level * (points.find(({ x }) => x === date)?.y ?? 0);
    });
    level *= 1 + growth;
  }
  return lines.map(({ id, label }, index) => ({ id, label, value: values[index]! }));
}

/** Draws contributions between two dates: gains first, then losses, then the sum. */
export function waterfallChart(
  frame: DataFrame,
  settings: Settings,
  parts: WaterfallParts,
): PlotChart {
  const { lines, limit } = parts;
  const growth = growthByDate(frame);
  const { start, periods } = periodsOf(growth, parts);
  const steps = stepsOf(lines, periods).filter(({ value }) => value !== 0);
  const { kept, drawn } = largest(steps, {
    limit,
    sizeOf: ({ value }) => Math.abs(value),
    other: (rest) => ({
      id: "other",
      label: `other (${rest.length})`,
      value: rest.reduce((sum, { value }) => sum + value, 0),
      folded: true,
    }),
  });
  const ordered = ranked(kept, ({ value }) => value);
  const total = steps.reduce((sum, { value }) => sum + value, 0);
  const write = formatterFor([...ordered.map(({ value }) => value), total], {
    unit: "change",
    locale: "en-US",
  });
  const dates = new Set(periods.map(({ date }) => date));
  const missing =
    lines.filter(({ points }) => points.some(({ x, y }) => dates.has(x) && y === null)).length;
  const span = daysText([start, ...dates], settings.locale);
  return readyChart({
    frame,
    settings,
    empty: steps.length === 0,
    words: {
      title: "Contributions to growth",
      subtitle: steps.length === 0 ? "" : `${span}; total ${write(total)}`,
      label: described(
        "Contributions to growth",
        ordered.map(({ label, value }) => `${label} ${write(value)}`),
        { noun: "group" },
      ),
      notes: {
        leftOut: [
          drawnNote(drawn, steps.length, "largest, and the others together,"),
          missing > 0 && `Without a value in some periods, left out there: ${missing}.`,
        ],
      },
    },
    figure: (draw, look) =>
      draw.waterfallFigure({
        steps: ordered,
        total: "total",
        x: { unit: "change", name: "change, % of the total at the start" },
      }, look),
  });
}
