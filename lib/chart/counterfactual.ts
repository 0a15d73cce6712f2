import { dayOf } from "../schema/period.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import { entityNoun } from "../table/read/reading.ts";
import type { PlotChart } from "./chart.ts";
import { type Figures, readyChart } from "./ready_chart.ts";
import type { LinesPlan, RuleLine } from "./drawing/line_plan.ts";
import { drawnEvents, type EventLine, type EventOptions, someEvents } from "./event_lines.ts";
import { extentOf } from "./extent.ts";
import { formatDay } from "./format.ts";
import type { FigureBody, Look } from "./look.ts";
import { axisName, type Measure, measureOf } from "./measures.ts";
import { numbersOf } from "./numbers.ts";
import { type ChartOptions, chartSettings, type Settings } from "./options.ts";
import { columnIn } from "../table/track/descriptions.ts";
import { daysText, writtenAs } from "./periods.ts";
import { datedFrame, groupsOf, readRecords, textValues } from "./read/rows.ts";
import { type Line, linesFrom } from "./read/lines.ts";
import { bareTitle, countOf, inSentence, joined, type Note, pText } from "./words.ts";

/**
 * Maximum error of a drawn placebo before the event, as a multiple of the error of the treated unit. Placebos with
 * larger errors would stretch the axis.
 */
const WORST = 5;
/** The caption states a held-out error of at least this times the error of the fit. */
const UNSEEN = 2;
const DATES = ["date", "event"] as const;
const TEXTS = ["role", "method", "scale", "field", "fit"] as const;
const NUMBERS = [
  ...["observed", "expected", "gap", "lower", "upper", "rmse_before", "rmse_held_out"] as const,
  ...["p_value", "total_percent", "effect", "effect_lower", "effect_upper"] as const,
  ...["smallest_p", "confidence"] as const,
];
const METHODS: Readonly<Record<string, string>> = {
  did: "difference in differences",
  synthetic: "synthetic control",
  sdid: "synthetic difference in differences",
};
const RULES = { events: someEvents };

/** The treated unit and its placebos, with what the frame states about the whole. */
type Units = ReturnType<typeof readUnits>;

/** Reads the rows of a kind, and the ids of their entities. */
function readPart(frame: DataFrame, kind: "overall" | "date", fn: string) {
  const part = frame?.columns?.includes("row")
    ? frame.filter(pl.col("row").eq(pl.lit(kind))).drop("row")
    : frame;
  const source = "a frame of counterfactual";
  const records = readRecords(part, { fn, source, texts: TEXTS, numbers: NUMBERS, dates: DATES });
  const [entity = ""] = part.columns;
  return { part, records, entity, ids: textValues(part, entity).map(String) };
}

/** Reads the lines of gaps of the treated unit, which is first, and of the placebos. */
function readUnits(given: DataFrame, { fn, unit }: Settings) {
  const frame = datedFrame(given, fn);
  const whole = readPart(frame, "overall", fn);
  const { part, records: rows, entity, ids } = readPart(frame, "date", fn);
  const [first] = whole.records;
  if (rows.length > 0 && first?.role !== "treated") {
    throw new RangeError(`${fn}: frame: the row overall of the treated entity is missing`);
  }
  const overall = new Map(whole.records.map((row, at) => [whole.ids[at]!, row]));
  const log = first?.scale === "log";
  // Converts a difference of logarithms to a relative difference, which is easier to read.
  const relative = (value: number | null) =>
    value === null ? null : log ? Math.expm1(value) : value;
  const units = linesFrom({ ...groupsOf(part, { fn, x: "date", by: entity }), ids }, (row) => {
    const { date, gap, lower, upper } = rows[row]!;
    const [y, low, high] = [gap, lower, upper].map(relative);
    return { x: date!, complete: true, y: y!, lower: low!, upper: high! };
  });
  const [treated] = units;
  const fitted = units.slice(1).filter(({ rows: [row] }) => rows[row!]!.role === "placebo");
  const ofUnit = ({ rows: [row] }: typeof units[number]) => overall.get(ids[row!]!);
  const placebos = fitted.filter((each) =>
    ofUnit(each)!.rmse_held_out! <= WORST * first!.rmse_held_out!
  );
  const measure = measureOf(frame, first?.field ?? "null", { unit, as: "observed" });
  const count = fitted.length + 1;
  const rank = Math.round((first?.p_value ?? 0) * count);
  const poor = first?.fit === "poor";
  // Curves have no column `retention` of periods: their dates are months, of which every third one is no quarter.
  const areCurves = first?.field === "retention" && columnIn(frame, "observed")?.of === undefined;
  return {
    ...{ rows, first, treated, placebos, measure, log, relative, count, rank, poor },
    totals: fitted.flatMap((each) => ofUnit(each)?.total_percent ?? []),
    noun: entityNoun(frame, { entity: [entity] }),
    left: fitted.length - placebos.length,
    name: treated?.label ?? "",
    unit: log ? "change" : measure.unit,
    // An effect that the placebos do not set apart is not stated as a number.
    isStated: !poor && ((first?.p_value ?? 1) <= 0.1 || rank === 1),
    banded: !poor && rows.some(({ lower }) => lower !== null),
    sure: `${Math.round(100 * (first?.confidence ?? 0.95))}%`,
    written: areCurves ? "month" : writtenAs(frame),
  };
}

