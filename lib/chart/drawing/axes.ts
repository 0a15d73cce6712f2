import { scaleLinear, scaleLog, scaleUtc, ticks } from "../d3.ts";
import { formatterFor, type NumberStyle, type Unit } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import type { Markish, PlotOptions, ScaleOptions } from "./observable_plot.ts";
import { Plot } from "./observable_plot.ts";

/** An axis of numbers, or of dates in milliseconds. */
export interface Axis {
  readonly type: "linear" | "log" | "utc";
  readonly domain: readonly [low: number, high: number];
  /** The dates of the points. A few dates have a tick each. */
  readonly dates?: readonly number[];
}

/** The options of an axis. */
interface AxisPlan {
  readonly scale?: "auto" | "linear" | "log" | undefined;
  readonly dates?: boolean;
  /** Whether the axis always includes zero. */
  readonly zero?: boolean;
  /** With `auto`, the axis is logarithmic if the largest value is more than `logFrom` times the smallest value. */
  readonly logFrom?: number | undefined;
  /** The axis of fractions is linear unless `scale` is `log`. */
  readonly unit?: Unit;
}

const LOG_FROM = 30;
const HALF_DAY = 43_200_000;

/** Returns multiples of powers of ten, from the power below a value to the power above another value. */
function multiples(low: number, high: number, factors: readonly number[]): number[] {
  const first = Math.floor(Math.log10(low));
  const count = Math.ceil(Math.log10(high)) - first + 1;
  return Array.from(
    { length: count },
    (_, at) => factors.map((each) => Number(`${each}e${first + at}`)),
  )
    .flat().filter((value) => value > 0 && Number.isFinite(value));
}

/** Returns the ends of a logarithmic axis: 1, 2 or 5 times a power of ten. */
function logDomain(low: number, high: number): [number, number] {
  const edges = multiples(low / 10 || low, high, [1, 2, 5]);
  // Keeps the lowest value away from the edge.
  return [
    edges.findLast((edge) => edge * 1.1 <= low) ?? low,
    edges.find((edge) => edge >= high) ?? Number.MAX_VALUE,
  ];
}

/**
 * Returns the axis for the values. The axis begins at zero if the smallest value is below half of the largest value.
 * Otherwise, the axis begins at a round number below the values. With `auto`, the axis is logarithmic if the largest
 * value is more than `logFrom` times the smallest value.
 */
export function axisFor(values: readonly number[], plan: AxisPlan = {}): Axis {
  const { dates = false, zero = false, unit, logFrom = LOG_FROM } = plan;
  const auto = unit === "fraction" || unit === "change" ? "linear" : "auto";
  const { scale = "auto" } = plan;
  const chosen = scale === "auto" ? auto : scale;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (dates) {
    const domain = low < high ? [low, high] as const : [low - HALF_DAY, high + HALF_DAY] as const;
    return { type: "utc", domain, dates: [...new Set(values)].toSorted((a, b) => a - b) };
  }
  if (values.length === 0) return { type: "linear", domain: [0, 1] };
  if (low > 0 && chosen !== "linear" && (chosen === "log" || high / low > logFrom)) {
    return { type: "log", domain: logDomain(low, high) };
  }
  const near = zero || low === high || (low >= 0 && low < 0.5 * high) ||
    (high <= 0 && high > 0.5 * low) || (low < 0 && high > 0);
  const ends = near ? [Math.min(0, low), Math.max(0, high)] : [low, high];
  if (ends[0] === ends[1]) return { type: "linear", domain: [0, 1] };
  const [from, to] = scaleLinear().domain(ends).nice(7).domain();
  const finite = Number.isFinite(from) && Number.isFinite(to);
  return { type: "linear", domain: finite ? [from!, to!] : [ends[0]!, ends[1]!] };
}

/** Returns whether a linear axis of numbers leaves out zero. */
export function isCut({ type, domain: [low, high] }: Axis): boolean {
  return type === "linear" && (low > 0 || high < 0);
}

/** States that an axis of numbers is cut. Empty if it is not. */
export function cutText(axis: Axis): string {
  return isCut(axis) ? "axis does not start at 0" : "";
}

/** Returns the position of a value along an axis, from 0 to 1. */
export function placeOn({ type, domain }: Axis, value: number): number {
  return (type === "log" ? scaleLog() : scaleLinear()).domain(domain)(value);
}

