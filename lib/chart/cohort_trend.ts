import { listed } from "../platform/terminal.ts";
import { oneOf } from "../platform/check_options.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import { drawnEvents, type EventOptions, someEvents } from "./event_lines.ts";
import { extentOf } from "./extent.ts";
import { formatDay } from "./format.ts";
import { numbersOf, POINTS } from "./numbers.ts";
import { aReference, type ReferenceOptions, referenceRules, referenceWords } from "./reference.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { daysText } from "./periods.ts";
import { effectDots, hollowText } from "./read/combined.ts";
import { unitsOf } from "./read/curves.ts";
import type { LinesPlan } from "./drawing/line_plan.ts";
import { completeRows, largest, lastValue, type Line, linesFrom, pointsOf } from "./read/lines.ts";
import type { Noun } from "../table/read/reading.ts";
import { groupsOf, readRecords } from "./read/rows.ts";
import {
  countedWords,
  countOf,
  inSentence,
  intervalName,
  joined,
  pluralOf,
  pText,
  rangeText,
  valueTexts,
} from "./words.ts";

const MOST = 24;
const STATISTICS = [
  ...["slope", "slope_lower", "slope_upper", "p_value", "break_p_value", "slope_pooled"],
  "p_adjusted",
] as const;
const BOUNDS = ["lower", "upper", "trend_lower", "trend_upper"] as const;
const RULES = { as: oneOf(["dots", "lines"]), events: someEvents, reference: aReference };

/** A group with its retention by cohort date, and the row of its trend. */
type Trend = ReturnType<typeof readTrends>["all"][number];

/** Reads the retention of groups by cohort date, and their fitted lines. */
function readTrends(
  frame: DataFrame,
  { fn, label }: { readonly fn: string; readonly label: string | undefined },
) {
  // Frames of one's own can have the columns of the whole in each row.
  const part = (kind: string) =>
    frame?.columns?.includes("row")
      ? frame.filter(pl.col("row").eq(pl.lit(kind))).drop("row")
      : frame;
  const [whole, dated] = [part("overall"), part("date")];
  const source = "a frame of cohortTrend";
  const rows = readRecords(dated, {
    fn,
    source,
    dates: ["date"],
    texts: [],
    numbers: ["month", "retention", "trend", ...BOUNDS],
  });
  const fits = readRecords(
    whole,
    { fn, source, texts: ["reason"], numbers: ["month", "confidence", ...STATISTICS] },
    { numbers: ["break_date"] },
  );
  const complete = completeRows(dated);
  const groups = groupsOf(dated, { fn, x: "date", label });
  const byGroup = new Map(
    groupsOf(whole, { fn, x: "date", label }).labels.map((name, at) => [name, fits[at]!]),
  );
  if (groups.labels.some((name) => !byGroup.has(name))) {
    throw new RangeError(`${fn}: frame: the row overall of a group is missing`);
  }
  const all = linesFrom(groups, (row) => {
    const { date: x, retention: y, lower, upper } = rows[row]!;
    const own = byGroup.get(groups.labels[row]!)!.slope === null ? { lower, upper } : {};
    return x === null ? null : { x, y, complete: complete[row]!, ...own };
  }).map((line) => ({ ...line, fit: byGroup.get(line.label)! }));
  const fitted = linesFrom(groups, (row) => {
    const { date: x, trend: y, trend_lower: lower, trend_upper: upper } = rows[row]!;
    return x === null ? null : { x, y, complete: true, lower, upper };
  });
  return { dated, groups, all, fitted };
}

/** Returns the trend of one group for the caption, or the reason why it has none. */
function trendResults(fit: Trend["fit"], { unit, interval, write, locale, together }: {
  readonly together: string;
  readonly unit: Noun | null;
  readonly interval: string;
  readonly write: (value: number) => string;
  readonly locale: string;
}): string[] {
  const { slope, slope_lower: lower, slope_upper: upper, slope_pooled: pooled } = fit;
  if (slope === null) return [fit.reason ?? ""];
  const bounds = lower === null || upper === null
    ? ""
    : `${interval} ${rangeText([lower, upper], write)}; `;
  return [
    joined([
      ...unit === null ? [] : [`Each ${unit.one} counts once: `],
      `${write(slope)} a year`,
      ` (${bounds}${pText(fit.p_value ?? NaN, locale)})`,
    ], ""),
    pooled !== null && Math.abs(pooled - slope) > 1e-9
      ? `${together}, with changes of the mix, ${write(pooled)}`
      : "",
  ];
}

/** Returns the smallest adjusted p value of several groups. */
function smallestText(fits: readonly Trend["fit"][], locale: string): string {
  const adjusted = fits.flatMap(({ p_adjusted }) => p_adjusted ?? []);
  return adjusted.length > 0 ? `smallest adjusted ${pText(extentOf(adjusted)[0], locale)}` : "";
}

/** Returns the plan of retention and trends: in one panel, or in a panel for each group. */
function linesOf(
  kept: readonly Trend[],
  fitted: readonly Line[],
  single: boolean,
): Pick<LinesPlan, "lines" | "x" | "y" | "panels"> {
  const lined = kept.some(({ fit }) => fit.slope !== null);
  return {
    lines: [
      ...kept.map((line) => ({
        ...line,
        ...single && line.id === "" && { label: "retention" },
        ...lined && { role: "joined" as const },
      })),
      ...fitted.filter(({ points }) => points.some(({ y }) => y !== null)).map((line) => (
        { ...line, label: "trend", plain: true, of: line.id, role: "strong" as const }
      )),
    ],
    x: { dates: true, name: "" },
    y: { unit: "fraction", name: "", scale: "linear", zero: !single },
    ...single ? {} : { panels: "auto" },
  };
}

