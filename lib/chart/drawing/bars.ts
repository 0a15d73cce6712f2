import { extentOf } from "../extent.ts";
import { GAIN_COLOR, LOSS_COLOR, SLATE } from "../colors.ts";
import type { FigureRow, LegendItem } from "../chart.ts";
import { numbersOf, POINTS } from "../numbers.ts";
import type { FigureBody, Look } from "../look.ts";
import type { Measure } from "../measures.ts";
import type { Reference } from "../reference.ts";
import { type ColoredSeries, drawnSeries } from "../series_colors.ts";
import { type RowLabels, rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import {
  acrossMarks,
  type Axis,
  axisFor,
  kindText,
  labelOf,
  placeOn,
  scaleOptions,
  shownOn,
} from "./axes.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";
import { frameText } from "./plane.ts";
import { tipChannel } from "./tip.ts";
import { rangeText } from "../words.ts";

/** The data of one row: a chain, a project, a group of contracts, or the sum of several rows. */
export interface BarItem extends ColoredSeries {
  /** The value of each measure. Null if it is missing. */
  readonly values: readonly (number | null)[];
  /** The bounds of the first value. For a step of a waterfall, they are the sums before and after the step. */
  readonly lower?: number | null;
  readonly upper?: number | null;
  /** Whether the dot of this row is hollow, or its bar faded. */
  readonly hollow?: boolean;
  /** Whether this row is the sum of the other rows, at the end of a waterfall. */
  readonly total?: boolean;
}

/** The data and options of a chart of rows. */
export interface BarsPlan {
  /** The measures. Each measure has its own panel. */
  readonly measures: readonly Measure[];
  /** The rows, in the order in which they are drawn. */
  readonly items: readonly BarItem[];
  /** The noun for a row: `chain`. */
  readonly noun: string;
  readonly scale?: "auto" | "linear" | "log" | undefined;
  /** How rows are drawn: as `bars`, as `dots` with bounds, or as the `steps` of a waterfall. */
  readonly as: "bars" | "dots" | "steps";
  /** The index of the first of the measures that share one axis. */
  readonly pooled?: number;
  /** Whether shares of the sum are written beside the values. */
  readonly shares?: boolean;
  readonly reference?: Reference | undefined;
  /** The name of the bounds: `95% interval`. */
  readonly interval?: string;
}

/** A value with its row and its label. A bar goes from `from` to `to`. For dots, these are the bounds. */
interface Bar {
  readonly row: number;
  readonly value: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly text: string;
  /** The texts of the value and of its bounds in a tooltip. */
  readonly tip: string;
  readonly bounds: string | null;
  readonly color: string;
  readonly item: BarItem;
}

const NARROWEST = 150;
const GAP = 16;
/** The space below a panel of rows, for the ticks of its axis, and for its name. */
const BELOW = { ticks: 22, name: 18 };

/**
 * Returns the rank of a value in its panel. Ranks are written in panels that do not determine the order of the rows.
 */
function rankOf(items: readonly BarItem[], index: number, value: number): number {
  const values = items.flatMap(({ values, folded }) => folded ? [] : values[index] ?? []);
  return 1 + values.filter((other) => other > value).length;
}

/** Returns the values of one measure with their labels. A label can contain the share of the sum, or the rank. */
function barsOf(plan: BarsPlan, index: number, look: Look): Bar[] {
  const { items, measures, shares = false } = plan;
  const { locale, format } = look;
  const values = items.map(({ values }) => values[index] ?? null);
  const style = { unit: measures[index]!.unit, locale, format };
  const [write, exact] = [numbersOf(values, style), numbersOf([], style, "exact")];
  const total = values.reduce((sum: number, value) => sum + (value ?? 0), 0);
  const parts = values.map((value) => value === null ? null : value / total);
  const share = numbersOf(parts, { unit: "fraction", locale }, "whole");
  const slate = look.highlight === undefined || plan.as === "steps";
  const own = drawnSeries(items, { ...look, slate }).map(({ color }) => color);
  const sided = plan.as === "steps" ||
    plan.as === "bars" && values.some((value) => (value ?? 0) < 0);
  // If a value is negative, bars are not slate: the sign of each value determines the color of its bar.
  const colorAt = (row: number, value: number) =>
    items[row]!.total
      ? SLATE
      : own[row] !== SLATE || !sided
      ? own[row]!
      : value < 0
      ? LOSS_COLOR
      : GAIN_COLOR;
  return items.flatMap((item, row): Bar[] => {
    const value = values[row]!;
    if (value === null) return [];
    const part = shares ? ` · ${share(parts[row]!)}` : "";
    const rank = index > 0 && !item.folded ? ` (${rankOf(items, index, value)})` : "";
    const [text, tip] = [write, exact].map((write) => `${write(value)}${part}${rank}`) as [
      string,
      string,
    ];
    const { lower = null, upper = null } = item;
    const bounds = plan.as === "steps" || lower === null || upper === null
      ? null
      : rangeText([lower, upper], exact);
    const ends = plan.as === "bars" ? { from: 0, to: value } : { from: lower, to: upper };
    return [{ row, value, ...ends, text, tip, bounds, color: colorAt(row, value), item }];
  });
}

/** Returns the axis of one measure. */
function axisOf(plan: BarsPlan, index: number, bars: readonly Bar[]): Axis {
  const { as, reference, scale } = plan;
  const values = bars.flatMap(({ value, from, to }) =>
    (as === "bars" ? [value] : as === "steps" ? [from, to] : [value, from, to])
      .flatMap((v) => v ?? [])
  );
  // A reference extends the axis, and does not change its type.
  const open = reference === undefined ? [] : [reference.value];
  const { unit } = plan.measures[index]!;
  // Steps and shares are compared by their differences, so their axis is linear even if a bound is near zero.
  const linear = as === "steps" || unit === "fraction" || unit === "change" || unit === POINTS;
  if (as !== "bars") {
    const plan = linear ? { zero: true, scale: "linear" } as const : { scale };
    return endedAt(axisFor(values, { open, ...plan }), [...values, ...open]);
  }
  const signed = values.some((value) => value < 0);
  const axis = axisFor(values, {
    open,
    zero: true,
    scale: scale === "log" && !signed ? scale : "linear",
  });
  if (axis.type === "log" || signed) return endedAt(axis, [...values, ...open]);
  return { type: "linear", domain: [Math.min(0, ...open), extentOf([...values, ...open])[1] || 1] };
}

/** Returns an axis that ends at the largest value, beside which is the column of values. */
function endedAt(axis: Axis, values: readonly number[]): Axis {
  const [low] = axis.domain;
  const high = Math.max(0, extentOf(values)[1]);
  return high > low ? { ...axis, domain: [low, high] } : axis;
}

const CAP = 8;
/** The space between the ends of a panel of dots and its dots, in pixels. */
const INSET = 6;
/** The space between the longest whisker or bar and the column of values, in pixels. */
const COLUMN = 12;

/** Draws a line between the bounds of each bar, with a cap at each end. */
function intervalMarks(bars: readonly Bar[], rowHeight: number): Markish[] {
  const spans = bars.filter(({ from, to }) => from !== null && to !== null);
  const style = { y: "row", stroke: "color", strokeOpacity: 0.55 };
  const inset = (rowHeight - CAP) / 2;
  const cap = { ...style, strokeWidth: 1.5, insetTop: inset, insetBottom: inset };
  return [
    Plot.ruleY(spans, {
      ...style,
      x1: "from",
      x2: "to",
      strokeWidth: 2,
      ariaDescription: "interval",
    }),
    Plot.tickX(spans, { ...cap, x: "from", ariaDescription: "lower bound" }),
    Plot.tickX(spans, { ...cap, x: "to", ariaDescription: "upper bound" }),
  ];
}

/** Connects the end of each step of a waterfall with the bar below it. */
function connectors(bars: readonly Bar[]): Markish {
  // The bar of the sum begins at zero.
  const joinOf = ({ item, from, to }: Bar) => item.total ? to : from;
  return Plot.link(bars.slice(1), {
    x1: joinOf,
    x2: joinOf,
    y1: ({ row }: Bar) => row - 1,
    y2: "row",
    stroke: theme.muted,
    ariaDescription: "connector",
  });
}

/** The smallest length of a bar whose value is not zero, in pixels. */
const SHORTEST = 2;

function valueMarks(
  { as, interval = "interval" }: BarsPlan,
  bars: readonly Bar[],
  { axis, title, rowHeight, length }: {
    readonly axis: Axis;
    readonly title: string;
    readonly rowHeight: number;
    readonly length: number;
  },
) {
  const channels = tipChannel(({ item: { label }, tip, bounds }: Bar) => (
    { title: label, values: { [title]: tip, ...bounds !== null && { [interval]: bounds } } }
  ));
  const dots = Plot.dot(bars, {
    y: "row",
    x: ({ value }: Bar) => shownOn(axis, value),
    r: 5,
    fill: ({ color, item }: Bar) => item.hollow ? theme.paper : color,
    stroke: ({ color, item }: Bar) => item.hollow ? color : "none",
    channels,
    ariaDescription: "value dot",
  });
  const zero = Plot.ruleX([0], { stroke: theme.muted });
  const log = axis.type === "log";
  if (as === "dots") {
    return [...!log && axis.domain[0] < 0 ? [zero] : [], ...intervalMarks(bars, rowHeight), dots];
  }
  // A logarithmic axis has no zero at which a bar could begin.
  if (log) return [Plot.ruleY(bars, { y: "row", stroke: theme.grid }), dots];
  const style = { y: "row", fill: "color", insetTop: 3, insetBottom: 3 };
  const least = SHORTEST / length * (axis.domain[1] - axis.domain[0]);
  const endOf = ({ value, to }: Bar) =>
    as === "bars" ? Math.sign(value) * Math.max(Math.abs(value), least) : to;
  return [
    as === "steps" ? connectors(bars) : [],
    Plot.barX(bars, {
      ...style,
      x1: "from",
      x2: endOf,
      fillOpacity: ({ item }: Bar) => item.hollow ? 0.45 : 1,
      channels,
      ariaDescription: "bar",
    }),
    zero,
  ];
}

/** Draws a line across all rows. Above the line are the name and the value of the reference. */
function referenceMarks({ value, label }: Reference, axis: Axis, write: (v: number) => string) {
  const place = placeOn(axis, value);
  return [
    Plot.ruleX([value], {
      stroke: theme.muted,
      ariaDescription: "reference",
    }),
    frameText(`${label} ${write(value)}`.trim(), "top", {
      x: () => value,
      dy: -18,
      textAnchor: place < 0.25 ? "start" : place > 0.75 ? "end" : "middle",
      ariaDescription: "reference value",
    }),
  ];
}

/**
 * Returns the space for values beside the bars. If the values would overlap marks or grid lines, they are in a column
 * at the right.
 */
function roomOf({ as }: BarsPlan, bars: readonly Bar[], axis: Axis) {
  const face = { ...theme.label, bold: as === "steps" };
  const widest = (some: readonly Bar[]) =>
    Math.max(0, ...some.map(({ text }) => textWidth(text, face))) + 8;
  const negative = bars.filter(({ value }) => value < 0);
  const positive = bars.filter(({ value }) => value >= 0);
  const both = negative.length > 0 && positive.length > 0;
  if (axis.type === "log" || as !== "bars" || both) {
    const inset = as === "dots" ? INSET : 0;
    return { left: 0, right: widest(bars) - 8 + COLUMN - inset, column: true };
  }
  const left = negative.length === 0 ? 0 : widest(negative);
  return { left, right: Math.max(widest(positive), 20), column: false };
}

/** Writes the values beside the bars, or in a column at the right. */
function textMarks(
  bars: readonly Bar[],
  { column, right, crossed }: ReturnType<typeof roomOf> & {
    /** Whether the line of a reference can cross values. */
    readonly crossed: boolean;
  },
) {
  const texts = (keep: (bar: Bar) => boolean, style: Plot.TextOptions) =>
    Plot.text(bars.filter(keep), {
      y: "row",
      text: "text",
      ariaDescription: "value",
      ...crossed && { fill: theme.ink, stroke: theme.paper, strokeWidth: 4 },
      ...style,
    });
  const end = { frameAnchor: "right", textAnchor: "end", dx: right } as const;
  if (column) {
    return [
      texts(({ item }) => !item.total, end),
      texts(({ item }) => item.total!, { ...end, fontWeight: "bold" }),
    ];
  }
  return [
    texts(({ value }) => value >= 0, { x: "value", textAnchor: "start", dx: 5 }),
    texts(({ value }) => value < 0, { x: "value", textAnchor: "end", dx: -5 }),
  ];
}

/** The rows of a panel. */
interface RowsPlan {
  /** The names of the rows. Null if a panel to the left has the names. */
  readonly labels: RowLabels | null;
  readonly count: number;
  readonly rowHeight: number;
  /** The distance between the names and the plot area. */
  readonly padding: number;
}

/**
 * Returns a panel of rows, with the names of the rows at the left. The options must contain the width, the margins and
 * the marks of the panel.
 */
export function rowsPanel(plan: RowsPlan, { marks = [], ...options }: PlotOptions): PlotOptions {
  const { labels, count, rowHeight, padding } = plan;
  const names = labels === null ? [] : [Plot.axisY({
    tickSize: 0,
    label: null,
    tickFormat: (row: number) => labels.lines[row]!.join("\n"),
    tickPadding: padding,
    lineHeight: theme.label.line / theme.label.size,
  })];
  const domain = Array.from({ length: count }, (_, row) => row);
  return {
    ...options,
    height: count * rowHeight + options.marginTop! + options.marginBottom!,
    y: { type: "band", domain, axis: null, padding: 0 },
    marks: [...names, ...marks],
  };
}

/** Draws the panel of one measure. `body` is the width of the panel without the names. */
function panelOf(
  plan: BarsPlan,
  look: Look,
  { index, body, ...rows }: Pick<RowsPlan, "labels" | "rowHeight"> & {
    readonly index: number;
    readonly body: number;
  },
): PlotOptions {
  const { items, measures, as, reference, pooled = Infinity } = plan;
  const { locale, format } = look;
  const measure = measures[index]!;
  const bars = barsOf(plan, index, look);
  const same = measures.flatMap((_, at) => at >= pooled ? barsOf(plan, at, look) : []);
  const axis = axisOf(plan, index, index < pooled ? bars : same);
  const room = roomOf(plan, bars, axis);
  const style = { unit: measure.unit, locale, format };
  const missing = items.flatMap(({ values, folded }, row) =>
    values[index] == null ? [{ row, text: folded ? "no sum" : "no value" }] : []
  );
  const names = rows.labels?.width ?? 0;
  const inset = as === "dots" ? INSET : 0;
  const length = body - room.left - room.right - 2 * inset;
  // The title has the measure, so the axis has only a unit that the title lacks.
  const name = measure.title.toLowerCase().includes(measure.axis) ? "" : measure.axis;
  const across = { axis, style, name, told: measures.length === 1 };
  const panel = rowsPanel({ ...rows, count: items.length, padding: room.left + 6 }, {
    width: body + names,
    marginTop: reference === undefined || reference.label === "" ? 6 : 22,
    marginBottom: BELOW.ticks + (labelOf(across) === null ? 0 : BELOW.name),
    marginLeft: names + room.left,
    marginRight: room.right,
    x: { ...scaleOptions(axis), inset },
    marks: [
      ...acrossMarks(across, length),
      // Separates the combined row from the other rows.
      Plot.tickY(items.flatMap(({ folded }, row) => folded && as === "bars" ? [row] : []), {
        y: (row: number) => row,
        stroke: theme.faint,
        dy: -rows.rowHeight / 2,
        insetLeft: -room.left,
        ariaDescription: "apart",
      }),
      ...reference === undefined
        ? []
        : referenceMarks(reference, axis, numbersOf([reference.value], style)),
      ...valueMarks(plan, bars, { axis, title: measure.title, rowHeight: rows.rowHeight, length }),
      ...textMarks(bars, { ...room, crossed: reference !== undefined }),
      Plot.text(missing, {
        y: "row",
        x: () => axis.type === "log" ? axis.domain[0] : Math.max(axis.domain[0], 0),
        dx: 5,
        text: "text",
        textAnchor: "start",
        fill: theme.muted,
        ariaDescription: "missing",
      }),
    ],
  });
  return measures.length > 1 ? { ...panel, title: measure.title } : panel;
}

/** Returns the legend of the steps that are drawn. */
function legendOf({ as, items }: BarsPlan): LegendItem[] {
  const steps = items.filter(({ folded, total }) => as === "steps" && !folded && !total);
  return ([["raises", GAIN_COLOR, 1], ["lowers", LOSS_COLOR, -1]] as const).flatMap(
    ([verb, color, sign]): LegendItem[] =>
      steps.some(({ values: [value] }) => sign * (value ?? 0) > 0)
        ? [{ label: `${verb} the total`, color, key: "square" }]
        : [],
  );
}

/** Returns the bounds of an item, as fields of its row in the figure's data. */
function boundsOf({ lower, upper = null }: BarItem, as: BarsPlan["as"]): FigureRow {
  if (lower === undefined) return {};
  return as === "steps" ? { from: lower, to: upper } : { lower, upper };
}

/** Draws rows with bars, dots or steps, with one panel per measure. */
export function barsFigure(plan: BarsPlan, look: Look): FigureBody {
  const { items, measures, as, noun } = plan;
  const width = look.inner;
  const labels = rowLabels(items.map(({ label }) => label), width);
  const least = as === "dots" ? Math.max(26, labels.rowHeight) : labels.rowHeight;
  const most = Math.max(1, Math.floor((width - labels.width + GAP) / (NARROWEST + GAP)));
  const columns = Math.min(measures.length, most, measures.length === 4 ? 2 : 3);
  const body = (width - labels.width - GAP * (columns - 1)) / columns;
  const panelsAt = (rowHeight: number) =>
    measures.map((_, index) => {
      const first = index % columns === 0;
      return panelOf(plan, look, { index, rowHeight, body, labels: first ? labels : null });
    });
  const low = panelsAt(least);
  const more = (look.height ?? 0) - low[0]!.height!;
  const panels = more > 0 ? panelsAt(least + more / Math.max(1, items.length)) : low;
  return {
    ...measures.length === 1 && { axis: kindText(axisOf(plan, 0, barsOf(plan, 0, look))) },
    columns,
    gap: GAP,
    panels,
    legend: legendOf(plan),
    rows: items.map((item) => ({
      [noun]: item.label,
      ...Object.fromEntries(
        measures.map(({ title }, index) => [title, item.values[index] ?? null]),
      ),
      ...boundsOf(item, as),
    })),
  };
}
