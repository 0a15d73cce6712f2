import type { About, PlotFigure, Theme } from "./chart.ts";
import type { NumberFormat } from "./format.ts";

/** The options that drawing code reads. */
export interface Look {
  /** The width of the whole figure, in pixels. `inner` is the width inside its padding. */
  readonly width: number;
  readonly inner: number;
  readonly height: number | undefined;
  readonly locale: string;
  readonly format: NumberFormat | undefined;
  readonly highlight: readonly string[] | undefined;
  readonly colors: Readonly<Record<string, string>> | undefined;
}

/** The options and texts of a ready-made chart. */
export interface ChartLook extends Look {
  readonly about: About;
  readonly theme: Theme;
}

/** The drawn part of a figure. The title, the subtitle and the caption are added later, from `about`. */
export type FigureBody =
  & Pick<PlotFigure, "panels" | "rows">
  & Partial<Pick<PlotFigure, "legend" | "columns" | "gap" | "axis">>;
