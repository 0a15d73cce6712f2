import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type PlotChart, readyChart } from "./draw.ts";
import { countOf, formatDay } from "./format.ts";
import { captionOf } from "./notes.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { daysText } from "./periods.ts";
import { namesBefore, recordsOf } from "./read/rows.ts";
import { largest, lastValue, type Line, readLines } from "./read/lines.ts";
import { valueTexts } from "./words.ts";

const MOST = 8;
/** With fewer periods, the test finds breaks too often if errors are autocorrelated. */
const FEW_PERIODS = 20;
const STATISTICS = [
  ...["slope", "slope_lower", "slope_upper", "p_value", "break_p_value", "slope_pooled"],
  ...["slope_mix", "within"],
] as const;

/**
 * Draws the result of `cohortTrend`: the retention in a given month after first use, by cohort date. If there is only
 * one group, it has 95% intervals and the trend line within projects. If the group has several projects, a second line
 * shows the retention without changes of their mix. If the p value of the break (the largest change of the mean) is
 * below 0.05, a line marks the break.
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
  requireColumns(frame, {
    fn,
    source: "a frame of cohortTrend",
    columns: ["date", "break_date", "reason"],
    numbers: ["month", "retention", "lower", "upper", "trend", "confidence", ...STATISTICS],
  });
  const names = namesBefore(frame, "date");
  const { lines } = readLines(frame, { field: "retention", x: "date", names }, fn);
  const few = largest(lines, { limit, sizeOf: lastValue }, "largest groups");
  const kept = few.note === false ? lines : few.kept;
  const single = lines.length === 1;
  const rows = recordsOf(frame, {
    numbers: ["month", "trend", "confidence", "break_date", ...STATISTICS],
    texts: ["reason"],
  });
  const [first] = rows;
  const number = (value: number | null | undefined, options: Intl.NumberFormatOptions) =>
    value == null ? "" : value.toLocaleString(locale, options).replace("-", "−");
  const points = (share: number | null | undefined) =>
    number(share == null ? null : 100 * share, { maximumFractionDigits: 1 });
  const sure = Math.round(100 * (first?.confidence ?? 0.95));
  const mixed = single &&
    rows.some(({ trend, within }, row) =>
      trend !== null && Math.abs(within! - (lines[0]!.points[row]?.y ?? within!)) > 1e-9
    );
  const mix = mixed
    ? `; all users together ${points(first?.slope_pooled)}, of which mix of projects ${
      points(first?.slope_mix)
    }`
    : "";
  const said = !single
    ? ""
    : first?.slope == null
    ? first?.reason ?? ""
    : `Slope${mixed ? " within projects" : ""} ${
      points(first.slope)
    } points a year (${sure}% interval ${points(first.slope_lower)} to ${
      points(first.slope_upper)
    }; p ${number(first.p_value ?? NaN, { maximumSignificantDigits: 2 })})${mix}`;
  const broken = single && (first?.break_p_value ?? 1) < 0.05 ? first!.break_date : null;
  const banded = single && kept.some((line) => line.points.some((point) => point.lower !== null));
  const lineOf = (label: string, name: "trend" | "within"): Line => ({
    id: name === "trend" ? "" : name,
    label,
    plain: true,
    points: lines[0]!.points.map(({ x }, row) => ({
      x,
      complete: true,
      y: rows[row]?.[name] ?? null,
    })),
  });
  const fitted = [
    ...mixed ? [lineOf("without changes of the mix", "within")] : [],
    ...single && first?.slope != null ? [lineOf("trend", "trend")] : [],
  ];
  const span = daysText(kept.flatMap(({ points }) => points.map(({ x }) => x)), locale);
  return readyChart({
    frame,
    settings: single
      ? { ...settings, colors: { retention: "#096bac", ...settings.colors } }
      : settings,
    series: kept,
    empty: !kept.some((line) => lastValue(line) !== null),
    ...captionOf({
      what: `Retention in month ${first?.month ?? ""}`,
      of: single ? lines[0]!.id : countOf(kept.length, "group"),
      span: span === "" ? "" : `cohorts of ${span}`,
      said: [said],
      kind: "Line chart",
      noun: "line",
      rows: valueTexts(kept, "fraction", lastValue),
      rowsAre: "last values",
      dropped: few.note,
      values: kept.flatMap(({ points }) => points),
      ...banded
        ? {
          bounds: "whiskers",
          interval: `${sure}% interval`,
          allowing: "allowing for differences between projects",
        } as const
        : {},
      notes: [
        broken !== null && `The mean changes most after ${formatDay(new Date(broken), locale)}.`,
        broken !== null && rows.filter(({ trend }) => trend !== null).length < FEW_PERIODS &&
        "With fewer than 20 periods and autocorrelated errors, a break is found too often.",
      ],
    }),
    figure: (draw, look) =>
      draw.linesFigure({
        lines: [
          ...kept.map((line) => single && line.id === "" ? { ...line, label: "retention" } : line),
          ...fitted,
        ],
        x: { dates: true, name: "" },
        y: { unit: "fraction", name: "", scale: "linear", zero: true },
        ...banded ? { bounds: "whiskers" as const, interval: `${sure}% interval` } : {},
        rules: broken === null ? [] : [{ x: broken, label: "break" }],
      }, look),
  });
}
