import type { About, PlotSpec, Theme } from "./chart.ts";
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
  /** The colors chosen by the caller, by id or name. `own` has the colors of ids when the chart was made. */
  readonly colors: Readonly<Record<string, string>> | undefined;
  readonly own: ReadonlyMap<string, string> | undefined;
}

/** The options and texts of a ready-made chart. */
export interface ChartLook extends Look {
  readonly about: About;
  readonly theme: Theme;
}

/** The drawn part of a figure. The title, the subtitle and the caption are added later, from `about`. */
export type FigureBody =
  & Pick<PlotSpec, "panels" | "rows">
  & Partial<Pick<PlotSpec, "legend" | "columns" | "gap" | "axis">>
  & {
    /** Notes on what has no room at this width. */
    readonly notes?: readonly string[];
  };
