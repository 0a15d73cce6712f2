import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format.ts";
import { type RowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { Markish, ObservablePlot, PlotOptions } from "./observable_plot.ts";

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
    const below = 10 ** Math.floor(Math.log10(low));
    const from = low < 1.25 * below && below > 1e-300 ? below / 10 : below;
    const to = Math.min(10 ** Math.ceil(Math.log10(high)), Number.MAX_VALUE);
    return { log: true, domain: [from, to === from ? from * 10 : to] };
  }
  const domain: [number, number] = [Math.min(0, low), Math.max(0, high)];
  return { log: false, domain: domain[0] < domain[1] ? domain : [0, 1] };
}

function decades({ domain: [low, high] }: ValueAxis, most: number): number[] {
  const count = Math.round(Math.log10(high) - Math.log10(low));
  const step = Math.ceil(count / most);
  return Array.from(
    { length: Math.floor(count / step) + 1 },
    (_, index) => low * 10 ** (index * step),
  );
}

/** Multiples of 1, 2 or 5 times a power of ten, zero among them. */
function multiples({ domain: [low, high] }: ValueAxis, most: number): number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  const step = [1, 2, 5, 10, 20].map((factor) => factor * power)
    .find((step) => Math.floor(high / step) - Math.ceil(low / step) + 1 <= most);
  if (step === undefined || !Number.isFinite(step) || step === 0) return [0];
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/** As many ticks as have room for their labels, and no more than seven. */
function ticksOf(
  axis: ValueAxis,
  { words, width }: { words: FieldWords; width: number },
): number[] {
  const ticks = axis.log ? decades : multiples;
  for (let most = 7; most > 1; most--) {
    const values = ticks(axis, most);
    const widths = values.map((value) => textWidth(formatValue(value, words.unit), theme.label));
    const [low, high] = axis.log ? axis.domain.map(Math.log10) : axis.domain;
    const steps = values.slice(1).map((value, index) =>
      axis.log ? Math.log10(value) - Math.log10(values[index]!) : value - values[index]!
    );
    const closest = (Math.min(...steps) / (high! - low!)) * width;
    if (closest >= Math.max(...widths) + 7) return values;
  }
  return axis.log ? [...axis.domain] : [0];
}

/** Grid, ticks with units, and the name of the axis, for a panel whose axis is `width` pixels long. */
export function valueAxisMarks(
  { axisX, gridX }: ObservablePlot,
  axis: ValueAxis,
  { words, width }: { words: FieldWords; width: number },
): Markish[] {
  const ticks = ticksOf(axis, { words, width });
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

/** Sets the names `padding` pixels left of the rows, which the panel calls 0, 1, 2, … */
export function rowLabelMarks(
  { axisY }: ObservablePlot,
  { lines }: RowLabels,
  padding: number,
): Markish[] {
  return [
    axisY({
      tickSize: 0,
      label: null,
      tickFormat: (row: number) => lines[row]!.join("\n"),
      tickPadding: padding,
      lineHeight: theme.label.line / theme.label.size,
    }),
  ];
}

/** A panel that says why it is empty. */
export function noData({ frame, text }: ObservablePlot, says: string, width: number): PlotOptions {
  return {
    width,
    height: 160,
    margin: 1,
    x: { axis: null },
    y: { axis: null },
    marks: [
      frame({ stroke: theme.faint }),
      text([says], { frameAnchor: "middle", fontSize: 14, fill: theme.muted }),
    ],
  };
}
