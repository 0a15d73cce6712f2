import type { PlotFigure } from "../chart.ts";
import { formatterFor, type NumberFormat } from "../format.ts";
import type { Look } from "../options.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { noData, rowLabelMarks } from "./axes.ts";
import { changeSteps, stepLegend, stepOf } from "./color_steps.ts";
import { loadPlot, type ObservablePlot, type PlotOptions } from "./observable_plot.ts";

/** A chain with its change over each window; null where there is none. */
export interface GrowthRow {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** A table of growth: what it says, its windows and rows, and how it looks. */
export interface GrowthView extends Look {
  /** None where no value is known. */
  readonly windows: readonly string[];
  /** The window that gives the order; -1 where it is not drawn. */
  readonly order: number;
  readonly rows: readonly GrowthRow[];
}

const TOP = 24;

function tablePanel(
  Plot: ObservablePlot,
  view: GrowthView,
  { steps, width }: { steps: ReturnType<typeof changeSteps>; width: number },
): PlotOptions {
  const { rows, windows, order, locale, format } = view;
  const labels = rowLabels(rows.map(({ label }) => label), width);
  const cell = (width - labels.width) / windows.length;
  const values = rows.flatMap(({ values }) => values);
  const write = formatterFor(values, { unit: "change", locale, format });
  const cells = rows.flatMap(({ values }, row) =>
    values.flatMap((value, window) => {
      if (value === null) return [];
      const { color, ink } = stepOf(steps, value);
      return [{ row, window, value, text: write(value), fill: color, ink }];
    })
  );
  const widest = Math.max(...cells.map(({ text }) => textWidth(text, theme.label)));
  const narrow = windows.some((name) => textWidth(name, theme.label) + 6 > cell);
  return {
    ...{ width, height: TOP + rows.length * labels.rowHeight + 4 },
    ...{ marginTop: TOP, marginLeft: labels.width, marginRight: 0, marginBottom: 4 },
    x: { type: "band", domain: windows.map((_, window) => window), axis: null, padding: 0 },
    y: { type: "band", domain: rows.map((_, row) => row), axis: null, padding: 0 },
    color: { type: "identity" },
    marks: [
      ...[true, false].map((bold) =>
        Plot.text(
          windows.flatMap((name, window) => (window === order) === bold ? [{ name, window }] : []),
          {
            x: "window",
            text: ({ name }: { name: string }) => narrow ? name.replace(/ days?/, "d") : name,
            ...{ frameAnchor: "top", dy: -12, ariaDescription: "window" },
            fontWeight: bold ? "bold" : "normal",
          },
        )
      ),
      ...rowLabelMarks(Plot, labels, 8),
      Plot.cell(cells, { x: "window", y: "row", fill: "fill", inset: 0.75 }),
      ...widest + 2 > cell ? [] : [
        Plot.text(cells, {
          ...{ x: "window", y: "row", text: "text", fill: "ink", ariaDescription: "change" },
        }),
      ],
    ],
  };
}

/** Edges in whole percents, but for the finest. */
function edgeFormat(least: number): NumberFormat {
  return {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: least < 0.01 ? 1 : 0,
  };
}

/** The figure of a table of growth. */
export async function growthFigure(view: GrowthView): Promise<PlotFigure> {
  const { about, theme: look, windows, rows, width, locale } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0, legend: [] };
  if (windows.length === 0) {
    return { ...page, rows: [], panels: [noData(Plot, about.label, inner)] };
  }
  const known = rows.flatMap(({ values }) => values.filter((value) => value !== null));
  const steps = changeSteps(known, locale);
  const write = formatterFor(
    steps.slice(1).map(({ from }) => Math.round(from * 1000) / 1000),
    { unit: "change", locale, format: edgeFormat(steps[5]!.from) },
  );
  return {
    ...page,
    rows: rows.map(({ label, values }) => ({
      chain: label,
      ...Object.fromEntries(windows.map((window, index) => [window, values[index]!])),
    })),
    panels: [
      stepLegend(Plot, steps, { width: inner, title: "Change", write, along: Math.log1p }),
      tablePanel(Plot, view, { steps, width: inner }),
    ],
  };
}
