import { type Drawn, drawnSeries } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import type { Periods, TimePoint, TimeSeries } from "../time_series.ts";
import type { ColoredLook } from "../options.ts";
import { type ValueAxis, valueAxis } from "./axes.ts";

/** A chart of lines over time: what it says, its lines, and how it looks. */
export interface TimelineView extends ColoredLook {
  readonly height: number;
  /** None when no value is known. */
  readonly series: readonly TimeSeries[];
  readonly dates: readonly Date[];
  /** What each of the dates begins, and how it is written. */
  readonly period: Periods;
  readonly words: FieldWords;
  readonly scale: "auto" | "linear" | "log";
  /** Whether 100 is where all began. */
  readonly hundred: boolean;
}

/** A line as it is drawn. */
export type TimeLine = TimeSeries & Drawn;

/** The lines with their colours and markers. */
export function timeLines({ series, highlight, colors }: TimelineView): TimeLine[] {
  return drawnSeries(series, { highlight, colors });
}

/** A piece of a line of which one end is not final. */
export function openPieces({ points }: TimeSeries): [from: TimePoint, to: TimePoint][] {
  return points.slice(1).flatMap((to, index) => {
    const from = points[index]!;
    if (from.value === null || to.value === null || (from.complete && to.complete)) return [];
    return [[from, to]];
  });
}

/** What grew to twenty times 100 flattens all else of an index. */
const INDEX_LOG_FROM = 20;

/** The axis that holds all values, with those of an index around 100. */
export function axisOf({ series, scale, hundred }: TimelineView): ValueAxis {
  const values = series.flatMap(({ points }) => points.flatMap(({ value }) => value ?? []));
  return hundred ? valueAxis([...values, 100], scale, INDEX_LOG_FROM) : valueAxis(values, scale);
}
