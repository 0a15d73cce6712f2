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
function asksForLog(
  values: readonly number[],
  scale: "auto" | "linear" | "log",
  logFrom: number,
): boolean {
  const positive = values.length > 0 && values.every((value) => value > 0);
  if (!positive || scale === "linear") return false;
  return scale === "log" || Math.max(...values) / Math.min(...values) > logFrom;
}

function powerBelow(value: number): number {
  return 10 ** Math.floor(Math.log10(value));
}

/** The numbers between which values stand on a logarithmic axis: 1, 2 or 5 times a power of ten. */
function logDomain(low: number, high: number): [number, number] {
  const [below, above] = [powerBelow(low), powerBelow(high)];
  // The lowest value does not stand at the very edge.
  const from = [5, 2, 1, 0.5].map((factor) => factor * below).find((edge) => edge * 1.1 <= low) ??
    below;
  const to = [1, 2, 5, 10].map((factor) => factor * above).find((edge) => edge >= high) ?? high;
  const end = Math.min(to, Number.MAX_VALUE);
  return [from > 0 ? from : below, end > from ? end : from * 10];
}

/**
 * The axis that holds the values, and zero where it is linear; logarithmic where the largest is more than
 * `logFrom` times the smallest, or that is asked for.
 */
export function valueAxis(
  values: readonly number[],
  scale: "auto" | "linear" | "log",
  logFrom = LOG_FROM,
): ValueAxis {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (asksForLog(values, scale, logFrom)) {
    return { type: "log", constant: 1, domain: logDomain(low, high) };
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

/** The value at a place along an axis that is linear or logarithmic, which may lie beyond its ends. */
export function valueAlong({ type, domain: [low, high] }: ValueAxis, place: number): number {
  return type === "log" ? low * (high / low) ** place : low + place * (high - low);
}

/** The options of `x` or `y` of a panel with this axis. */
export function scaleOptions({ type, domain, constant }: ValueAxis): ScaleOptions {
  return { type, domain: [...domain], axis: null, ...type === "symlog" ? { constant } : {} };
}

/** Powers of ten, where they are few with what lies between them, where they are many every other, and so on. */
function decades([low, high]: readonly [number, number], most: number): number[] {
  const first = Math.floor(Math.log10(low));
  const count = Math.ceil(Math.log10(high)) - first + 1;
  const powers = Array.from({ length: count }, (_, index) => Number(`1e${first + index}`));
  const within = (values: readonly number[]) =>
    values.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  const whole = within(powers);
  for (const factors of [[1, 2, 5], [1, 3]]) {
    const values = within(powers.flatMap((power) => factors.map((factor) => factor * power)));
    if (values.length <= most) return values;
  }
  const step = Math.max(1, Math.ceil(whole.length / most));
  return whole.filter((_, index) => index % step === 0);
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
  if (axis.type === "log") return decades(axis.domain, most);
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
  const near = formatterFor([axis.constant], style);
  const kind = {
    linear: "",
    log: "log scale",
    symlog: `log scale beyond ±${near(axis.constant)}`,
  }[axis.type];
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
