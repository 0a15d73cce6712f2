import { extentOf } from "../extent.ts";
import { dateFormat } from "../../platform/locale.ts";
import { range, scaleLinear, scaleLog, scaleUtc, ticks } from "../d3.ts";
import { hasFormat, numbersOf, type NumberStyle, type NumberUnit, POINTS } from "../numbers.ts";
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
  /** The lowest value of a logarithmic axis above a strip for zeros, which ends the domain. */
  readonly floor?: number;
  /** The round numbers beyond both ends, between which ticks are found. By default, the domain. */
  readonly round?: readonly [low: number, high: number];
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
  readonly unit?: NumberUnit;
  /** Values of incomplete periods. They change the axis only if they are outside it, or if there are no others. */
  readonly open?: readonly number[];
}

const LOG_FROM = 30;
/** An axis ends at a tick, or this part of its length beyond its values. */
const HEADROOM = 0.04;
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

/**
 * Returns the ends of a logarithmic axis, and the multiples of powers of ten (1, 2 or 5 times) beyond its values. The
 * axis ends at these, or before them.
 */
function logEnds(low: number, high: number): Pick<Axis, "domain"> & Required<Pick<Axis, "round">> {
  const edges = multiples(low / 10 || low, high * 10, [1, 2, 5]);
  const below = edges.findLast((edge) => edge <= low) ?? low;
  const above = edges.find((edge) => edge >= high) ?? Number.MAX_VALUE;
  const room = Math.max(2, high / low) ** HEADROOM;
  return {
    domain: [Math.max(below, low / room), Math.min(above, high * room)],
    round: [below, above],
  };
}

/** Returns the ends of a linear axis, and the round numbers beyond its values. An end at zero stays there. */
function linearEnds(low: number, high: number): Pick<Axis, "domain" | "round"> {
  const [from, to] = scaleLinear().domain([low, high]).nice(7).domain() as [number, number];
  if (!Number.isFinite(from) || !Number.isFinite(to)) return { domain: [low, high] };
  const room = HEADROOM * (high - low);
  return {
    domain: [
      low === 0 ? 0 : Math.max(from, low - room),
      high === 0 ? 0 : Math.min(to, high + room),
    ],
    round: [from, to],
  };
}

/**
 * Returns the axis for the values. The axis begins at zero if the smallest value is below half of the largest value.
 * Otherwise, the axis begins below the values. It ends at a round number, or before it. With `auto`, the axis is
 * logarithmic if the largest value is more than `logFrom` times the smallest value.
 */
export function axisFor(given: readonly number[], plan: AxisPlan = {}): Axis {
  const { dates = false, zero = false, unit, logFrom = LOG_FROM, open = [] } = plan;
  const auto = unit === "fraction" || unit === "change" || unit === POINTS ? "linear" : "auto";
  const { scale = "auto" } = plan;
  const chosen = scale === "auto" ? auto : scale;
  const values = given.length === 0 ? open : given;
  const [low, high] = extentOf(values);
  if (dates) {
    const domain = low < high ? [low, high] as const : [low - HALF_DAY, high + HALF_DAY] as const;
    return { type: "utc", domain, dates: [...new Set(values)].toSorted((a, b) => a - b) };
  }
  if (values.length === 0) return { type: "linear", domain: [0, 1] };
  const outside = open.some((value) => value < low || value > high);
  const positive = values.filter((value) => value > 0);
  const [least] = extentOf(positive);
  const ratio = high / least;
  if (low > 0 && chosen === "auto" && ratio > logFrom || chosen === "log" && low >= 0 && high > 0) {
    const ends = outside ? [...open.filter((value) => value > 0), least, high] : [least, high];
    const { domain, round } = logEnds(...extentOf(ends));
    if ([...values, ...open].every((value) => value > 0)) return { type: "log", domain, round };
    // Zeros have a strip below the axis, a tenth as high.
    const [from, to] = domain;
    return { type: "log", domain: [from * (from / to) ** 0.1, to], floor: from, round };
  }
  const near = zero || low === high || (low >= 0 && low < 0.5 * high) ||
    (high <= 0 && high > 0.5 * low) || (low < 0 && high > 0);
  const all = outside ? [low, high, ...open] : [low, high];
  const most = extentOf(all);
  const ends = near ? [Math.min(0, most[0]), Math.max(0, most[1])] : most;
  if (ends[0] === ends[1]) return { type: "linear", domain: [0, 1] };
  return { type: "linear", ...linearEnds(ends[0]!, ends[1]!) };
}

/** Returns whether a linear axis of numbers leaves out zero. */
export function isCut({ type, domain: [low, high] }: Axis): boolean {
  return type === "linear" && (low > 0 || high < 0);
}

/** States that an axis of numbers is cut. Empty if it is not. */
export function cutText(axis: Axis): string {
  return isCut(axis) ? "axis does not start at 0" : "";
}

