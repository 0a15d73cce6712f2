import { aText, oneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Scale, SCALES } from "./comparison.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { fieldWords, wordsFor } from "./field_words.ts";
import { countOf, formatDay, formatValue } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf, type Settings } from "./options.ts";
import type { SeriesLine, SeriesPoint } from "./plot/draw_lines.ts";
import { periodsOf } from "./time_series.ts";
import { captionOf, emptyWords, groupsOf, numberValues } from "./values.ts";

/**
 * Options of `plotLine`.
 *
 * @category Charts
 */
export interface PlotLineOptions extends ChartOptions {
  /** The column across: dates or numbers. */
  readonly x: string;
  /** The numeric column up. */
  readonly y: string;
  /**
   * The column that tells the lines apart, an id or a name; `label` may name them otherwise.
   * @default {none: one line}
   */
  readonly color?: string;
  /**
   * `"linear"`, `"log"` (where every value is above zero), or `"auto"`: log where the largest value is more
   * than a thousand times the smallest.
   * @default {"auto"}
   */
  readonly scale?: Scale;
}

const LINE = { x: aText, y: aText, color: aText, scale: oneOf(SCALES) };
const MOST_LINES = 40;
const MOST_COLORS = 12;

/** Refuses options that do not name the columns a chart cannot do without. */
export function requireNames(
  asker: string,
  settings: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const missing = names.find((name) => settings[name] === undefined);
  if (missing === undefined) return;
  throw new RangeError(`${asker}: ${missing}: must name a column, and is not given`);
}

/** Where each row stands across: dates in milliseconds, numbers as they are. */
function acrossOf(frame: DataFrame, column: string, asker: string): {
  values: (number | null)[];
  dates: boolean;
} {
  const values = [...frame.getColumn(column)] as unknown[];
  const known = values.filter((value) => value !== null && value !== undefined);
  const dates = known.length > 0 && known.every((value) => value instanceof Date);
  const numbers = known.every((value) => typeof value === "number" || typeof value === "bigint");
  if (!dates && !numbers) {
    throw new TypeError(
      `${asker}: column ${column} has to hold dates or numbers, and holds ${typeof known[0]}: ${
        known[0]
      }`,
    );
  }
  return {
    dates,
    values: dates
      ? values.map((value) => value instanceof Date ? value.getTime() : null)
      : numberValues(frame, column),
  };
}

function lastValue({ points }: SeriesLine): number | null {
  return points.findLast(({ value }) => value !== null)?.value ?? null;
}

/** One line for each group, its points in order; a point where the value is null stays, as a gap. */
function linesOf(frame: DataFrame, settings: Settings<typeof LINE>, across: (number | null)[]) {
  const { y, color, label } = settings;
  const { ids } = groupsOf(frame, {
    names: color === undefined ? [] : [color],
    label: color,
    alone: y!,
  });
  const { labels } = groupsOf(frame, { names: [], label: label ?? color, alone: y! });
  const values = numberValues(frame, y!);
  const lines = new Map<string, SeriesLine & { points: SeriesPoint[] }>();
  ids.forEach((id, row) => {
    const at = across[row];
    if (at === null || at === undefined) return;
    const line = lines.get(id) ?? { id, label: labels[row]!, points: [] };
    line.points.push({ at, value: values[row]! });
    lines.set(id, line);
  });
  for (const { label, points } of lines.values()) {
    points.sort((a, b) => a.at - b.at);
    if (points.some(({ at }, index) => index > 0 && at === points[index - 1]!.at)) {
      throw new RangeError(
        `plotLine: color: each line must have one value for each ${settings.x}, and "${label}" has ` +
          "several; name the column that tells the lines apart",
      );
    }
  }
  return [...lines.values()];
}

/** The lines in a sentence. */
export function describeLines(
  lines: readonly SeriesLine[],
  unit: ReturnType<typeof fieldWords>["unit"],
) {
  const ends = lines.slice(0, 4).map((line) => {
    const value = lastValue(line);
    return `${line.label} ${value === null ? "no value" : formatValue(value, unit)}`;
  });
  const more = lines.length > 4 ? ` and ${lines.length - 4} more` : "";
  return `Line chart of ${countOf(lines.length, "line")}, at their ends: ${
    ends.join("; ")
  }${more}.`;
}

