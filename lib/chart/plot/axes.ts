import { formatterFor, type NumberStyle } from "../format.ts";
import { type RowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import type { Markish, ObservablePlot, PlotOptions, ScaleOptions } from "./observable_plot.ts";

/** An axis of values. */
export interface ValueAxis {
  readonly type: "linear" | "log" | "symlog";
  readonly domain: readonly [low: number, high: number];
  /** Of a symlog axis: up to which size it is nearly linear. */
  readonly constant: number;
}

const LOG_FROM = 1000;

/** Values over three powers of ten hide all but the largest on a linear axis. */
function asksForLog(values: readonly number[], scale: "auto" | "linear" | "log"): boolean {
  const positive = values.length > 0 && values.every((value) => value > 0);
  if (!positive || scale === "linear") return false;
  return scale === "log" || Math.max(...values) / Math.min(...values) > LOG_FROM;
}

function powerBelow(value: number): number {
  return 10 ** Math.floor(Math.log10(value));
}

/** The axis that holds the values, and zero where it is linear; powers of ten around them where it is not. */
export function valueAxis(
  values: readonly number[],
  scale: "auto" | "linear" | "log",
): ValueAxis {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (asksForLog(values, scale)) {
    const below = powerBelow(low);
    const from = low < 1.25 * below && below > 1e-300 ? below / 10 : below;
    const to = Math.min(10 ** Math.ceil(Math.log10(high)), Number.MAX_VALUE);
    return { type: "log", constant: 1, domain: [from, to === from ? from * 10 : to] };
  }
  const domain: [number, number] = [Math.min(0, low), Math.max(0, high)];
  return { type: "linear", constant: 1, domain: domain[0] < domain[1] ? domain : [0, 1] };
}

/** An axis for values to both sides of zero, logarithmic on both where sizes differ by more than 100. */
export function signedAxis(values: readonly number[], compared: readonly number[]): ValueAxis {
  const sizes = compared.map(Math.abs).filter((size) => size > 0);
  const linear = valueAxis(values, "linear");
  if (sizes.length === 0 || Math.max(...sizes) / Math.min(...sizes) <= 100) return linear;
  // Ten powers of ten are as many as can be told apart.
  const constant = Math.max(powerBelow(Math.min(...sizes)), powerBelow(Math.max(...sizes)) / 1e9);
  return { ...linear, type: "symlog", constant };
}

/** The place of a value along an axis, from 0 to 1. */
export function placeOn({ type, domain, constant }: ValueAxis, value: number): number {
  const along = type === "log"
    ? Math.log10
    : type === "symlog"
    ? (v: number) => Math.sign(v) * Math.log1p(Math.abs(v / constant))
    : (v: number) => v;
  const [low, high] = domain;
  return (along(value) - along(low)) / (along(high) - along(low));
}

/** The options of `x` or `y` of a panel with this axis. */
export function scaleOptions({ type, domain, constant }: ValueAxis): ScaleOptions {
  return { type, domain: [...domain], axis: null, ...type === "symlog" ? { constant } : {} };
}

function decades(low: number, high: number, most: number): number[] {
  const count = Math.round(Math.log10(high) - Math.log10(low));
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from(
    { length: Math.floor(count / step) + 1 },
    (_, index) => low * 10 ** (index * step),
  );
}

/** Multiples of 1, 2 or 5 times a power of ten, zero among them. */
function multiples([low, high]: readonly [number, number], most: number): number[] {
  const power = powerBelow((high - low) / most);
  const step = [1, 2, 5, 10, 20].map((factor) => factor * power)
    .find((step) => Math.floor(high / step) - Math.ceil(low / step) + 1 <= most);
  if (step === undefined || !Number.isFinite(step) || step === 0) return [0];
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/** Powers of ten to both sides of zero, from the largest down. */
function signedDecades({ domain: [low, high], constant }: ValueAxis, most: number): number[] {
  const largest = powerBelow(Math.max(-low, high));
  const count = Math.round(Math.log10(largest / constant));
  const step = 10 ** Math.max(1, Math.ceil(count / most));
  const sizes = Array.from({ length: count + 1 }, (_, index) => largest / step ** index)
    .filter((size) => size > constant * 3).reverse();
  return [
    ...sizes.filter((size) => size <= -low).map((size) => -size).reverse(),
    0,
    ...sizes.filter((size) => size <= high),
  ];
}

function candidates(axis: ValueAxis, most: number): number[] {
  if (axis.type === "log") return decades(...axis.domain, most);
  return axis.type === "symlog" ? signedDecades(axis, most) : multiples(axis.domain, most);
}

/** As many ticks as have room for their labels, and no more than `most`. */
export function ticksOf(
  axis: ValueAxis,
  { style, width, most = 7, vertical = false }: {
    style: NumberStyle;
    /** The length of the axis in pixels. */
    width: number;
    most?: number;
    vertical?: boolean;
  },
): number[] {
  for (let count = most; count > 0; count--) {
    const values = candidates(axis, count);
    const format = formatterFor(values, style);
    const sizes = values.map((value) => textWidth(format(value), theme.label));
    const room = vertical ? 20 : Math.max(...sizes) + 7;
    const places = values.map((value) => placeOn(axis, value) * width);
    const steps = places.slice(1).map((place, index) => place - places[index]!);
    if (values.length > 1 && Math.min(...steps) >= room) return values;
  }
  return axis.type === "log" ? [...axis.domain] : [0];
}

/** How an axis of values is drawn. */
interface AxisPlan {
  readonly style: NumberStyle;
  /** The length of the axis in pixels. */
  readonly width: number;
  /** What the values are: `US$`. */
  readonly name: string;
}

/** Grid, ticks with units, and the name of a horizontal axis. */
export function valueAxisMarks(
  { axisX, gridX }: ObservablePlot,
  axis: ValueAxis,
  { style, width, name }: AxisPlan,
): Markish[] {
  const ticks = ticksOf(axis, { style, width });
  const kind = { linear: "", log: "log scale", symlog: "log scale to both sides" }[axis.type];
  const label = [name, kind].filter((word) => word !== "").join(", ");
  return [
    gridX({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
    axisX({
      ticks,
      tickFormat: formatterFor(ticks, style),
      tickSize: 0,
      label: label === "" ? null : label,
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
    ...{ width, height: 160, margin: 1, x: { axis: null }, y: { axis: null } },
    marks: [
      frame({ stroke: theme.faint }),
      text([says], { frameAnchor: "middle", fontSize: 14, fill: theme.muted }),
    ],
  };
}