/** Returns the value at which an axis draws a value. A zero beside a logarithmic axis is in the middle of its strip. */
export function shownOn({ domain: [low], floor }: Axis, value: number): number {
  return floor !== undefined && value <= 0 ? Math.sqrt(low * floor) : value;
}

/** Returns the position of a value along an axis, from 0 to 1. */
export function placeOn(axis: Axis, value: number): number {
  const { type, domain } = axis;
  return (type === "log" ? scaleLog() : scaleLinear()).domain(domain)(shownOn(axis, value));
}

/** Returns the options `x` or `y` of a panel with this axis. */
export function scaleOptions({ type, domain }: Axis): ScaleOptions {
  return { type, domain: type === "utc" ? domain.map((at) => new Date(at)) : domain, axis: null };
}

/**
 * Returns powers of ten as ticks. Adds 2 and 5 times each power, or 3 times each power, if these ticks fit. If not all
 * powers of ten fit, returns only every second power, every third power, and so on.
 */
function decades(
  [low, high]: readonly [number, number],
  most: number,
  ratios: boolean,
): number[] {
  const within = (factors: readonly number[]) =>
    multiples(low, high, factors)
      // A ratio below 1 is the reciprocal of a tick above 1: a third, not 0.3.
      .map((value) => ratios && value < 1 && String(value).endsWith("3") ? value / 0.9 : value)
      .filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  for (const factors of [[1, 2, 5], [1, 3]]) {
    const values = within(factors);
    if (values.length <= most) return values;
  }
  const whole = within([1]);
  const step = Math.max(1, Math.ceil(whole.length / most));
  return whole.filter((_, index) => index % step === 0);
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
  /** Whether the values of a logarithmic axis are ratios, whose ticks below 1 are reciprocals. */
  readonly ratios?: boolean;
  /** Whether ticks and grid are left out. */
  readonly hidden?: boolean;
  /** Whether the subtitle names the kind of the axis, so that its label does not. */
  readonly told?: boolean;
}

/** Returns the label of an axis: its name, and whether the axis is logarithmic. Null if the label is empty. */
export function labelOf(
  { axis, name, told = false }: Pick<AxisSide, "axis" | "name" | "told">,
): string | null {
  return joined([name, told ? "" : kindText(axis)], ", ") || null;
}

/** Returns the kind of an axis that is not linear. */
export function kindText({ type }: Axis): string {
  return type === "log" ? "logarithmic axis" : "";
}

/**
 * Returns a function that writes the labels of dates. The year is below the first label of each year. Labels include
 * the day, unless all dates are the first day of a month.
 */
function dateLabels(ticks: readonly number[], locale: string): (tick: number) => string {
  const dates = ticks.map((tick) => new Date(tick));
  const months = dates.every((date) => date.getUTCDate() === 1);
  const years = months && dates.every((date) => date.getUTCMonth() === 0);
  const part = (options: Intl.DateTimeFormatOptions) => (date: Date) =>
    dateFormat(locale, options).format(date);
  const year = part({ year: "numeric" });
  const day = part({ month: "short", ...!months && { day: "numeric" } });
  const labels = dates.map((date, index) => {
    if (years) return year(date);
    const first = date.getUTCFullYear() !== dates[index - 1]?.getUTCFullYear();
    return first ? `${day(date)}\n${year(date)}` : day(date);
  });
  return (tick) => labels[ticks.indexOf(tick)] ?? "";
}

function labelsOf({ axis, style }: AxisSide, ticks: readonly number[]): (tick: number) => string {
  if (axis.type === "utc") return dateLabels(ticks, style.locale);
  // A unit of the user's own is in the name of the axis.
  const { floor = 0 } = axis;
  const values = ticks.filter((tick) => axis.type !== "log" || tick >= floor);
  const shown = hasFormat(style.unit) ? style : { ...style, unit: "count" };
  const write = numbersOf(values, shown, axis.type === "log" ? "each" : "ticks");
  return (tick) => write(values.includes(tick) ? tick : 0);
}

/** Half of the height of a label with the space above it, and half of the space between two labels, in pixels. */
const [HALF_LINE, HALF_GAP] = [10, 3];

/**
 * Returns the ticks of an axis: as many as `most` whose labels do not overlap, and at least its ends. Up to `most` dates
 * have a tick each. Other ticks of dates are at whole days.
 */
