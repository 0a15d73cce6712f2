import { formatDay, formatMonth, formatterFor, type NumberStyle } from "../format.ts";
import type { FieldWords } from "../field_words.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { placeOn, scaleOptions, ticksOf, type ValueAxis, valueAxis } from "./axes.ts";
import type { Markish, ObservablePlot, ScaleOptions } from "./observable_plot.ts";

/** An axis of a plane: of numbers, or of dates in milliseconds. */
export interface PlaneAxis extends ValueAxis {
  readonly dates: boolean;
}

/** What an axis is asked to hold. */
interface PlaneAxisPlan {
  readonly scale?: "auto" | "linear" | "log";
  readonly dates?: boolean;
  /** Whether zero is always in it. */
  readonly zero?: boolean;
}

function roundStep(span: number): number {
  const power = 10 ** Math.floor(Math.log10(span));
  return [1, 2, 5, 10].map((factor) => (factor * power) / 10).find((step) => span / step <= 12) ??
    power;
}

/** The axis that holds the values: from zero where that is near, else from a round number below them. */
export function planeAxis(values: readonly number[], plan: PlaneAxisPlan = {}): PlaneAxis {
  const { scale = "auto", dates = false, zero = false } = plan;
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (dates) {
    const domain = low < high
      ? [low, high] as const
      : [low - 43_200_000, high + 43_200_000] as const;
    return { type: "linear", constant: 1, domain, dates };
  }
  const axis = valueAxis(values, scale);
  if (axis.type === "log" || low === high) return { ...axis, dates };
  const near = zero || (low >= 0 && low < 0.5 * high) || (high <= 0 && high > 0.5 * low) ||
    (low < 0 && high > 0);
  const step = roundStep(near ? Math.max(high, 0) - Math.min(low, 0) : high - low);
  if (!Number.isFinite(step) || step === 0) return { ...axis, dates };
  const bottom = near ? Math.min(0, low) : low;
  const top = near ? Math.max(0, high) : high;
  const domain = [Math.floor(bottom / step + 1e-9) * step, Math.ceil(top / step - 1e-9) * step];
  return { ...axis, domain: [domain[0]!, domain[1]!], dates };
}

/** The options of `x` or `y` of a panel with this axis. */
export function planeScale(axis: PlaneAxis): ScaleOptions {
  if (!axis.dates) return scaleOptions(axis);
  return { type: "utc", domain: axis.domain.map((at) => new Date(at)), axis: null };
}

/** A place on an axis as Plot takes it. */
export function valueOn({ dates }: PlaneAxis, value: number): number | Date {
  return dates ? new Date(value) : value;
}

const DAY = 86_400_000;
const DAYS = [1, 2, 7, 14];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 600];

/** First days of months, every so many of them, or days where the span is short. */
function dateTicks([low, high]: readonly [number, number], room: number): {
  ticks: Date[];
  months: boolean;
} {
  const days = DAYS.find((days) => (high - low) / DAY / days <= room);
  if (days !== undefined) {
    const first = Math.ceil(low / DAY / days) * days;
    const count = Math.floor((high / DAY - first) / days) + 1;
    const ticks = Array.from(
      { length: Math.max(0, count) },
      (_, i) => new Date((first + i * days) * DAY),
    );
    return { ticks, months: false };
  }
  const start = new Date(low);
  const from = start.getUTCFullYear() * 12 + start.getUTCMonth();
  const until = new Date(high);
  const to = until.getUTCFullYear() * 12 + until.getUTCMonth();
  const step = MONTHS.find((step) => (to - from) / step <= room) ?? 1200;
  const ticks: Date[] = [];
  for (let month = Math.ceil(from / step) * step; month <= to; month += step) {
    const tick = new Date(Date.UTC(0, month));
    tick.setUTCFullYear(Math.floor(month / 12));
    if (tick.getTime() >= low && tick.getTime() <= high) ticks.push(tick);
  }
  return { ticks, months: true };
}

/** Shorter powers of ten have no room for what lies between them. */
const SHORTEST_POWER = 40;

/** What lies between the labels of a logarithmic axis, where powers of ten are far enough apart: 2, 3, … 9. */
function minorTicks(
  axis: PlaneAxis,
  { ticks, length }: { ticks: number[]; length: number },
): number[] {
  const [low, high] = axis.domain;
  const powers = Math.log10(high / low);
  if (axis.type !== "log" || !(length / powers >= SHORTEST_POWER)) return [];
  const first = Math.floor(Math.log10(low));
  return Array.from(
    { length: Math.ceil(powers) + 2 },
    (_, power) => [2, 3, 4, 5, 6, 7, 8, 9].map((digit) => Number(`${digit}e${first + power}`)),
  )
    .flat()
    .filter((value) => value > low && value < high && !ticks.includes(value));
}

