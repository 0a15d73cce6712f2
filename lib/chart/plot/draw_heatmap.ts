import type { PlotFigure } from "../chart.ts";
import type { CurvePoint } from "../curves.ts";
import { formatCount, formatterFor } from "../format.ts";
import type { Look } from "../options.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, rowLabelMarks } from "./axes.ts";
import { type ColorStep, shareSteps, stepLegend, stepOf } from "./color_steps.ts";
import {
  loadPlot,
  type Markish,
  type ObservablePlot,
  type PlotOptions,
} from "./observable_plot.ts";

/** A cohort of a heat map. */
export interface CohortRow {
  readonly label: string;
  /** Users at the start; null when not known. */
  readonly size: number | null;
  readonly points: readonly CurvePoint[];
  /** The month that was not over on the last day of the data; null where none is known. */
  readonly running: number | null;
}

/** A cohort triangle: what it says, its rows, and how it looks. */
export interface HeatmapView extends Look {
  /** Oldest first; none when no value is known. */
  readonly cohorts: readonly CohortRow[];
  /** All cohorts together. */
  readonly average: CohortRow | null;
}

/** A cell of the triangle. */
export interface HeatCell {
  readonly row: number;
  readonly month: number;
  readonly retention: number;
  readonly text: string;
  readonly step: ColorStep;
}

/** The triangle as it is drawn: its rows from the top, its cells, and their colours. */
export interface HeatTable {
  readonly rows: readonly CohortRow[];
  readonly months: readonly number[];
  readonly cells: readonly HeatCell[];
  readonly steps: readonly ColorStep[];
}

/** In month 0 everybody is there: it has no colour, and does not stretch the scale. */
const START: Pick<ColorStep, "color" | "ink"> = { color: theme.grid, ink: theme.onNear };

/** The highest share but those of month 0. */
function highestShare(cohorts: readonly CohortRow[]): number {
  const shares = cohorts.flatMap(({ points }) =>
    points.flatMap(({ month, retention }) => month === 0 || retention === null ? [] : [retention])
  );
  return shares.length === 0 ? 1 : Math.max(...shares);
}

/** Whole percents where most shares have two digits, else one decimal: one format for all cells. */
function shareFormat(shares: readonly number[], { format, locale }: HeatmapView) {
  const middle = shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0;
  const fine = middle < 0.095;
  const digits = { minimumFractionDigits: fine ? 1 : 0, maximumFractionDigits: fine ? 1 : 0 };
  const write = formatterFor(shares, {
    ...{ unit: "share", locale },
    format: format ?? { style: "percent", ...digits },
  });
  const least = fine ? 0.0005 : 0.005;
  return (share: number) =>
    format === undefined && share > 0 && share < least ? `<${write(2 * least)}` : write(share);
}

/** The rows, cells and colours of a triangle. */
export function heatTable(view: HeatmapView): HeatTable {
  const { cohorts, average, locale } = view;
  const steps = shareSteps(highestShare(cohorts), locale);
  const rows = average === null ? cohorts : [average, ...cohorts];
  const points = cohorts.flatMap(({ points }) => points);
  const later = points.filter(({ month }) => month > 0).flatMap(({ retention }) => retention ?? []);
  const write = shareFormat(later.length > 0 ? later : [1], view);
  const cells = rows.flatMap(({ points }, row) =>
    points.flatMap(({ month, retention }): HeatCell[] => {
      if (retention === null) return [];
      const step = stepOf(steps, retention);
      return [{
        ...{ row, month, retention, text: write(retention) },
        step: month === 0 ? { ...step, ...START } : step,
      }];
    })
  );
  const months = [...new Set(points.map(({ month }) => month))].toSorted((a, b) => a - b);
  return { rows, months, cells, steps };
}

const TOP = 40;
/** The room below the cells, and of the numbers there. */
const BOTTOM = 4;
const OBSERVED = 22;

function headMarks(
  Plot: ObservablePlot,
  months: readonly number[],
  { sizeWidth, cell }: { sizeWidth: number; cell: number },
): Markish[] {
  const widest = Math.max(0, ...months.map((month) => textWidth(String(month), theme.label)));
  const step = Math.ceil((widest + 4) / cell);
  const head = { fill: theme.muted, frameAnchor: "top-left" as const, dy: -18 };
  return [
    Plot.axisX({
      ...{ anchor: "top", tickSize: 0, tickFormat: String, fill: theme.muted },
      ticks: months.filter((_, index) => index % step === 0),
      label: "Months since the cohort began",
      ...{ labelAnchor: "center", labelArrow: "none", labelOffset: 36 },
    }),
    Plot.text(["Cohort"], { ...head, dx: -sizeWidth - 8, textAnchor: "end" }),
    Plot.text(["Users"], { ...head, dx: -8, textAnchor: "end" }),
  ];
}

