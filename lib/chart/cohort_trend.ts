import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { formatDay } from "./format.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { numberValues } from "./rows.ts";
import { largest, lastValue, type Line, readLines } from "./series.ts";
import { described, drawnNote, valueTexts } from "./words.ts";

const MOST = 8;

/**
 * Draws the result of `cohortTrend`: retention of one month by cohort date. For a single group, it also draws 95%
 * intervals, the trend, and a line at the break if the p value of the break is below 0.05.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, cohortTrend, plotCohortTrend, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * console.log(plotCohortTrend(cohortTrend(curves, { month: 3, every: "quarter" })));
 * ```
 *
 * @param frame a frame of `cohortTrend`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotCohortTrend(frame: DataFrame, options: ChartOptions = {}): PlotChart {
  const fn = "plotCohortTrend";
  const settings = chartSettings(fn, options, {});
  const { limit = MOST, locale } = settings;
  const statistics = ["slope", "slope_lower", "slope_upper", "p_value", "break_p_value"];
  requireColumns(frame, {
    fn,
    source: "a frame of cohortTrend",
    columns: ["date", "break_date", "reason"],
    numbers: ["month", "retention", "lower", "upper", "trend", "confidence", ...statistics],
  });
  const { lines } = readLines(frame, { x: "date", y: "retention" }, fn);
  const kept = lines.length > limit ? largest(lines, { limit, sizeOf: lastValue }).kept : lines;
  const single = lines.length === 1;
  const value = (name: string) => numberValues(frame, name)[0] ?? null;
  const points = (share: number | null) =>
    share === null
      ? ""
      : (share * 100).toLocaleString(locale, { maximumFractionDigits: 1 }).replace("-", "−");
  const [slope, lower, upper] = statistics.slice(0, 3).map((name) => points(value(name)));
  const p = (value("p_value") ?? NaN).toLocaleString(locale, { maximumSignificantDigits: 2 });
  const sure = Math.round(100 * (value("confidence") ?? 0.95));
  const first = (name: string) => [...frame.getColumn(name)][0] as unknown ?? null;
  const reason = first("reason") as string | null;
  const said = !single
    ? `${lines.length} groups`
    : reason ?? `Slope ${slope} points a year (${sure}% interval ${lower} to ${upper}; p ${p})`;
  const broken = single && (value("break_p_value") ?? 1) < 0.05
    ? first("break_date") as Date | null
    : null;
  const banded = single && kept.some((line) => line.points.some((point) => point.lower !== null));
  const trend = numberValues(frame, "trend");
  const fitted: Line[] = single && trend.some((each) => each !== null)
    ? [{
      id: "",
      label: "trend",
      plain: true,
      points: lines[0]!.points.map((point, row) => ({
        x: point.x,
        complete: true,
        y: trend[row] ?? null,
      })),
    }]
    : [];
  const named = valueTexts(kept, "share", lastValue);
  return readyChart({
    frame,
    settings,
    empty: !kept.some((line) => lastValue(line) !== null),
    words: {
      title: `Retention in month ${value("month") ?? ""} by first month of the cohorts`,
      subtitle: said,
      label: `${described("Line chart", named, { noun: "line", what: "last values" })} ${said}.`,
      notes: {
        interval: banded
          ? [`Whiskers: ${sure}% intervals, allowing for differences between projects.`]
          : [],
        leftOut: [
          drawnNote(kept.length, lines.length, "largest groups"),
          ...broken === null ? [] : [`The mean changes most after ${formatDay(broken, locale)}.`],
        ],
      },
    },
    figure: (draw, look) =>
      draw.linesFigure({
        lines: [
          ...kept.map((line) => single && line.id === "" ? { ...line, label: "retention" } : line),
          ...fitted,
        ],
        x: { dates: true, name: "" },
        y: { unit: "share", name: "retention, %", scale: "linear", zero: true },
        ...banded ? { bounds: "whiskers" as const, interval: `${sure}% interval` } : {},
        rules: broken === null ? [] : [{ x: broken.getTime(), label: "break" }],
      }, { ...look, colors: { ...look.colors, ...single ? { retention: "#096bac" } : {} } }),
  });
}
