import type { About, PlotSpec } from "./chart.ts";
import type { Settings } from "./options.ts";

/** The options of a ready-made chart at a width. */
export interface Look extends Settings {
  /** The width inside the padding of the figure, in pixels. `width` is the width of the whole figure. */
  readonly inner: number;
  /** The colors of ids when the chart was made. The option `colors` has those that the caller chose. */
  readonly own: ReadonlyMap<string, string> | undefined;
  readonly about: About;
}

/** The drawn part of a figure. The title, the subtitle and the caption are added later, from `about`. */
export type FigureBody =
  & Pick<PlotSpec, "panels" | "rows">
  & Partial<Pick<PlotSpec, "legend" | "columns" | "gap">>
  & {
    /** Notes on what has no room at this width, and a fact for the subtitle. */
    readonly notes?: readonly string[];
    readonly said?: string;
    /** The words of the only vertical axis for the subtitle: `logarithmic axis`. */
    readonly axis?: string;
  };
