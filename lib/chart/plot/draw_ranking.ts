import type { PlotFigure } from "../chart.ts";
import { type RowLabels, rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import {
  noData,
  rowLabelMarks,
  scaleOptions,
  type ValueAxis,
  valueAxis,
  valueAxisMarks,
} from "./axes.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";
import { planeAxis } from "./plane_axes.ts";
import { type Bar, barsOf, drawnBars, type RankedView } from "./ranked_bars.ts";

/** The axis of the values of a panel: of those to both sides of zero it ends at round numbers. */
function axisOf(values: readonly number[], scale: RankedView["scale"]): ValueAxis {
  const signed = values.some((value) => value < 0) && values.some((value) => value >= 0);
  return signed ? planeAxis(values, { scale: "linear", zero: true }) : valueAxis(values, scale);
}

interface PanelPlan {
  readonly index: number;
  /** The names of the rows; null in a panel that has a neighbour at its left. */
  readonly labels: RowLabels | null;
  readonly rowHeight: number;
  /** The width of the panel without the names. */
  readonly body: number;
}

const NARROWEST = 150;
const GAP = 16;

/**
 * Room for the values that are written beside the bars; of bars to both sides of zero, and on a logarithmic axis,
 * whose grid would run through them, in a column at the right.
 */
function valueRoom(
  bars: readonly Bar[],
  { type }: ValueAxis,
): { left: number; right: number; column: boolean } {
  const widest = (side: readonly Bar[]) =>
    Math.max(0, ...side.map(({ text }) => textWidth(text, { size: theme.label.size }))) + 8;
  const negative = bars.filter(({ value }) => value < 0);
  const positive = bars.filter(({ value }) => value >= 0);
  if (type === "log" || (negative.length > 0 && positive.length > 0)) {
    return { left: 0, right: widest(bars) + 4, column: true };
  }
  return {
    left: negative.length === 0 ? 0 : widest(negative),
    right: Math.max(widest(positive), 20),
    column: false,
  };
}

function barMarks(
  Plot: ObservablePlot,
  bars: readonly Bar[],
  { log, column }: {
    readonly log: boolean;
    /** How far right of the frame the values end, where they stand in a column. */
    readonly column: number | null;
  },
): Markish[] {
  const body = log
    ? [
      // A logarithmic axis has no zero from which a line could begin.
      Plot.ruleY(bars, { y: "row", stroke: theme.grid }),
      Plot.dot(bars, { y: "row", x: "value", fill: "color", r: 5 }),
    ]
    : [
      Plot.barX(bars, { y: "row", x: "value", fill: "color", insetTop: 3, insetBottom: 3 }),
      Plot.ruleX([0], { stroke: theme.muted }),
    ];
  const texts = (keep: (bar: Bar) => boolean, textAnchor: "start" | "end", dx: number) =>
    Plot.text(bars.filter(keep), {
      ...{ y: "row", x: "value", text: "text", textAnchor, dx, ariaDescription: "value" },
    });
  if (column !== null) {
    const value = Plot.text(bars, {
      ...{ y: "row", text: "text", frameAnchor: "right", textAnchor: "end", dx: column },
      ariaDescription: "value",
    });
    return [...body, value];
  }
  return [
    ...body,
    texts(({ value }) => value >= 0, "start", 5),
    texts(({ value }) => value < 0, "end", -5),
  ];
}

function panelOf(
  Plot: ObservablePlot,
  view: RankedView,
  { index, labels, rowHeight, body }: PanelPlan,
): PlotOptions {
  const { entities, words, scale, locale, format } = view;
  const field = words[index]!;
  const all = barsOf(view, index);
  const { bars, beyond } = drawnBars(all, entities);
  const axis = axisOf(bars.map(({ value }) => value), scale);
  const room = valueRoom(all, axis);
  const names = labels?.width ?? 0;
  const missing = entities.flatMap(({ values, folded }, row) =>
    values[index] === null ? [{ row, says: folded ? "no sum" : "no value" }] : []
  );
  const beside = { y: "row", x: () => Math.max(axis.domain[0], 0), textAnchor: "start" as const };
  const folded = entities.flatMap(({ folded }, row) => folded ? [row] : []);
  return {
    ...words.length > 1 ? { title: field.title } : {},
    ...{ width: body + names, height: entities.length * rowHeight + 46 },
    ...{ marginTop: 6, marginBottom: 40 },
    marginLeft: names + room.left,
    marginRight: room.right,
    x: scaleOptions(axis),
    y: { type: "band", domain: entities.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      ...valueAxisMarks(Plot, axis, {
        style: { unit: field.unit, locale, format },
        width: body - room.left - room.right,
        name: field.axis,
      }),
      ...labels === null ? [] : rowLabelMarks(Plot, labels, 6 + room.left),
      // What was put together stands apart.
      Plot.tickY(folded, {
        y: (row: number) => row,
        ...{
          stroke: theme.faint,
          dy: -rowHeight / 2,
          insetLeft: -room.left,
          ariaDescription: "apart",
        },
      }),
      ...barMarks(Plot, bars, {
        log: axis.type === "log",
        column: room.column ? room.right : null,
      }),
      Plot.text(beyond, { ...beside, text: "text", dx: 5, ariaDescription: "value" }),
      Plot.text(missing, {
        ...beside,
        ...{ text: "says", dx: 5, fill: theme.muted, ariaDescription: "missing" },
      }),
    ],
  };
}

/** A place for a panel that a shorter row leaves free. */
function blank(width: number): PlotOptions {
  return { width, height: 1, margin: 0, axis: null, marks: [] };
}

/** A panel for each field; on a logarithmic axis dots, because a bar there would have no zero. */
function rankedPanels(Plot: ObservablePlot, view: RankedView) {
  const { entities, words, grid } = view;
  const width = view.width - 2 * theme.padding;
  const labels = rowLabels(entities.map(({ label }) => label), width);
  const most = Math.max(1, Math.floor((width - labels.width + GAP) / (NARROWEST + GAP)));
  const rows = grid === undefined ? [words.map((_, index) => index)] : [
    ...Map.groupBy(words.map((_, index) => index), (index) => grid[index]!).values(),
  ];
  const longest = Math.max(...rows.map((row) => row.length));
  const columns = Math.min(longest, most, longest === 4 ? 2 : 3);
  const body = (width - labels.width - GAP * (columns - 1)) / columns;
  const panels = rows.flatMap((row) => [
    ...row.map((index, place) =>
      panelOf(Plot, view, {
        ...{ index, rowHeight: labels.rowHeight, body },
        labels: place % columns === 0 ? labels : null,
      })
    ),
    ...Array.from({ length: (columns - row.length % columns) % columns }, () => blank(body)),
  ]);
  return { columns, gap: GAP, panels };
}

/** The figure of a ranked chart. */
export async function rankedFigure(view: RankedView): Promise<PlotFigure> {
  const { about, theme: look, entities, fields, noun, width } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const rows = entities.map(({ label, values }) => ({
    [noun]: label,
    ...Object.fromEntries(fields.map((field, index) => [field, values[index]!])),
  }));
  return {
    ...about,
    ...{ width, theme: look, legend: [], rows },
    ...entities.length > 0
      ? rankedPanels(Plot, view)
      : { panels: [noData(Plot, about.label, inner)], columns: 1, gap: 0 },
  };
}