/** Short strokes inside of the frame, without labels. */
function minorStyle(ticks: number[]) {
  return {
    ...{ ticks, tickSize: -4, fill: "none", stroke: theme.muted, strokeOpacity: 0.7, label: null },
    ariaDescription: "minor tick",
  };
}

/** How an axis of a plane is drawn. */
interface PlaneMarksPlan {
  readonly style: NumberStyle;
  /** The length of the axis in pixels. */
  readonly length: number;
  readonly name: string;
  /** Whether only whole numbers make sense. */
  readonly whole?: boolean;
}

/** What stands at the axis of a field: its title, and its unit where that is not in it. */
export function axisName({ title, axis }: FieldWords): string {
  const said = axis === "" || title.toLowerCase().includes(axis);
  return said ? title : `${title}, ${axis}`;
}

function labelOf(axis: PlaneAxis, name: string): string | null {
  const label = [name, axis.type === "log" ? "log scale" : ""].filter((word) => word !== "");
  return label.length === 0 ? null : label.join(", ");
}

/** The axis across: dates by month or day, or numbers. */
export function acrossMarks(
  { axisX, gridX }: ObservablePlot,
  axis: PlaneAxis,
  { style, length, name, whole = false }: PlaneMarksPlan,
): Markish[] {
  const { locale } = style;
  const common = {
    ...{ label: labelOf(axis, name), labelOffset: 36, fill: theme.muted, stroke: theme.muted },
    labelAnchor: "center" as const,
    labelArrow: "none" as const,
  };
  if (axis.dates) {
    const { ticks, months } = dateTicks(axis.domain, Math.max(1, Math.floor(length / 76)));
    const write = months ? formatMonth : formatDay;
    return [axisX({ ...common, ticks, tickFormat: (tick: Date) => write(tick, locale) })];
  }
  const ticks = ticksOf(axis, { style, width: length })
    .filter((tick) => !whole || Number.isInteger(tick));
  return [
    gridX({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
    axisX({ ...common, ticks, tickSize: 0, tickFormat: formatterFor(ticks, style) }),
    axisX(minorStyle(minorTicks(axis, { ticks, length }))),
  ];
}

interface UpwardAxis {
  /** What its labels take at the left. */
  readonly room: number;
  readonly marks: (Plot: ObservablePlot) => Markish[];
  /** What stands above it. */
  readonly label: string | null;
  /** The lines across alone, for a panel whose neighbour has the labels. */
  readonly grid: (Plot: ObservablePlot) => Markish[];
}

/** How far above a panel the name of its axis up begins. */
const NAME_ABOVE = 22;

/** The axis up, its name above it, and the room that its labels take. */
export function upwardAxis(
  axis: PlaneAxis,
  { style, length, name, most = 7, named = true }: PlaneMarksPlan & {
    readonly most?: number;
    /** Whether the name stands above it. */
    readonly named?: boolean;
  },
): UpwardAxis {
  const ticks = ticksOf(axis, { style, width: length, vertical: true, most });
  const write = formatterFor(ticks, style);
  const widest = Math.max(0, ...ticks.map((tick) => textWidth(write(tick), theme.label)));
  const room = Math.ceil(widest) + 12;
  const label = labelOf(axis, name);
  const grid = ({ gridY, ruleY }: ObservablePlot): Markish[] => [
    gridY({ ticks, stroke: theme.grid, strokeOpacity: 1 }),
    ...axis.type !== "log" && axis.domain[0] <= 0 && axis.domain[1] >= 0
      ? [ruleY([0], { stroke: theme.muted })]
      : [],
  ];
  return {
    ...{ room, grid, label },
    marks: (Plot) => [
      ...grid(Plot),
      // In small multiples most panels have no labels between which they could stand.
      Plot.axisY(minorStyle(named ? minorTicks(axis, { ticks, length }) : [])),
      Plot.axisY({ ticks, tickFormat: write, tickSize: 0, fill: theme.muted, label: null }),
      ...label === null || !named ? [] : [
        Plot.text([label], {
          ...{ frameAnchor: "top-left", textAnchor: "start", dx: -room, dy: -NAME_ABOVE },
          ...{ fill: theme.muted, ariaDescription: "y-axis name" },
        }),
      ],
    ],
  };
}

/** A place in pixels from the top of a panel whose axis is `length` long. */
export function heightOf(axis: PlaneAxis, value: number, length: number): number {
  return (1 - placeOn(axis, value)) * length;
}
