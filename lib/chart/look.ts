import type { PlotFigure } from "./chart.ts";
import type { NumberFormat } from "./format.ts";

/** How a chart is drawn: what the drawing code reads of its options. */
export interface Look {
  /** The width of the whole figure, and of what is inside its padding. */
  readonly width: number;
  readonly inner: number;
  readonly height: number | undefined;
  readonly locale: string;
  readonly format: NumberFormat | undefined;
  readonly highlight: readonly string[] | undefined;
  readonly colors: Readonly<Record<string, string>> | undefined;
}

/** What a family draws: the words come from the ready chart. */
export type FigureBody =
  & Pick<PlotFigure, "panels" | "rows">
  & Partial<Pick<PlotFigure, "legend" | "columns" | "gap" | "axis">>;
