import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import { drawnEvents, type EventOptions, someEvents } from "./event_lines.ts";
import { extentOf } from "./extent.ts";
import { formatMonth } from "./format.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { daysText } from "./periods.ts";
import { onlyGroup, readRecords } from "./read/rows.ts";
import { lastValue, linesFrom, sumBy } from "./read/lines.ts";
import { countedWords, countOf, joined, valueTexts } from "./words.ts";

/** Half of the distance between two bars, in milliseconds. */
const HALF_MONTH = 15 * 86_400_000;

/**
 * Draws the result of `cohortLayers` as stacked bars: the active users of each calendar month, with the oldest cohorts
 * at the bottom.
 *
 * The data has no values for cohorts older than 11 months. Users of these cohorts are not in the bars, and the caption
 * states this.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, cohortLayers, plotLayers, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(plotLayers(cohortLayers(curves)));
 * ```
 *
 * @param frame a frame of `cohortLayers`, with one group
 * @throws {RangeError} when columns are missing, the frame holds several groups, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotLayers(
  frame: DataFrame,
  options: EventOptions & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotLayers", options, { events: someEvents });
  const { fn, locale } = settings;
  const rows = readRecords(frame, {
    fn,
    source: "a frame of cohortLayers",
    dates: ["date", "cohort_date"],
    numbers: ["active", "total", "older_cohorts", "left_out"],
  }, { numbers: ["month"] });
  const name = onlyGroup(frame, fn);
  const words = countedWords(frame, "active");
  const last = Math.max(0, ...rows.map(({ month }) => month ?? 0));
  const month = (at: number) => formatMonth(new Date(at), locale);
  const born = rows.map(({ cohort_date }) => cohort_date!);
  const lines = linesFrom({ labels: born.map(String), ids: born.map(() => "") }, (row) => {
    const { date, active } = rows[row]!;
    return { x: date!, y: active, complete: true };
  }).map((line) => ({ ...line, label: month(Number(line.label)), born: Number(line.label) }))
    .toSorted((a, b) => a.born - b.born);
  const unknown = rows.find(({ older_cohorts }) => older_cohorts! > 0)?.date ?? null;
  const gaps = sumBy(rows, ({ left_out }) => left_out);
  const events = drawnEvents(settings.events, extentOf(rows.map(({ date }) => date!)));
  return readyChart({
    again: plotLayers,
    frame,
    settings,
    empty: rows.every(({ active }) => active === null),
    words: {
      what: joined([words.active, name ?? ""], " of ") + " by month of arrival",
      span: daysText(rows.map(({ date }) => date!), locale),
      said: [words.arrived(countOf(last + 1, "month"))],
      kind: "Stacked bars",
      noun: "monthly cohort",
      rows: valueTexts(lines, "count", lastValue),
      rowsAre: words.last,
      notes: [
        unknown !== null &&
        `From ${month(unknown)} on, the bars lack ${words.lacking(countOf(last, "month"))}.`,
        gaps > 0 && `Empty: no value (${countOf(gaps, "month")} of cohorts).`,
        events.note,
      ],
    },
    figure: (draw, look) =>
      draw.stacksFigure({
        lines,
        order: "Arrived",
        y: { unit: "count", name: "" },
        rules: [
          ...unknown === null ? [] : [{ x: unknown - HALF_MONTH, label: "older cohorts unknown" }],
          ...events.rules,
        ],
      }, look),
  });
}