/** Returns the result for the subtitle, and the results of the caption. */
function resultsOf(units: Units, { locale, format }: Settings) {
  const { first, relative, unit, sure, isStated, rank, count, noun, measure, log, totals } = units;
  const effects = (["effect", "effect_lower", "effect_upper"] as const)
    .flatMap((column) => relative(first?.[column] ?? null) ?? []);
  const [effect = null, low, high] = effects.map(numbersOf(effects, { unit, locale, format }));
  const interval = high === undefined
    ? ""
    : ` (${sure} interval ${low} to ${high}, if it is constant)`;
  const total = first?.total_percent ?? null;
  const percents = [total ?? NaN, ...extentOf(totals)].map((each) => each / 100);
  const [sum, least, most] = percents.map(numbersOf(percents, { unit: "change", locale }));
  const range = totals.length === 0 ? "" : ` (placebos ${least} to ${most})`;
  const place = rank === 1 ? `largest of ${count}` : `rank ${rank} of ${count}`;
  const what = inSentence(bareTitle(measure.title));
  return {
    result: isStated && total !== null ? `${sum} of ${what}, ${place}` : "",
    results: [
      isStated && total !== null
        ? `mean after the event ${sum} against the expected mean${range}`
        : "",
      isStated && effect !== null
        ? `${log ? "geometric mean of the ratios" : "mean effect"} ${effect}${interval}`
        : "",
      `rank ${rank} of ${noun.counted(count)} by the size of the change`,
      (first?.smallest_p ?? 1) > 0.05
        ? `with ${count}, no test at 5% is possible`
        : pText(first?.p_value ?? 1, locale),
    ],
  };
}

/** Returns a note on an error before the event that is larger at dates that the fit did not use. */
function errorNote({ first, log, measure }: Units, { locale, format }: Settings): Note {
  const errors = [first?.rmse_before ?? 0, first?.rmse_held_out ?? 0]
    .map((error) => log ? Math.expm1(error) : error);
  const unit = log ? "fraction" : measure.unit;
  const [seen, unseen] = errors.map(numbersOf(errors, { unit, locale, format }));
  return errors[1]! > UNSEEN * errors[0]! &&
    `Before the event, expected values miss by ${seen} at the dates of the fit, and by ` +
      `${unseen} at dates that it did not use.`;
}

/** Returns the vertical lines: that of the event, between the last period before it and the first after it, and others. */
function rulesOf({ rows, first, treated }: Units, events: readonly EventLine[]): RuleLine[] {
  const event = first?.event ?? null;
  const others = events.filter(({ x }) =>
    event === null || dayOf(new Date(x)) !== dayOf(new Date(event))
  );
  if (event === null) return others;
  const dates = (treated?.rows ?? []).flatMap((row) => rows[row]!.date ?? []);
  const [, before] = extentOf(dates.filter((date) => date < event));
  const [after] = extentOf(dates.filter((date) => date >= event));
  const name = events.find((each) => !others.includes(each))?.label ?? "event";
  return [{ x: (before + after) / 2, label: name }, ...others];
}

