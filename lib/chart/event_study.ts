import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import type { EventPoint } from "./drawing/events.ts";
import { numbersOf, POINTS } from "./numbers.ts";
import { measureOf } from "./measures.ts";
import { type ChartOptions, chartSettings, type Settings } from "./options.ts";
import { readRecords } from "./read/rows.ts";
import {
  bareTitle,
  countOf,
  inSentence,
  intervalName,
  type Note,
  pText,
  rangeText,
} from "./words.ts";

/** The first and the last time that are drawn. */
const [FIRST, LAST] = [-8, 12];
/** Times with fewer treated entities than this are hollow. */
const FEW = 3;
const EFFECTS = ["effect", "lower", "upper", "lower_all", "upper_all"] as const;
const VALUES = [...EFFECTS, "breakdown", "pre_slope_lower", "pre_slope_upper"] as const;

/** The effects of a study, and what it states about all of them. */
type Study = ReturnType<typeof readStudy>;

/** Reads the rows of a study, with relative effects as changes. */
function readStudy(frame: DataFrame, { fn, unit: given }: Settings) {
  const read = readRecords(frame, {
    fn,
    source: "a frame of eventStudy",
    texts: ["row", "field", "scale", "reason", "fit"],
    numbers: [
      ...["event_time", "p_value", "pre_p", "pre_slope_p", "confidence"] as const,
      ...["entities", "controls"] as const,
      ...VALUES,
    ],
  });
  const first = read.find(({ row }) => row === "overall");
  if (read.length > 0 && first === undefined) {
    throw new RangeError(`${fn}: frame: the row overall is missing`);
  }
  const measure = measureOf(frame, first?.field ?? "null", { unit: given, as: "effect" });
  const relative = first?.scale === "log" || first?.scale === "total";
  const points = first?.scale === "points";
  const unit = relative ? "change" : points ? POINTS : measure.unit;
  const shown = (value: number | null) =>
    value === null ? null : relative ? Math.expm1(value) : value;
  const rows = read.map((row) => ({
    ...row,
    ...Object.fromEntries(VALUES.map((name) => [name, shown(row[name])])),
  }));
  const times = rows.filter(({ row }) => row === "time");
  const drawn = times.filter(({ event_time: time }) => time! >= FIRST && time! <= LAST);
  const dots = drawn.map((row): EventPoint => ({
    ...Object.fromEntries(EFFECTS.map((name) => [name, row[name]])) as Record<
      typeof EFFECTS[number],
      number | null
    >,
    time: row.event_time!,
    entities: row.entities!,
    hollow: row.entities! < FEW || (row.reason ?? "").includes("other entities"),
  }));
  const overall = rows.find(({ row }) => row === "overall");
  return { first, rows, times, drawn, dots, overall, measure, unit, relative, points };
}

/** Returns what the study says about all effects: results, and by how much trends would have to differ. */
function statementsOf(
  { first, overall, unit }: Study,
  { locale, format }: Settings,
  { interval, periods }: { readonly interval: string; readonly periods: string },
) {
  const p = (value: number | null | undefined) =>
    value == null ? "not tested" : pText(value, locale);
  const { effect = null, lower = null, breakdown = null, pre_slope_lower: slowest = null } =
    overall ?? {};
  const poor = first?.fit === "poor";
  // If both sides differed before the start, trends would have to differ far more to explain the effect.
  const steepest = first?.pre_slope_lower == null
    ? NaN
    : Math.max(Math.abs(first.pre_slope_lower), Math.abs(first.pre_slope_upper!));
  const isStated = effect !== null && (!poor || (first.breakdown ?? 0) >= 2 * steepest);
  const least = Math.min(first?.pre_p ?? 1, first?.pre_slope_p ?? 1);
  const write = numbersOf(
    [effect, lower, overall?.upper ?? null, breakdown, slowest, overall?.pre_slope_upper ?? null],
    { unit, locale, format },
  );
  const bounds = lower === null
    ? ""
    : ` (${interval} ${rangeText([lower, overall!.upper!], write)}; ${p(overall!.p_value)})`;
  const differed = slowest === null
    ? "nothing is known of trends before the start"
    : `before the start, they differed by ${
      rangeText([slowest, overall!.pre_slope_upper!], write)
    }`;
  const stands: Note = isStated && breakdown !== null && breakdown > 0 &&
    `Stands unless trends differed by more than ${write(breakdown).replace(/^\+/, "")} a ${
      periods.replace(/s$/, "")
    }; ${differed}.`;
  return {
    write,
    stands,
    results: [
      poor ? `both sides differed before the start (${p(least)})` : "",
      isStated
        ? `overall ${first?.scale === "log" ? "geometric mean " : ""}${write(effect)}${bounds}`
        : "",
      poor ? "" : `difference before the start: ${p(first?.pre_p ?? first?.pre_slope_p)}`,
    ],
  };
}

