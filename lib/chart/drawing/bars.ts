import {
  GAIN_COLOR,
  isHighlighted,
  LOSS_COLOR,
  OTHER_COLOR,
  type Series,
  seriesColors,
  SLATE,
} from "../colors.ts";
import type { FigureRow, LegendItem } from "../chart.ts";
import { formatterFor } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { axisName, type Measure } from "../measures.ts";
import { type RowLabels, rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { acrossMarks, type Axis, axisFor, placeOn, scaleOptions } from "./axes.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";

/** A row: a chain, a project, a group of contracts, or a sum of several rows. */
export interface BarItem extends Series {
  /** A value for each measure, or null. */
  readonly values: readonly (number | null)[];
  /** The bounds of the first value. For a net flow: the outflow as a negative number, and the inflow. */
  readonly lower?: number | null;
  readonly upper?: number | null;
}

/** A reference value, drawn as a line across all rows. An empty name is not written. */
export interface Reference {
  readonly value: number;
  readonly label: string;
}

/** The data and options of a chart of rows. */
export interface BarsPlan {
  /** The measures, each with its own panel. */
  readonly measures: readonly Measure[];
  /** The rows, in the order in which they are drawn. */
  readonly items: readonly BarItem[];
  /** The noun for a row: `chain`. */
  readonly noun: string;
  readonly scale?: "auto" | "linear" | "log" | undefined;
  /** `bars`, `dots` with their bounds, or `flows`. */
  readonly as: "bars" | "dots" | "flows";
  /** Whether values of all measures except the first show their rank. */
  readonly ranks?: boolean;
  /** Whether each value shows its share of the sum. */
  readonly shares?: boolean;
  readonly reference?: Reference | undefined;
  /** The metric of each measure. Panels of the same metric are in the same row. */
  readonly grid?: readonly string[] | undefined;
}

/** A value with its row and its label. */
interface Bar {
  readonly row: number;
  readonly value: number;
  readonly text: string;
  readonly color: string;
  readonly item: BarItem;
}

const NARROWEST = 150;
const GAP = 16;

/**
 * Returns the colors of the rows: slate, or colors by sign if a value is negative. Highlighted rows have the color of
 * their id.
 */
function colorsOf({ items }: BarsPlan, index: number, { colors = {}, highlight }: Look): string[] {
  const own = seriesColors(items, { colors, highlight });
  const signed = items.some(({ values }) => (values[index] ?? 0) < 0);
  return items.map((item, row) => {
    const chosen = colors[item.id] ?? colors[item.label];
    if (chosen !== undefined) return chosen;
    if (item.folded || !isHighlighted(item, highlight)) return OTHER_COLOR;
    if (highlight !== undefined) return own[row]!;
    return !signed ? SLATE : (item.values[index] ?? 0) < 0 ? LOSS_COLOR : GAIN_COLOR;
  });
}

/** Returns the rank of a value in its own panel. It is written if another panel determines the order of the rows. */
function rankOf(items: readonly BarItem[], index: number, value: number): number {
  const values = items.flatMap(({ values, folded }) => folded ? [] : values[index] ?? []);
  return 1 + values.filter((other) => other > value).length;
}

/** Returns the values of one measure with their labels. A label can contain the share of the sum, or the rank. */
export function barsOf(plan: BarsPlan, index: number, look: Look): Bar[] {
  const { items, measures, shares = false, ranks = true } = plan;
  const { locale, format } = look;
  const values = items.map(({ values }) => values[index] ?? null);
  const write = formatterFor(values, { unit: measures[index]!.unit, locale, format });
  const total = values.reduce((sum: number, value) => sum + (value ?? 0), 0);
  const parts = values.map((value) => value === null ? null : value / total);
  const share = formatterFor(parts, { unit: "share", locale });
  const colors = colorsOf(plan, index, look);
  return items.flatMap((item, row): Bar[] => {
    const value = values[row]!;
    if (value === null) return [];
    const plus = plan.as === "flows" && value > 0 ? "+" : "";
    const part = shares ? ` · ${share(parts[row]!)}` : "";
    const rank = ranks && index > 0 && !item.folded ? ` (${rankOf(items, index, value)})` : "";
    const text = `${plus}${write(value)}${part}${rank}`;
    return [{ row, value, text, color: colors[row]!, item }];
  });
}

/** Returns the values that the axis of a panel must include. */
function heldBy(plan: BarsPlan, bars: readonly Bar[]): number[] {
  const own = bars.flatMap(({ value, item: { lower, upper } }) =>
    [value, lower, upper].flatMap((v) => v ?? [])
  );
  return plan.reference === undefined ? own : [...own, plan.reference.value];
}

/** Returns the axis of one measure. */
export function axisOf(plan: BarsPlan, index: number, bars: readonly Bar[]): Axis {
  const values = heldBy(plan, bars);
  const { unit } = plan.measures[index]!;
  // Flows and shares are compared by their differences, so their axis is linear even if a bound is near zero.
  const linear = plan.as === "flows" || unit === "share" || unit === "change";
  if (plan.as !== "bars") {
    return axisFor(values, linear ? { zero: true, scale: "linear" } : { scale: plan.scale });
  }
  const signed = values.some((value) => value < 0);
  const axis = axisFor(values, { zero: true, scale: signed ? "linear" : plan.scale });
  if (axis.type === "log" || signed) return axis;
  return { type: "linear", domain: [0, Math.max(...values) || 1] };
}

/** Separates the bars that are drawn. A combined row whose bar is longer than the largest bar has only its number. */
export function drawnBars(bars: readonly Bar[]): { drawn: Bar[]; beyond: Bar[] } {
  const most = Math.max(0, ...bars.flatMap(({ item, value }) => item.folded ? [] : [value]));
  const fits = ({ item, value }: Bar) => !item.folded || value <= most;
  return {
    drawn: bars.filter(fits),
    beyond: bars.filter((bar) => !fits(bar)).map((bar) => ({
      ...bar,
      text: `${bar.text} (bar not drawn)`,
    })),
  };
}

const CAP = 8;

/** Draws a line from bound to bound, with a cap at each end. */
function intervalMarks(bars: readonly Bar[], rowHeight: number): Markish[] {
  const spans = bars.filter(({ item: { lower = null, upper = null } }) =>
    lower !== null && upper !== null
  );
  const style = { y: "row", stroke: "color", strokeOpacity: 0.55 };
  const inset = (rowHeight - CAP) / 2;
  const bound = (name: "lower" | "upper") => ({ item }: Bar) => item[name];
  return [
    Plot.ruleY(spans, {
      ...style,
      x1: bound("lower"),
      x2: bound("upper"),
      strokeWidth: 2,
      ariaDescription: "interval",
    }),
    ...(["lower", "upper"] as const).map((name) =>
      Plot.tickX(spans, {
        ...style,
        x: bound(name),
        strokeWidth: 1.5,
        insetTop: inset,
        insetBottom: inset,
        ariaDescription: `${name} bound`,
      })
    ),
  ];
}

/** Draws inflow and outflow as thin lines from zero, with a dot at the end of each line. */
function flowMarks(items: readonly BarItem[]): Markish[] {
  const sides = [
    ["inflow", GAIN_COLOR, ({ upper = null }: BarItem) => upper],
    ["outflow", LOSS_COLOR, ({ lower = null }: BarItem) => lower],
  ] as const;
  return [
    ...sides.flatMap(([side, color, valueOf]) => {
      const ends = items.map((item, row) => ({ row, value: valueOf(item) }))
        .filter(({ value }) => value !== null);
      const line = { y: "row", x1: () => 0, x2: "value", stroke: color, strokeWidth: 1 };
      return [
        Plot.ruleY(ends, { ...line, ariaDescription: `${side}s` }),
        Plot.dot(ends, { y: "row", x: "value", r: 3.5, fill: color, ariaDescription: side }),
      ];
    }),
    Plot.ruleX([0], { stroke: theme.ink }),
  ];
}

function valueMarks(
  plan: BarsPlan,
  bars: readonly Bar[],
  log: boolean,
  rowHeight: number,
): Markish[] {
  const dots = (r: number) =>
    Plot.dot(bars, { y: "row", x: "value", fill: "color", r, ariaDescription: "value dot" });
  if (plan.as === "flows") {
    const net = Plot.dot(bars, {
      y: "row",
      x: "value",
      r: 5,
      fill: theme.ink,
      stroke: theme.paper,
      ariaDescription: "net",
    });
    return [...flowMarks(plan.items), net];
  }
  if (plan.as === "dots") return [...intervalMarks(bars, rowHeight), dots(5)];
  // A logarithmic axis has no zero at which a bar could begin.
  if (log) return [Plot.ruleY(bars, { y: "row", stroke: theme.grid }), dots(5)];
  return [
    Plot.barX(bars, {
      y: "row",
      x: "value",
      fill: "color",
      insetTop: 3,
      insetBottom: 3,
      ariaDescription: "bar",
    }),
    Plot.ruleX([0], { stroke: theme.muted }),
  ];
}

/** Draws a line across all rows, with the name and the value of the reference above it. */
function referenceMarks({ value, label }: Reference, axis: Axis, write: (v: number) => string) {
  const place = placeOn(axis, value);
  return [
    Plot.ruleX([value], {
      stroke: theme.muted,
      strokeDasharray: "4 3",
      ariaDescription: "reference",
    }),
    Plot.text([value], {
      x: (value: number) => value,
      frameAnchor: "top",
      dy: -18,
      textAnchor: place < 0.25 ? "start" : place > 0.75 ? "end" : "middle",
      text: () => `${label} ${write(value)}`.trim(),
      fill: theme.muted,
      ariaDescription: "reference value",
    }),
  ];
}

/**
 * Returns the space for values beside the bars. Values that would overlap marks or grid are in a column at the right.
 */
function roomOf(plan: BarsPlan, bars: readonly Bar[], axis: Axis) {
  const face = { ...theme.label, bold: plan.as === "flows" };
  const widest = (some: readonly Bar[]) =>
    Math.max(0, ...some.map(({ text }) => textWidth(text, face))) + 8;
  const negative = bars.filter(({ value }) => value < 0);
  const positive = bars.filter(({ value }) => value >= 0);
  const both = negative.length > 0 && positive.length > 0;
  if (axis.type === "log" || plan.as !== "bars" || both) {
    const head = plan.as === "flows" ? textWidth("Net flow", face) + 8 : 0;
    return { left: 0, right: Math.max(head, widest(bars)) + 6, column: true };
  }
  const left = negative.length === 0 ? 0 : widest(negative);
  return { left, right: Math.max(widest(positive), 20), column: false };
}

function textMarks(
  bars: readonly Bar[],
  { column, right }: { column: boolean; right: number },
  bold: boolean,
) {
  const style = {
    y: "row",
    text: "text",
    ariaDescription: bold ? "net value" : "value",
    ...bold ? { fontWeight: "bold" as const } : {},
  };
  if (column) {
    return [Plot.text(bars, { ...style, frameAnchor: "right", textAnchor: "end", dx: right })];
  }
  const beside = (keep: (bar: Bar) => boolean, textAnchor: "start" | "end", dx: number) =>
    Plot.text(bars.filter(keep), { ...style, x: "value", textAnchor, dx });
  return [
    beside(({ value }) => value >= 0, "start", 5),
    beside(({ value }) => value < 0, "end", -5),
  ];
}

/** Draws the names of the rows, `padding` pixels to the left of the rows. */
export function rowNames({ lines }: RowLabels, padding: number): Markish {
  return Plot.axisY({
    tickSize: 0,
    label: null,
    tickFormat: (row: number) => lines[row]!.join("\n"),
    tickPadding: padding,
    lineHeight: theme.label.line / theme.label.size,
  });
}

interface PanelPlan {
  readonly index: number;
  /** The names of the rows. Null if another panel is at the left. */
  readonly labels: RowLabels | null;
  readonly rowHeight: number;
  /** The width of the panel without the names. */
  readonly body: number;
}

function panelOf(plan: BarsPlan, look: Look, { index, labels, rowHeight, body }: PanelPlan) {
  const { items, measures, as, reference } = plan;
  const { locale, format } = look;
  const measure = measures[index]!;
  const all = barsOf(plan, index, look);
  const { drawn, beyond } = drawnBars(all);
  const axis = axisOf(plan, index, drawn);
  const log = axis.type === "log";
  const room = roomOf(plan, all, axis);
  const names = labels?.width ?? 0;
  const style = { unit: measure.unit, locale, format };
  const missing = items.flatMap(({ values, folded }, row) =>
    values[index] == null ? [{ row, says: folded ? "no sum" : "no value" }] : []
  );
  const beside = {
    y: "row",
    x: () => log ? axis.domain[0] : Math.max(axis.domain[0], 0),
    dx: 5,
    textAnchor: "start" as const,
  };
  const folded = items.flatMap(({ folded }, row) => folded && as !== "dots" ? [row] : []);
  const top = as === "flows" ? 24 : reference === undefined || reference.label === "" ? 6 : 22;
  const inset = as === "bars" ? 0 : 6;
  const length = body - room.left - room.right - 2 * inset;
  const axisWords = as === "dots" && measure.axis === "%" ? axisName(measure) : measure.axis;
  const panel: PlotOptions = {
    ...measures.length > 1 ? { title: measure.title } : {},
    width: body + names,
    height: items.length * rowHeight + top + 40,
    marginTop: top,
    marginBottom: 40,
    marginLeft: names + room.left,
    marginRight: room.right,
    x: { ...scaleOptions(axis), inset },
    y: { type: "band", domain: items.map((_, row) => row), axis: null, padding: 0 },
    marks: [
      ...acrossMarks({ axis, style, name: as === "flows" ? "US$ in one day" : axisWords }, length),
      ...labels === null ? [] : [rowNames(labels, 6 + room.left)],
      // Separates the combined row from the other rows.
      Plot.tickY(folded, {
        y: (row: number) => row,
        stroke: theme.faint,
        dy: -rowHeight / 2,
        insetLeft: -room.left,
        ariaDescription: "apart",
      }),
      ...!log && as === "dots" && axis.domain[0] < 0
        ? [Plot.ruleX([0], { stroke: theme.muted })]
        : [],
      ...reference === undefined
        ? []
        : referenceMarks(reference, axis, formatterFor([...all.map((b) => b.value)], style)),
      ...valueMarks(plan, drawn, log, rowHeight),
      ...textMarks(drawn, room, as === "flows"),
      Plot.text(as === "flows" ? ["Net flow"] : [], {
        frameAnchor: "top-right",
        textAnchor: "end",
        dx: room.right,
        dy: -16,
        fontWeight: "bold",
      }),
      Plot.text(beyond, { ...beside, text: "text", ariaDescription: "value" }),
      Plot.text(missing, {
        ...beside,
        text: "says",
        fill: theme.muted,
        ariaDescription: "missing",
      }),
    ],
  };
  return panel;
}

const FLOW_LEGEND: readonly LegendItem[] = [
  { label: "into contracts", color: GAIN_COLOR, key: "dot" },
  { label: "out of contracts", color: LOSS_COLOR, key: "dot" },
];

/** Returns the bounds of an item for the table of rows. */
function boundsOf({ lower, upper = null }: BarItem, as: BarsPlan["as"]): FigureRow {
  if (lower === undefined) return {};
  return as === "flows" ? { inflows: upper, outflows: lower && -lower } : { lower, upper };
}

/** Draws rows with bars, dots or flows, with one panel per measure. */
export function barsFigure(plan: BarsPlan, look: Look): FigureBody {
  const { items, measures, grid, as, noun } = plan;
  const width = look.inner;
  const labels = rowLabels(items.map(({ label }) => label), width);
  const least = as === "bars" ? labels.rowHeight : Math.max(26, labels.rowHeight);
  const given = look.height === undefined ? 0 : (look.height - 46) / Math.max(1, items.length);
  const rowHeight = Math.max(least, given);
  const indexes = measures.map((_, index) => index);
  const rows = grid === undefined
    ? [indexes]
    : [...Map.groupBy(indexes, (index) => grid[index]!).values()];
  const most = Math.max(1, Math.floor((width - labels.width + GAP) / (NARROWEST + GAP)));
  const longest = Math.max(...rows.map((row) => row.length));
  const columns = Math.min(longest, most, longest === 4 ? 2 : 3);
  const body = (width - labels.width - GAP * (columns - 1)) / columns;
  const blank = { width: body, height: 1, margin: 0, axis: null, marks: [] };
  const panels = rows.flatMap((row) => [
    ...row.map((index, place) => {
      const first = place % columns === 0;
      return panelOf(plan, look, { index, rowHeight, body, labels: first ? labels : null });
    }),
    ...Array.from({ length: (columns - row.length % columns) % columns }, () => blank),
  ]);
  return {
    columns,
    gap: GAP,
    panels,
    legend: as === "flows" ? FLOW_LEGEND : [],
    rows: items.map((item) => ({
      [noun]: item.label,
      ...Object.fromEntries(
        measures.map(({ title }, index) => [title, item.values[index] ?? null]),
      ),
      ...boundsOf(item, as),
    })),
  };
}