export function ticksOf(
  side: AxisSide,
  { length, vertical = false, most = side.axis.type === "utc" ? Math.max(7, length / 36) : 7 }: {
    /** The length of the axis in pixels. */
    readonly length: number;
    readonly vertical?: boolean;
    readonly most?: number;
  },
): number[] {
  const { axis, whole = false, ratios = false } = side;
  const { type, domain, dates = [], round = domain } = axis;
  const slack = 1e-9 * (type === "log" ? domain[0] : domain[1] - domain[0]);
  const at = (count: number) => {
    if (type === "utc") {
      return scaleUtc().domain(domain).ticks(count).map(Number)
        .filter((value) => value % (2 * HALF_DAY) === 0);
    }
    // Ticks are those of the round numbers beyond the ends, as far as the axis goes.
    const inside = (values: readonly number[]) =>
      values.length > most
        ? []
        : values.filter((value) =>
          value >= domain[0] - slack && value <= domain[1] + slack &&
          (!whole || Number.isInteger(value))
        );
    if (type === "linear") return inside(ticks(...round, count));
    const steps = inside(decades(round, count, ratios));
    // Between neighbors of 1, 2, 5 and 10, there is no step of these.
    const few = steps.length < 2 && domain[1] <= 10 * domain[0];
    const powers = few ? inside(ticks(...domain, count)) : steps;
    return axis.floor === undefined
      ? powers
      : [shownOn(axis, 0), ...powers.filter((value) => value >= axis.floor! * (1 - 1e-9))];
  };
  const fits = (values: readonly number[]) => {
    const label = labelsOf(side, values);
    let end = -Infinity;
    return values.every((value) => {
      const widths = label(value).split("\n").map((line) => textWidth(line, theme.label));
      const half = vertical ? HALF_LINE : Math.max(...widths) / 2 + HALF_GAP;
      const place = placeOn(axis, value) * length;
      const free = place - half >= end;
      end = place + half;
      return free;
    });
  };
  // Between quarters and years, d3 has no step.
  const tries = [
    dates,
    ...range(most, 0, -1).map(at),
    ...[2, 3].map((step) => at(7).filter((_, index) => index % step === 0)),
  ];
  const found = tries.find((values) => values.length > 1 && values.length <= most && fits(values));
  if (found !== undefined) return [...found];
  if (dates.length === 1) return [...dates];
  const some = at(7).length < 2 && type === "log" ? ticks(...domain, 4) : at(7);
  return some.length < 2 ? [...domain] : [some[0]!, some.at(-1)!];
}

/** Returns ticks at whole months, as many as fit within `width` pixels. */
export function monthTicks({ domain: [first, last] }: Axis, width: number): number[] {
  const most = Math.max(2, Math.floor(width / 27));
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((step) => (last - first) / step <= most) ?? 240;
  return range(Math.ceil(first / step) * step, last + 1e-9, step);
}

/** The distance between the lines of a label, in pixels. */
const LABEL_LINE = 15;

/**
 * Draws the horizontal axis of a panel, `length` pixels long. An axis of numbers has a grid. Other ticks have marks if
 * the panel draws a line at its lower edge (`ruled`).
 */
export function acrossMarks(side: AxisSide, length: number, ruled = true): Markish[] {
  const { axis, months = false } = side;
  const at = months ? monthTicks(axis, length) : ticksOf(side, { length });
  // Plot leaves out some labels that `tickFormat` writes on a logarithmic axis.
  const text = months ? (tick: number) => String(tick).replace("-", "−") : labelsOf(side, at);
  const grid = !months && axis.type !== "utc";
  const bare = grid || !ruled;
  return [
    ...grid ? [Plot.gridX({ ticks: at, stroke: theme.grid, strokeOpacity: 1 })] : [],
    Plot.axisX({
      label: labelOf(side),
      labelOffset: grid ? 38 : 36,
      labelAnchor: "center",
      labelArrow: "none",
      fill: theme.muted,
      stroke: theme.muted,
      ticks: at,
      // Labels keep their distance from the panel without marks.
      ...bare && { tickSize: 0, tickPadding: 9 },
      lineHeight: LABEL_LINE / theme.label.size,
      text,
    }),
  ];
}

/** The space between the labels of a vertical axis and the plot area, in pixels. */
const GUTTER = 8;

/** Returns the marks of a vertical axis, and the width of its labels (`room`). Panels without labels draw `grid`. */
export function upAxis(
  side: AxisSide,
  { length, most }: {
    /** The length of the axis in pixels. */
    readonly length: number;
    /** The maximum number of ticks. */
    readonly most: number;
  },
): { room: number; label: string | null; marks: Markish[]; grid: Markish[] } {
  const { axis } = side;
  const at = ticksOf(side, { length, vertical: true, most });
  const text = labelsOf(side, at);
  const widths = at.map((tick) => textWidth(text(tick), theme.label));
  const room = Math.ceil(Math.max(0, ...widths)) + GUTTER;
  const label = labelOf(side);
  const zero = axis.type !== "log" && axis.domain[0] <= 0 && axis.domain[1] >= 0;
  const grid = [
    Plot.gridY({ ticks: at, stroke: theme.grid, strokeOpacity: 1 }),
    ...zero ? [Plot.ruleY([0], { stroke: theme.muted })] : [],
  ];
  const marks = [
    ...grid,
    Plot.axisY({
      ticks: at,
      text,
      tickSize: 0,
      tickPadding: GUTTER,
      fill: theme.muted,
      label: null,
    }),
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