/**
 * Draws the result of `eventStudy`: the effect at each time from 8 periods before the start to 12 after it, with the
 * bounds of each time (thick) and of all times together (thin). Numbers below the axis count the treated entities.
 *
 * A time is hollow if fewer than 3 treated entities count, or if other entities count than at the time beside it.
 * Effects on logarithms are drawn as relative changes, and those on retention in percentage points. The caption has the
 * overall effect and the test of the times before the start. If both sides differed before the start, it begins with this,
 * and states the effect only if trends would have to differ at least twice as much as before the start. It states by how much trends would have to differ to
 * explain the effect, and by how much they differed before the start.
 *
 * @example
 * ```ts
 * import { eventStudy, plotEventStudy, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "projects",
 *   every: "month",
 *   from: "2024-07",
 *   to: "2026-05",
 * });
 * const waves = {
 *   "2025-10": [
 *     ...["marrow-exchange", "hearthlend", "stillwater-stake", "helix-perps"],
 *     ...["causeway", "orchard-quest", "evenkeel"],
 *   ],
 *   "2026-01": [
 *     ...["quillswap", "kora-finance", "basaltine", "vantage-margin"],
 *     ...["packet-ferry", "lantern-run", "brambledale"],
 *   ],
 * };
 * const starts = Object.fromEntries(
 *   Object.entries(waves).flatMap(([start, ids]) => ids.map((id) => [id, start])),
 * );
 * const study = eventStudy(fees, { field: "fees_sum", starts, scale: "total", base: -1 });
 * console.log(plotEventStudy(study));
 * ```
 *
 * @param frame a frame of `eventStudy`
 * @throws {RangeError} when columns are missing, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotEventStudy(frame: DataFrame, options: ChartOptions = {}): PlotChart {
  const settings = chartSettings("plotEventStudy", options);
  const { locale } = settings;
  const study = readStudy(frame, settings);
  const { first, rows, times, drawn, dots, overall, measure, unit, relative, points } = study;
  const waves = rows.filter(({ row }) => row === "wave").length;
  const interval = intervalName([first?.confidence ?? null], locale);
  const base = dots.find(({ effect, lower }) => effect === 0 && lower === null);
  const controls = countOf(overall?.controls ?? 0, "control");
  const explained = (part: string) => drawn.filter(({ reason }) => reason?.includes(part)).length;
  const [earlier, uneven] = [explained("arrived before"), explained("in unequal shares")];
  const left = times.length - drawn.length;
  const periods = measureOf(frame, "event_time").axis || "periods";
  const since = `${periods} since treatment began`;
  const field = bareTitle(measure.title);
  const { write, results, stands } = statementsOf(study, settings, { interval, periods });
  const bounded = (name: "lower" | "lower_all") => drawn.some((row) => row[name] !== null);
  return readyChart({
    again: plotEventStudy,
    frame,
    settings,
    empty: dots.every(({ effect }) => effect === null),
    words: {
      what: `Effect on ${inSentence(field)} by ${since}`,
      said: [
        `${overall?.entities ?? 0} treated entities in ${countOf(waves, "wave")}, ${controls}`,
        base === undefined ? "" : `changes since time −${-base.time}`,
        dots.some(({ hollow }) => hollow)
          ? `hollow: fewer than ${FEW} entities, or other entities than beside it`
          : "",
      ],
      results,
      kind: `Effects by ${since}`,
      noun: "time",
      rows: dots.map(({ time, effect }) =>
        `${time}: ${effect === null ? "no value" : write(effect)}`
      ),
      notes: [
        "Participants were chosen, not drawn: an effect can be selection.",
        stands,
        bounded("lower") &&
        `Lines: ${interval}s of each time${
          bounded("lower_all") ? " (thick) and of all times together (thin)" : ""
        }.`,
        earlier > 0 &&
        `At ${
          earlier === 1 ? "time 0" : `times 0 to ${earlier - 1}`
        }, users had arrived before the start.`,
        uneven > 0 && `At ${countOf(uneven, "time")}, unequal shares of values are missing.`,
        left > 0 && `Not drawn: ${countOf(left, "time")} before −${-FIRST} or after ${LAST}.`,
      ],
    },
    figure: (draw, look) =>
      draw.eventsFigure({
        points: dots,
        relative,
        x: since.replace(/^./, (letter) => letter.toUpperCase()),
        y: { unit, name: relative ? "" : points ? "percentage points" : measure.axis },
      }, look),
  });
}