/**
 * Draws the result of `cohortTrend`. One group has the retention in a given month after first use, by cohort date, and
 * the trend line within projects with its interval. A group without a trend has the intervals of its retention. If the p
 * value of the break (the largest change of the mean) is below 0.05, a line marks the break.
 *
 * Several groups have a dot each: the slope of the trend in percentage points a year, with its interval. A dot is hollow
 * if the interval contains 0. With `as: "lines"`, each group has a small panel with its retention and its trend line.
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
export function plotCohortTrend(
  frame: DataFrame,
  options:
    & {
      /**
       * How several groups are drawn: the slope of each as a dot (`"dots"`), or the retention of each in a panel
       * (`"lines"`).
       * @default {"dots"}
       */
      readonly as?: "dots" | "lines";
    }
    & EventOptions
    & ReferenceOptions
    & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotCohortTrend", options, RULES);
  const { fn, limit = MOST, locale, as = "dots", label, reference } = settings;
  const { dated, groups, all, fitted } = readTrends(frame, { fn, label });
  const { noun: unit, allowing } = unitsOf(dated);
  const words = countedWords(frame);
  const within = unit === null ? "" : ` within ${pluralOf(unit)}`;
  const { kept, ...left } = largest(all, { limit, sizeOf: lastValue }, "largest groups");
  const single = all.length === 1;
  const fit = all[0]?.fit;
  const write = numbersOf(kept.map(({ fit }) => fit.slope), { unit: POINTS, locale });
  const interval = intervalName([fit?.confidence ?? null], locale);
  const lined = kept.some(({ fit }) => fit.slope !== null);
  const broken = single && (fit?.break_p_value ?? 1) < 0.05 ? fit!.break_date : null;
  const untested = kept.filter(({ fit }) => !single && fit.slope === null)
    .map(({ label, fit }) => `${label}: ${fit.reason}`);
  const dots = !single && as === "dots";
  if (dots && settings.events !== undefined) {
    throw new RangeError(`${fn}: events: must not be given with several groups; use as: "lines"`);
  }
  const values = pointsOf(kept);
  const events = drawnEvents(settings.events, extentOf(values.map(({ x }) => x)));
  const goal = referenceWords(reference, dots ? POINTS : "fraction");
  const bounded = pointsOf([...kept, ...fitted]).some(({ lower = null }) => lower !== null);
  const bounds = dots ? "lines" : bounded ? "bands" : undefined;
  const { noun } = groups;
  const span = daysText(values.map(({ x }) => x), locale);
  return readyChart({
    again: plotCohortTrend,
    frame,
    settings,
    series: kept,
    empty: !values.some(({ y }) => y !== null),
    words: {
      what: `${dots ? `Trend of ${inSentence(words.retention)}` : words.retention} in month ${
        fit?.month ?? ""
      }`,
      of: single ? all[0]!.id && all[0]!.label : countOf(kept.length, noun),
      span: span === "" ? "" : `cohorts of ${span}`,
      said: dots
        ? [
          `Change${within}, in percentage points a year`,
          hollowText(kept.map(({ fit: { slope_lower: lower, slope_upper: upper } }) => (
            { lower, upper }
          ))),
        ]
        : [words.shareIn(`${fit?.month ?? ""}`)],
      results: single
        ? trendResults(fit!, { unit, interval, write, locale, together: words.together })
        : [smallestText(kept.map(({ fit }) => fit), locale)],
      kind: joined([dots ? "Dot plot" : "Line chart", goal && `with the line ${goal},`], " "),
      noun: single ? "line" : noun,
      rows: dots
        ? kept.map(({ label, fit }) =>
          `${label} ${fit.slope === null ? "no trend" : write(fit.slope)}`
        )
        : valueTexts(kept, "fraction", lastValue),
      rowsAre: dots ? "changes a year" : "last values",
      ...left,
      values: dots ? [] : values.filter(({ y }) => y !== null),
      period: (at) => daysText([at], locale),
      bounds,
      interval: dots || !lined ? interval : `${interval} of the trend`,
      allowing: !lined
        ? allowing
        : unit === null
        ? "not allowing for differences between units inside a group"
        : `allowing for changes that ${pluralOf(unit)} share`,
      notes: [
        untested.length > 0 && `No trend: ${listed(untested, 3)}.`,
        broken !== null && `The mean changes most after ${formatDay(new Date(broken), locale)}.`,
        events.note,
      ],
    },
    figure: (draw, look) => {
      if (dots) {
        const items = kept.map((
          { fit: { slope, slope_lower: lower, slope_upper: upper }, ...line },
        ) => ({ ...line, values: [slope], lower, upper }));
        const plan = effectDots(items, { title: "change a year", noun: noun.one, interval });
        return draw.barsFigure({ ...plan, reference }, look);
      }
      const rules = [
        ...broken === null ? [] : [{ x: broken, label: "break" }],
        ...events.rules,
        ...referenceRules(reference),
      ];
      const plan = linesOf(kept, fitted, single);
      const banded = bounds === "bands" ? { bounds, interval } as const : {};
      return draw.linesFigure({ ...plan, ...banded, rules }, look);
    },
  });
}
