import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format_value.ts";
import { theme } from "../theme.ts";
import type { Markish, ObservablePlot } from "./observable_plot.ts";

/** Whether a value axis is linear or logarithmic; `auto` asks the data. */
export const SCALES = ["auto", "linear", "log"] as const;

/** How a value axis runs. */
export type Scale = typeof SCALES[number];

/** A horizontal axis of values. */
export interface ValueAxis {
  readonly log: boolean;
  readonly domain: readonly [low: number, high: number];
}

const LOG_FROM = 1000;

/** Values over three powers of ten hide all but the largest on a linear axis. */
function asksForLog(values: readonly number[], scale: Scale): boolean {
  const positive = values.length > 0 && values.every((value) => value > 0);
  if (!positive || scale === "linear") return false;
  return scale === "log" || Math.max(...values) / Math.min(...values) > LOG_FROM;
}

/** The axis that holds the values, and zero where it is linear; powers of ten around them where it is not. */
export function valueAxis(values: readonly number[], scale: Scale): ValueAxis {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (asksForLog(values, scale)) {
    const from = 10 ** Math.floor(Math.log10(low));
    const to = Math.min(10 ** Math.ceil(Math.log10(high)), Number.MAX_VALUE);
    return { log: true, domain: [from, to === from ? from * 10 : to] };
  }
  const domain: [number, number] = [Math.min(0, low), Math.max(0, high)];
  return { log: false, domain: domain[0] < domain[1] ? domain : [0, 1] };
}

function ticksOf({ log, domain: [low, high] }: ValueAxis, width: number): number | number[] {
  if (!log) return Math.max(2, Math.min(5, width / 75));
  const decades = Math.round(Math.log10(high) - Math.log10(low));
  const step = Math.ceil(decades / Math.max(1, Math.floor(width / 55)));
  return Array.from(
    { length: Math.floor(decades / step) + 1 },
    (_, index) => low * 10 ** (index * step),
  );
}

/** Grid, ticks with units, and the name of the axis, for a panel whose axis is `width` pixels long. */
export function valueAxisMarks(
  { axisX, gridX }: ObservablePlot,
  axis: ValueAxis,
  { words, width }: { words: FieldWords; width: number },
): Markish[] {
  const ticks = ticksOf(axis, width);
  const name = [words.axis, axis.log ? "log scale" : ""].filter((word) => word !== "").join(", ");
  return [
    gridX({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
    axisX({
      ticks,
      tickFormat: (value: number) => formatValue(value, words.unit),
      tickSize: 0,
      label: name === "" ? null : name,
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 34,
      fill: theme.muted,
    }),
  ];
}