/** The month of each cohort that is not over, as an outline. */
function runningMarks(Plot: ObservablePlot, { rows, months }: HeatTable): Markish[] {
  const cells = rows.flatMap(({ running }, row) =>
    running !== null && months.includes(running) ? [{ row, month: running }] : []
  );
  return [
    Plot.cell(cells, {
      ...{ x: "month", y: "row", fill: "none", stroke: theme.muted, strokeDasharray: "2 2" },
      ...{ inset: 1.5, ariaDescription: "running month" },
    }),
  ];
}

/** The users on whom the average of each month rests, below the months, as far as there is room. */
function observedMarks(
  { text }: ObservablePlot,
  average: CohortRow,
  { cell, left, locale }: { cell: number; left: number; locale: string },
): Markish[] {
  const known = average.points.flatMap(({ month, size }) =>
    size === null ? [] : [{ month, users: formatCount(size, locale) }]
  );
  const widest = Math.max(0, ...known.map(({ users }) => textWidth(users, theme.label)));
  const step = Math.ceil((widest + 4) / cell);
  const names = ["Users observed", "Users"];
  const name = names.find((name) => textWidth(name, theme.label) + 8 <= left) ?? "";
  const style = { fill: theme.muted, dy: 16 };
  return [
    text([name], { ...style, frameAnchor: "bottom-left", textAnchor: "end", dx: -8 }),
    text(known.filter((_, index) => index % step === 0), {
      ...{ ...style, x: "month", text: "users", frameAnchor: "bottom" },
      ariaDescription: "users observed",
    }),
  ];
}

/** The cohort triangle: months across, cohorts down, the size of each at its side. */
function heatmapPanel(
  Plot: ObservablePlot,
  table: HeatTable,
  { view, width }: { view: HeatmapView; width: number },
): PlotOptions {
  const { rows, months } = table;
  const { size } = theme.label;
  const labels = rowLabels(rows.map(({ label }) => label), width);
  const sizes = rows.map((row) => row.size === null ? "–" : formatCount(row.size, view.locale));
  const sizeWidth = Math.max(...["Users", ...sizes].map((text) => textWidth(text, { size }))) + 16;
  const left = Math.max(labels.width, textWidth("Cohort", { size }) + 8) + sizeWidth;
  const cell = (width - left) / Math.max(months.length, 1);
  const cells = table.cells.map(({ row, month, text, step: { color, ink } }) => (
    { row, month, text, fill: color, ink }
  ));
  const widest = Math.max(0, ...cells.map(({ text }) => textWidth(text, { size })));
  const { average, locale } = view;
  const bottom = BOTTOM + (average === null ? 0 : OBSERVED);
  return {
    ...{ width, height: TOP + rows.length * labels.rowHeight + bottom },
    ...{ marginTop: TOP, marginLeft: left, marginRight: 0, marginBottom: bottom },
    x: { type: "band", domain: [...months], axis: null, padding: 0 },
    y: { type: "band", domain: rows.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      ...headMarks(Plot, months, { sizeWidth, cell }),
      ...rowLabelMarks(Plot, labels, sizeWidth + 8),
      Plot.text(sizes, {
        y: (_: string, row: number) => row,
        ...{ frameAnchor: "left", textAnchor: "end", dx: -8 },
        ...{ fill: theme.muted, ariaDescription: "size" },
      }),
      Plot.cell(cells, { x: "month", y: "row", fill: "fill", inset: 0.75 }),
      ...runningMarks(Plot, table),
      // The average stands apart.
      ...average === null ? [] : [
        ...observedMarks(Plot, average, { cell, left, locale }),
        Plot.tickY([1], {
          y: (row: number) => row,
          ...{ dy: -labels.rowHeight / 2, stroke: theme.muted, insetLeft: -left },
          ...{ ariaDescription: "apart" },
        }),
      ],
      ...widest + 3 > cell ? [] : [
        Plot.text(cells, {
          ...{ x: "month", y: "row", text: "text", fill: "ink", ariaDescription: "share" },
        }),
      ],
    ],
  };
}

/** The figure of a cohort triangle. */
export async function heatmapFigure(view: HeatmapView): Promise<PlotFigure> {
  const { about, theme: look, cohorts, width, locale } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0, legend: [] };
  if (cohorts.length === 0) {
    return { ...page, rows: [], panels: [noData(Plot, about.label, inner)] };
  }
  const table = heatTable(view);
  const write = formatterFor(table.steps.map(({ from }) => from), { unit: "share", locale });
  return {
    ...page,
    rows: cohorts.flatMap(({ label, points }) =>
      points.map(({ month, retention, size }) => ({ cohort: label, month, size, retention }))
    ),
    panels: [
      stepLegend(Plot, table.steps, { width: inner, title: "Still active", write }),
      heatmapPanel(Plot, table, { view, width: inner }),
    ],
  };
}