/** What a column of ids or names tells apart: `chain`. */
export function groupWord(column: string): string {
  return fieldWords(column.replace(/_(id|name)$/, "")).title.toLowerCase().replace("data", "group");
}

type Draw = typeof import("./plot/draw_lines.ts");
const draw = (): Promise<Draw> => import(new URL("./plot/draw_lines.ts", import.meta.url).href);

/**
 * Lines of any frame: a number over dates, or over another number, one line for each group, named at its end.
 *
 * A null breaks the line. Of more than 12 lines the six that end highest are in colour (`highlight`), the others
 * grey; of more than 40 (`limit`) those that end highest are drawn.
 *
 * @example
 * ```ts
 * import { pl, plotLine } from "@chainframe/chainframe";
 *
 * const frame = pl.DataFrame({
 *   day: [new Date("2026-01-01"), new Date("2026-02-01"), new Date("2026-03-01")],
 *   fees: [10, 30, 20],
 * });
 * console.log(plotLine(frame, { x: "day", y: "fees" }));
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, a line has several values at one place, or an
 * option is out of range.
 * @throws {TypeError} when a column holds neither dates nor numbers.
 * @category Charts
 */
export function plotLine(frame: DataFrame, options: PlotLineOptions): PlotChart {
  const asker = "plotLine";
  const settings = chartSettings(asker, options, LINE);
  requireNames(asker, settings, ["x", "y"]);
  const { x, y, color, label, unit, limit = MOST_LINES, from = frame, highlight } = settings;
  const columns = [x!, color, label].filter((name) => name !== undefined);
  requireColumns(frame, {
    asker,
    source: "any frame with the columns named",
    columns,
    numbers: [y!],
  });
  const across = acrossOf(frame, x!, asker);
  const all = linesOf(frame, settings, across.values).filter((line) => lastValue(line) !== null);
  const ranked = all.toSorted((a, b) => lastValue(b)! - lastValue(a)!);
  const kept = new Set(ranked.slice(0, limit));
  const lines = all.filter((line) => kept.has(line));
  const words = wordsFor(y!, unit);
  const periods = periodsOf(frame);
  const title = periods.every === null || x !== "date"
    ? words.title
    : words.title.replace(/, sum$/, ` per ${periods.every}`);
  const comma = title.includes(",") ? "," : "";
  const places = lines.flatMap(({ points }) => points.map(({ at }) => at));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const { locale, height = 380, scale = "auto" } = settings;
  const dayOf = (at: number) =>
    x === "date" ? periods.text(new Date(at), locale) : formatDay(new Date(at), locale);
  const span = across.dates && places.length > 0
    ? `${dayOf(first)} to ${dayOf(last)}`
    : fieldWords(x!).title;
  const missing =
    lines.flatMap(({ points }) => points).filter(({ value }) => value === null).length;
  const largest = lines.length <= MOST_COLORS ? undefined : ranked.slice(0, 6).map(({ id }) => id);
  const about = {
    title: settings.title ??
      (color === undefined ? title : `${title}${comma} by ${groupWord(label ?? color)}`),
    subtitle: settings.subtitle ??
      `${span}${lines.length > 1 ? `; ${countOf(lines.length, "line")}` : ""}`,
    label: lines.length === 0 ? emptyWords(frame) : describeLines(lines, words.unit),
    caption: captionOf(frame, settings, [
      ...all.length > lines.length
        ? [`${all.length} lines: drawn are the ${limit} that end highest.`]
        : [],
      ...largest !== undefined && highlight === undefined
        ? ["In colour: the six that end highest."]
        : [],
      ...missing === 0 ? [] : [`${countOf(missing, "value")} missing: a gap, which is not zero.`],
    ]),
  };
  const view = {
    ...{ ...lookOf(about, settings), height, words, scale, lines },
    ...{ highlight: highlight ?? largest, dates: across.dates },
    name: across.dates ? "" : fieldWords(x!).title,
  };
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).linesFigure({ ...view, width }),
  });
}