/** Returns the options `x` or `y` of a panel with this axis. */
export function scaleOptions({ type, domain }: Axis): ScaleOptions {
  return { type, domain: type === "utc" ? domain.map((at) => new Date(at)) : domain, axis: null };
}

/**
 * Returns powers of ten as ticks. Adds 2 and 5 times each power, or 3 times each power, if these ticks fit. If not all
 * powers of ten fit, returns only every second power, every third power, and so on.
 */
function decades([low, high]: readonly [number, number], most: number): number[] {
  const within = (factors: readonly number[]) =>
    multiples(low, high, factors)
      .filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  for (const factors of [[1, 2, 5], [1, 3]]) {
    const values = within(factors);
    if (values.length <= most) return values;
  }
  const whole = within([1]);
  const step = Math.max(1, Math.ceil(whole.length / most));
  return whole.filter((_, index) => index % step === 0);
}

/** Returns as many ticks as there is space for their labels, but not more than `most`. */
export function ticksOf(
  axis: Axis,
  { style, length, most = 7, vertical = false }: {
    readonly style: NumberStyle;
    /** The length of the axis in pixels. */
    readonly length: number;
    readonly most?: number;
    readonly vertical?: boolean;
  },
): number[] {
  for (let count = most; count > 0; count--) {
    const values = axis.type === "log" ? decades(axis.domain, count) : ticks(...axis.domain, count);
    if (values.length > most) continue;
    const format = formatterFor(values, style);
    const sizes = values.map((value) => textWidth(format(value), theme.label));
    const room = vertical ? 20 : Math.max(...sizes) + 7;
    const places = values.map((value) => placeOn(axis, value) * length);
    const steps = places.slice(1).map((place, index) => place - places[index]!);
    if (values.length > 1 && Math.min(...steps) >= room) return values;
  }
  return axis.type === "log" ? [...axis.domain] : [0];
}

/** An axis with its labels. */
export interface AxisSide {
  readonly axis: Axis;
  readonly style: NumberStyle;
  readonly name: string;
  /** Whether ticks are at whole numbers only. */
  readonly whole?: boolean;
  /** Whether the axis shows months since the first month. There are then as many ticks as fit, all at whole numbers. */
  readonly months?: boolean;
  /** Whether ticks and grid are left out. */
  readonly hidden?: boolean;
}

/** Returns the label of an axis: its name, and `log scale` if the axis is logarithmic. Null if the label is empty. */
export function labelOf({ type }: Axis, name: string): string | null {
  return joined([name, type === "log" ? "log scale" : ""], ", ") || null;
}

/**
 * Returns a function that writes the labels of dates. The year is below the first label of each year. Labels include
 * the day, unless all dates are the first day of a month.
 */
function dateLabels(dates: readonly Date[], locale: string): (date: Date) => string {
  const months = dates.every((date) => date.getUTCDate() === 1);
  const years = months && dates.every((date) => date.getUTCMonth() === 0);
  const part = (options: Intl.DateTimeFormatOptions) => (date: Date) =>
    date.toLocaleDateString(locale, { ...options, timeZone: "UTC" });
  const [year, month] = [part({ year: "numeric" }), part({ month: "short" })];
  const day = part({ day: "numeric", month: "short" });
  if (years) return year;
  const seen = new Map(dates.map((date, index) => [date.getTime(), dates[index - 1]]));
  return (date) => {
    const before = seen.get(date.getTime());
    const first = before === undefined || before.getUTCFullYear() !== date.getUTCFullYear();
    return `${months ? month(date) : day(date)}${first ? `\n${year(date)}` : ""}`;
  };
}

const DATE_ROOM = 64;
/** Up to this number of dates, ticks are at the dates, at least so many pixels apart. */
const FEW_DATES = { most: 7, room: 44 };

/** The minimum space between the labels of two dates, in pixels. */
const DATE_GAP = 6;

