import { columnIn } from "../table/track/descriptions.ts";
import { extentOf } from "./extent.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import { numbersOf, POINTS } from "./numbers.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { numberValues, readRecords } from "./read/rows.ts";
import { effectDots, hollowText } from "./read/combined.ts";
import { unitsOf } from "./read/curves.ts";
import { countOf, intervalName, joined, monthsText, pText } from "./words.ts";

/** The number of pairs of ten groups. More rows cannot be read. */
const MOST = 45;

/**
 * Draws the difference in retention between the two groups of a pair, in percentage points. A difference whose interval
 * contains 0 may be due to chance.
 *
 * Takes the result of `compareRetention`. One pair has a line over its months. A band joins the intervals of successive
 * months. Several pairs of one month have a dot each, with the interval of all pairs together (`lower_all`,
 * `upper_all`). A dot is hollow if this interval contains 0. The caption has the smallest adjusted p value. One pair in
 * one month is a dot, too.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, compareRetention, plotDifference, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * console.log(plotDifference(compareRetention(curves, { by: "market_sector_id", month: 3 })));
 * ```
 *
 * @param frame a frame of `compareRetention`
 * @throws {RangeError} when a column is missing, the frame has several pairs and several months or more than 45 pairs,
 * or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotDifference(frame: DataFrame, options: ChartOptions = {}): PlotChart {
  const settings = chartSettings("plotDifference", options);
  const { fn, locale } = settings;
  const given = readRecords(frame, {
    fn,
    source: "a frame of compareRetention",
    texts: ["group_a", "group_b"],
    numbers: ["month", "difference", "lower", "upper"],
  }, {
    texts: ["name_a", "name_b"],
    numbers: ["lower_all", "upper_all", "p_adjusted"],
  });
  const pairs = new Set(given.map((row) => `${row.group_a} − ${row.group_b}`)).size;
  const single = pairs === 1;
  const rows = given.map((row) => {
    const { month, difference, lower, upper } = row;
    const [a, b] = [row.name_a ?? row.group_a, row.name_b ?? row.group_b];
    const all = single ? { lower, upper } : {
      lower: row.lower_all ?? lower,
      upper: row.upper_all ?? upper,
    };
    const label = `${a} − ${b}`;
    if (single || (difference ?? 0) >= 0) return { a, b, label, month, difference, ...all };
    // Each of several pairs begins with the group that keeps more users.
    const minus = (value: number | null) => value === null ? null : -value;
    const bounds = { lower: minus(all.upper), upper: minus(all.lower) };
    return { a: b, b: a, label: `${b} − ${a}`, month, difference: minus(difference), ...bounds };
  });
  const months = [...new Set(rows.map(({ month }) => month!))].toSorted((a, b) => a - b);
  if (pairs > 1 && months.length > 1) {
    throw new RangeError(
      `${fn}: month: the frame has ${pairs} pairs and ${months.length} months; keep one pair or one month`,
    );
  }
  if (pairs > MOST) {
    throw new RangeError(
      `${fn}: groups: the frame has ${pairs} pairs, at most ${MOST} can be drawn; ` +
        "name fewer groups in the option groups of compareRetention",
    );
  }
  const values = rows.map(({ difference }) => difference);
  // How long users stay is compared in months, or in amounts for each unit of month 0.
  const stays = frame.columns.includes("cumulative_a");
  const inMonths = stays && columnIn(frame, "difference")?.unit === "months";
  const unit = !stays ? POINTS : inMonths ? "months" : "count";
  const named = !stays ? "percentage points" : inMonths ? "active months" : "parts of month 0";
  const write = numbersOf(values, { unit, locale, format: settings.format });
  const adjusted = given.flatMap(({ p_adjusted: p }) => p ?? []);
  const p = pText(extentOf(adjusted)[0], locale);
  const interval = intervalName(numberValues(frame, "confidence"), locale);
  const untested = rows.filter(({ lower }) => lower === null).length;
  // One month has no line.
  const dots = !single || months.length === 1;
  const [first] = rows;
  const drawn = rows.map(({ month, difference, lower, upper }) => (
    { x: month!, y: difference, complete: true, lower, upper }
  )).toSorted((a, b) => a.x - b.x);
  const ordered = rows.toSorted((a, b) => (b.difference ?? -2) - (a.difference ?? -2));
  const banded = drawn.some(({ x, lower }, at) =>
    lower !== null && drawn[at + 1]?.x === x + 1 && drawn[at + 1]!.lower !== null
  );
  const bounds = untested === rows.length
    ? undefined
    : dots
    ? "lines"
    : banded
    ? "bands"
    : "whiskers";
  const items = rows.map(({ label, difference, lower, upper }) => (
    { id: "", label, values: [difference], lower, upper }
  ));
  return readyChart({
    again: plotDifference,
    frame,
    settings,
    empty: values.every((value) => value === null),
    words: {
      what: single
        ? `${stays ? "Stay" : "Retention"} of ${first!.a} minus that of ${first!.b}`
        : `Difference in ${stays ? "how long cohorts stay" : "retention"}`,
      of: single ? "" : countOf(pairs, "pair"),
      span: monthsText(months),
      said: [
        single ? `In ${named}` : `First group minus second, in ${named}`,
        `above 0: ${single ? first!.a : "the first group"} keeps more`,
        dots ? hollowText(rows) : "",
      ],
      results: adjusted.length === 0
        ? []
        : [joined([adjusted.length > 1 ? "smallest adjusted" : "test of no difference:", p], " ")],
      kind: dots ? "Dot plot" : "Line chart",
      noun: dots ? "pair" : "month",
      rows: ordered.map(({ label, month, difference }) =>
        `${label} ${difference === null ? "no value" : write(difference)} in month ${month}`
      ),
      // The figure names the gaps of a line.
      values: dots ? drawn : drawn.filter(({ y }) => y !== null),
      bounds,
      interval: single ? interval : `${interval} of all pairs together`,
      allowing: unitsOf(frame, ["cluster_a", "cluster_b"]).allowing,
      notes: [untested > 0 && `No interval, not tested: ${untested} of ${rows.length}.`],
    },
    figure: (draw, look) =>
      dots
        ? draw.barsFigure(
          effectDots(items, { title: "difference", noun: "pair", interval, unit }),
          look,
        )
        : draw.linesFigure({
          lines: [{ id: "", label: first!.label, points: drawn }],
          x: { name: "Months since the cohort began", months: true },
          y: { unit, name: "", scale: "linear", zero: true },
          ...bounds === undefined ? {} : { bounds: "bands", interval },
          rules: [{ y: 0, label: "no difference" }],
        }, look),
  });
}
