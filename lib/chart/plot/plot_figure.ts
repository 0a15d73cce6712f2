import type { About } from "../about.ts";
import type { LegendItem } from "../page/legend.ts";
import type { FigureRow } from "../read/figure_row.ts";
import type { PlotOptions } from "./observable_plot.ts";

/** A figure: its words, its legend, and the options of one `Plot.plot` for each panel. */
export interface PlotFigure extends About {
  /** The width of the whole figure in pixels. */
  readonly width: number;
  /** The entries of the legend; none where the lines or bars carry their names. */
  readonly legend: readonly LegendItem[];
  /** How many panels stand side by side. */
  readonly columns: number;
  /** The space between panels that stand side by side, in pixels. */
  readonly gap: number;
  /** The options of each panel, `title` included. */
  readonly panels: readonly PlotOptions[];
  /** The rows that are drawn. */
  readonly rows: readonly FigureRow[];
}