/** Returns ticks at the dates if these are few, else at whole days, at most so many that no labels overlap. */
function datesOf(axis: Axis, length: number, locale: string): Date[] {
  const { domain, dates: own = [] } = axis;
  const places = own.map((at) => placeOn(axis, at) * length);
  const apart = places.slice(1).every((place, index) => place - places[index]! >= FEW_DATES.room);
  if (own.length > 0 && own.length <= FEW_DATES.most && apart) return own.map((at) => new Date(at));
  const count = Math.max(2, Math.floor(length / DATE_ROOM));
  const days = (count: number) =>
    scaleUtc().domain(domain).ticks(count).filter((date) => date.getTime() % 86_400_000 === 0);
  const dates = days(count);
  const all = dates.length > 1 ? dates : days(count + 1);
  const fits = (some: readonly Date[]) => {
    const label = dateLabels(some, locale);
    const ends = some.map((date) => {
      const half = Math.max(...label(date).split("\n").map((l) => textWidth(l, theme.label))) / 2;
      const place = placeOn(axis, date.getTime()) * length;
      return [place - half, place + half] as const;
    });
    return ends.slice(1).every(([start], index) => start - ends[index]![1] >= DATE_GAP);
  };
  const thinned = all.map((_, step) => all.filter((_, index) => index % (step + 1) === 0));
  return thinned.find(fits) ?? all;
}

/** Returns ticks at whole months, as many as fit within `width` pixels. */
export function monthTicks({ domain: [first, last] }: Axis, width: number): number[] {
  const [low, high] = [Math.ceil(first), Math.floor(last)];
  const most = Math.max(2, Math.floor(width / 27));
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => (high - low) / step <= most) ?? 240;
  const start = Math.ceil(low / step) * step;
  const count = Math.max(0, Math.floor((high - start) / step) + 1);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

/** Draws the horizontal axis of a panel, `length` pixels long. An axis of numbers has a grid. */
export function acrossMarks(side: AxisSide, length: number): Markish[] {
  const { axis, style, name, whole = false, months = false } = side;
  const common = {
    label: labelOf(axis, name),
    labelOffset: 36,
    labelAnchor: "center",
    labelArrow: "none",
    fill: theme.muted,
    stroke: theme.muted,
  } as const;
  if (months) {
    const tickFormat = (tick: number) => String(tick).replace("-", "−");
    return [Plot.axisX({ ...common, ticks: monthTicks(axis, length), tickFormat })];
  }
  if (axis.type === "utc") {
    const at = datesOf(axis, length, style.locale);
    return [Plot.axisX({ ...common, ticks: at, tickFormat: dateLabels(at, style.locale) })];
  }
  const at = ticksOf(axis, { style, length }).filter((tick) => !whole || Number.isInteger(tick));
  const tickFormat = formatterFor(at, style);
  return [
    Plot.gridX({ ticks: at, stroke: theme.grid, strokeOpacity: 1 }),
    Plot.axisX({ ...common, labelOffset: 34, ticks: at, tickSize: 0, tickFormat }),
  ];
}

/** Returns the marks of a vertical axis, and the width of its labels (`room`). Panels without labels draw `grid`. */
export function upAxis(
  { axis, style, name }: AxisSide,
  { length, most }: {
    /** The length of the axis in pixels. */
    readonly length: number;
    /** The maximum number of ticks. */
    readonly most: number;
  },
): { room: number; label: string | null; marks: Markish[]; grid: Markish[] } {
  const at = ticksOf(axis, { style, length, vertical: true, most });
  const tickFormat = formatterFor(at, style);
  const widths = at.map((tick) => textWidth(tickFormat(tick), theme.label));
  const room = Math.ceil(Math.max(0, ...widths)) + 12;
  const label = labelOf(axis, name);
  const zero = axis.type !== "log" && axis.domain[0] <= 0 && axis.domain[1] >= 0;
  const grid = [
    Plot.gridY({ ticks: at, stroke: theme.grid, strokeOpacity: 1 }),
    ...zero ? [Plot.ruleY([0], { stroke: theme.muted })] : [],
  ];
  const marks = [
    ...grid,
    Plot.axisY({ ticks: at, tickFormat, tickSize: 0, fill: theme.muted, label: null }),
  ];
  return { room, label, marks, grid };
}

/** Returns an empty panel that shows the reason why it is empty. */
export function noData(words: string, width: number): PlotOptions {
  return {
    width,
    height: 160,
    margin: 1,
    x: { axis: null },
    y: { axis: null },
    marks: [
      Plot.frame({ stroke: theme.faint }),
      Plot.text([words], { frameAnchor: "middle", fontSize: 14, fill: theme.muted }),
    ],
  };
}
