import { type DataFrame, pl } from "../table/columns/polars.ts";
import { entityNoun } from "../table/read/reading.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { LinesPlan } from "./drawing/line_plan.ts";
import { formatDay } from "./format.ts";
import { numbersOf } from "./numbers.ts";
import { axisName, measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { daysText, writtenAs } from "./periods.ts";
import { groupsOf, readRecords, textValues } from "./read/rows.ts";
import { type Line, linesFrom } from "./read/lines.ts";
import { countOf, joined, pText } from "./words.ts";

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

/**
 * Draws the result of `counterfactual`: the upper panel shows the observed and the expected values of the treated unit,
 * and the lower panel shows their difference. Placebos are gray, and a line marks the event.
 *
 * The caption begins with the mean of the values after the event against the expected mean, and the range of the placebos.
 * It has no effect if the fit is poor, or if p is above .1 and another unit has a larger ratio.
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
export function plotCounterfactual(frame: DataFrame, options: ChartOptions = {}): PlotChart {
  const settings = chartSettings("plotCounterfactual", options);
  const { fn, locale } = settings;
  const read = (kind: string) => {
    const part = frame?.columns?.includes("row")
      ? frame.filter(pl.col("row").eq(pl.lit(kind))).drop("row")
      : frame;
    const source = "a frame of counterfactual";
    const records = readRecords(part, { fn, source, texts: TEXTS, numbers: NUMBERS, dates: DATES });
    const [entity] = part.columns;
    return { part, records, entity: entity!, ids: textValues(part, entity!).map(String) };
  };
  const whole = read("overall");
  const { part: dated, records: rows, entity, ids } = read("date");
  const [first] = whole.records;
  if (rows.length > 0 && first?.role !== "treated") {
    throw new RangeError(`${fn}: frame: the row overall of the treated entity is missing`);
  }
  const overall = new Map(whole.records.map((row, at) => [whole.ids[at]!, row]));
  const log = first?.scale === "log";
  // Converts a difference of logarithms to a relative difference, which is easier to read.
  const relative = (value: number | null) =>
    value === null ? null : log ? Math.expm1(value) : value;
  const units = linesFrom({ ...groupsOf(dated, { fn, x: "date", by: entity }), ids }, (row) => {
    const { date, gap, lower, upper } = rows[row]!;
    const [y, low, high] = [gap, lower, upper].map(relative);
    return { x: date!, complete: true, y: y!, lower: low!, upper: high! };
  });
  const [treated] = units;
  const fitted = units.slice(1).filter(({ rows: [row] }) => rows[row!]!.role === "placebo");
  const ofUnit = ({ rows: [row] }: typeof units[number]) => overall.get(ids[row!]!);
  const placebos = fitted.filter((unit) =>
    ofUnit(unit)!.rmse_held_out! <= WORST * first!.rmse_held_out!
  );
  const left = fitted.length - placebos.length;
  const measure = measureOf(frame, first?.field ?? "null", { unit: settings.unit, as: "observed" });
  const name = treated?.label ?? "";
  const all = fitted.length + 1;
  const rank = Math.round((first?.p_value ?? 0) * all);
  const poor = first?.fit === "poor";
  // An effect that the placebos do not set apart is not stated as a number.
  const isStated = !poor && ((first?.p_value ?? 1) <= 0.1 || rank === 1);
  const unit = log ? "change" : measure.unit;
  const sure = `${Math.round(100 * (first?.confidence ?? 0.95))}%`;
  const effects = (["effect", "effect_lower", "effect_upper"] as const)
    .flatMap((column) => relative(first?.[column] ?? null) ?? []);
  const writing = { locale, format: settings.format };
  const [effect = null, low, high] = effects.map(numbersOf(effects, { unit, ...writing }));
  const interval = high === undefined
    ? ""
    : ` (${sure} interval ${low} to ${high}, if it is constant)`;
  const total = first?.total_percent ?? null;
  const totals = fitted.flatMap((each) => ofUnit(each)?.total_percent ?? []);
  const percents = [total ?? NaN, Math.min(...totals), Math.max(...totals)].map((each) =>
    each / 100
  );
  const [sum, least, most] = percents.map(numbersOf(percents, { unit: "change", locale }));
  const range = totals.length === 0 ? "" : ` (placebos ${least} to ${most})`;
  const errors = [first?.rmse_before ?? 0, first?.rmse_held_out ?? 0]
    .map((error) => log ? Math.expm1(error) : error);
  const [seen, unseen] = errors.map(
    numbersOf(errors, { unit: log ? "fraction" : measure.unit, ...writing }),
  );
  const event = first?.event ?? null;
  const day = event === null ? "" : formatDay(new Date(event), locale);
  const banded = !poor && rows.some(({ lower }) => lower !== null);
  return readyChart({
    again: plotCounterfactual,
    frame,
    settings,
    series: treated === undefined ? [] : [treated],
    empty: treated === undefined,
    words: {
      what: measure.title,
      of: `${name}, observed and expected`,
      span: daysText(rows.map(({ date }) => date!), locale, writtenAs(frame)),
      said: [
        `Event on ${day}`,
        METHODS[first?.method ?? ""] ?? "",
        poor ? `${name} differs from the expected values already before the event` : "",
      ],
      results: [
        isStated && total !== null
          ? `mean after the event ${sum} against the expected mean${range}`
          : "",
        isStated && effect !== null
          ? `${log ? "geometric mean of the ratios" : "mean effect"} ${effect}${interval}`
          : "",
        `rank ${rank} of ${
          entityNoun(frame, { entity: [entity] }).counted(all)
        } by the size of the change`,
        (first?.smallest_p ?? 1) > 0.05
          ? `with ${all}, no test at 5% is possible`
          : pText(first?.p_value ?? 1, locale),
      ],
      kind: "Lines of observed and expected values, and of their difference beside those",
      noun: "placebo",
      rows: placebos.map(({ label }) => label),
      notes: [
        placebos.length > 0 &&
        "Gray: placebos, other units analyzed as if the event had happened to them, without the treated unit.",
        errors[1]! > UNSEEN * errors[0]! &&
        `Before the event, expected values miss by ${seen} at the dates of the fit, and by ` +
          `${unseen} at dates that it did not use.`,
        banded && `Shaded: ${sure} interval of each date by itself, from the gaps of the placebos.`,
        left > 0 &&
        `Not drawn, but counted in the rank: ${
          countOf(left, "placebo")
        } with a poor fit before the event.`,
      ],
    },
    figure: (draw, look) => {
      const own = treated!.rows.map((row) => rows[row]!);
      const lineOf = (label: "observed" | "expected", id: string): Line => ({
        id,
        label,
        points: own.map((row) => ({ x: row.date!, complete: true, y: row[label] })),
      });
      const [earlier, later] = [false, true].map((side) =>
        own.flatMap(({ date }) => (date! >= event!) === side ? [date!] : [])
      );
      // The event stands between the periods, not on the first day of one of them.
      const rules = event === null
        ? []
        : [{ x: (earlier!.at(-1)! + later![0]!) / 2, label: "event" }];
      const x = { dates: true, name: "" };
      const half = { ...look, height: look.height ?? 250, highlight: ["observed", "expected"] };
      const values: LinesPlan = {
        x,
        rules,
        lines: [lineOf("observed", treated!.id), lineOf("expected", "")],
        y: { unit: measure.unit, name: axisName(measure) },
      };
      const gaps: LinesPlan = {
        x,
        // The upper panel has the name of the line.
        rules: rules.map(({ x }) => ({ x, label: "" })),
        lines: [treated!, ...placebos],
        background: true,
        y: {
          unit,
          name: log
            ? "observed against expected"
            : joined(["observed minus expected", measure.axis], ", "),
        },
        ...banded ? { bounds: "bands" as const, interval: `pointwise ${sure} interval` } : {},
      };
      const bodies = (sides?: LinesPlan["sides"]) => [
        draw.linesFigure({ ...values, ...sides && { sides } }, half),
        draw.linesFigure({ ...gaps, ...sides && { sides } }, { ...half, highlight: [name] }),
      ];
      // Draws the panels twice. The first drawing measures the margins that each panel needs. The second drawing gives
      // all panels the same margins, so that the dates are aligned.
      const needed = bodies().flatMap(({ panels }) => panels);
      const most = (side: "marginLeft" | "marginRight") =>
        Math.max(...needed.map((panel) => panel[side] ?? 0));
      const aligned = bodies({ left: most("marginLeft"), right: most("marginRight") });
      return {
        panels: aligned.flatMap(({ panels }) => panels),
        rows: aligned.flatMap(({ rows }) => rows),
        columns: 1,
        gap: 8,
        legend: [],
      };
    },
  });
}