/** Draws the observed and the expected values above their difference, with the dates of both panels aligned. */
function panelsOf(units: Units, rules: readonly RuleLine[], { draw, look }: {
  readonly draw: Figures;
  readonly look: Look;
}): FigureBody {
  const { rows, treated, placebos, measure, unit, log, name, banded, sure } = units;
  const own = treated!.rows.map((row) => rows[row]!).filter(({ date }) => date !== null);
  const lineOf = (label: "observed" | "expected", id: string): Line => ({
    id,
    label,
    role: label === "observed" ? "strong" : "reference",
    points: own.map((row) => ({ x: row.date!, complete: true, y: row[label] })),
  });
  const x = { dates: true, name: "" };
  const values: LinesPlan = {
    x,
    rules,
    lines: [lineOf("observed", treated!.id), lineOf("expected", "")],
    between: ["observed", "expected"],
    y: { unit: measure.unit, name: "" },
  };
  const gaps: LinesPlan = {
    x,
    // The upper panel has the names of the lines.
    rules: rules.map((rule) => ({ ...rule, label: "" })),
    lines: [{ ...treated!, role: "strong" }, ...placebos],
    background: true,
    y: { unit, name: "" },
    ...banded ? { bounds: "bands" as const, interval: `pointwise ${sure} interval` } : {},
  };
  const half = { ...look, height: look.height ?? 230, highlight: ["observed", "expected"] };
  const bodies = (sides?: LinesPlan["sides"]) => [
    draw.linesFigure({ ...values, ...sides && { sides } }, half),
    draw.linesFigure({ ...gaps, ...sides && { sides } }, { ...half, highlight: [name] }),
  ];
  // Draws the panels twice. The first drawing measures the margins that each panel needs. The second drawing gives all
  // panels the same margins, so that the dates are aligned.
  const needed = bodies().flatMap(({ panels }) => panels);
  const [, left] = extentOf(needed.map(({ marginLeft = 0 }) => marginLeft));
  const [, right] = extentOf(needed.map(({ marginRight = 0 }) => marginRight));
  const aligned = bodies({ left, right });
  const titles = [axisName(measure), differenceName(measure, log)];
  return {
    panels: aligned.flatMap(({ panels, axis = "" }, at) =>
      panels.map((panel) => ({ ...panel, title: joined([titles[at]!, axis], ", ") }))
    ),
    rows: aligned.flatMap(({ rows }) => rows),
    notes: aligned[0]!.notes ?? [],
    columns: 1,
    gap: 8,
    legend: [],
  };
}

function differenceName({ axis }: Measure, log: boolean): string {
  return log ? "Observed against expected" : joined(["Observed minus expected", axis], ", ");
}

/**
 * Draws the result of `counterfactual`: the upper panel shows the observed and the expected values of the treated unit,
 * and the lower panel shows their difference. Placebos are gray, and a line marks the event. An event of the option `events`
 * on the day of the event names this line.
 *
 * The subtitle begins with the mean of the values after the event against the expected mean, and the caption has it with
 * the range of the placebos. Neither has an effect if the fit is poor, or if p is above .1 and another unit has a larger
 * ratio.
 *
 * A placebo is left out if its held-out error is more than five times that of the treated unit. The caption states the
 * number of placebos that are left out. Confidence bounds are drawn if the frame has bounds.
 *
 * @example
 * ```ts
 * import { counterfactual, plotCounterfactual, timeline } from "@chainframe/chainframe";
 *
 * const tvl = await timeline({
 *   metric_ids: ["tvl"],
 *   group_by: "chains",
 *   every: "week",
 *   from: "2025-07-07",
 *   to: "2026-03-29",
 * });
 * const result = counterfactual(tvl, {
 *   field: "tvl_avg",
 *   starts: { fjord: "2026-01-05" },
 *   scale: "log",
 * });
 * console.log(plotCounterfactual(result));
 * ```
 *
 * @param frame a frame of `counterfactual`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotCounterfactual(
  frame: DataFrame,
  options: EventOptions & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotCounterfactual", options, RULES);
  const { locale } = settings;
  const units = readUnits(frame, settings);
  const { first, treated, placebos, measure, name, poor, left, banded, sure } = units;
  const event = first?.event ?? null;
  const day = event === null ? "" : formatDay(new Date(event), locale);
  const dates = units.rows.flatMap(({ date }) => date ?? []);
  const events = drawnEvents(settings.events, extentOf(dates));
  const { result, results } = resultsOf(units, settings);
  return readyChart({
    again: plotCounterfactual,
    frame,
    settings,
    series: treated === undefined ? [] : [treated],
    empty: treated?.points.some(({ y }) => y !== null) !== true,
    words: {
      what: measure.title,
      of: `${name}, observed and expected`,
      span: daysText(dates, locale, units.written),
      said: [
        result,
        `event on ${day}`,
        METHODS[first?.method ?? ""] ?? "",
        poor ? `${name} differs from the expected values already before the event` : "",
      ],
      results,
      kind: "Lines of observed and expected values, and of their difference beside those",
      noun: "placebo",
      rows: placebos.map(({ label }) => label),
      notes: [
        placebos.length > 0 &&
        "Gray: placebos, other units analyzed as if the event had happened to them, without the treated unit.",
        errorNote(units, settings),
        banded && `Shaded: ${sure} interval of each date by itself, from the gaps of the placebos.`,
        left > 0 &&
        `Not drawn, but counted in the rank: ${
          countOf(left, "placebo")
        } with a poor fit before the event.`,
        events.note,
      ],
    },
    figure: (draw, look) => panelsOf(units, rulesOf(units, events.rules), { draw, look }),
  });
}
