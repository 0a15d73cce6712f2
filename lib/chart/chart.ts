import { terminalText } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { PlotOptions } from "./drawing/observable_plot.ts";

/**
 * Returns the texts of a chart as plain text, for terminals and screen readers. Each text is one line, and control
 * characters of names are replaced.
 */
export function aboutText({ title, subtitle, caption, label }: About): string {
  return [title, subtitle, label, ...caption].filter((line) => line !== "")
    .map((line) => terminalText(line.replace(/\s+/g, " "))).join("\n");
}

/** The key of the method that Jupyter kernels call to display an object. */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

/** The key of the method that `console.log` and `Deno.inspect` call to print an object. */
export const DENO_INSPECT: unique symbol = Symbol.for("Deno.customInspect");

/** The color themes. `"auto"` follows the color scheme of the reader's system. */
export const THEMES = ["auto", "light", "dark"] as const;

export type Theme = typeof THEMES[number];

/** The theme of a drawing, and the colors of the dark theme that a user gives, by color of the light theme. */
export interface Coloring {
  readonly theme: Theme;
  readonly dark?: Readonly<Record<string, string>> | undefined;
}

/** The ways to store text in an SVG file. */
export const SVG_TEXTS = ["plain", "outlines"] as const;

/**
 * A chart that displays itself in a notebook and exports itself to other formats.
 *
 * @category Charts
 */
export interface Chart<Spec = unknown> {
  /** The title above the chart. */
  readonly title: string;
  /** The columns that were chosen to be drawn, or the name of what is drawn. Empty if the chart has your own spec. */
  readonly field: string;
  /** The spec of the chart. To change the chart, pass a changed spec to `drawPlot` or `drawVega`. */
  readonly spec: Promise<Spec>;
  /** The frame that records the source of the data. Undefined if the chart was drawn from your own spec. */
  readonly source: DataFrame | undefined;
  /** The language of numbers and dates, if the option `locale` gave one. */
  readonly locale?: string | undefined;
  /** Returns one self-contained SVG file with title and legend. A chart of your own spec is the same at every width. */
  svg(options?: {
    /**
     * `"plain"` writes text in Inter, and embeds the letters that the file has. `"outlines"` writes text as shapes, which
     * look the same in every program but cannot be searched. A text with a letter that the bundled fonts lack (Chinese,
     * Japanese, Korean, Thai, …) stays text.
     * @default {"plain"}
     */
    readonly text?: "plain" | "outlines";
    /**
     * The width in CSS pixels, 320 to 4000. The chart is laid out again at this width.
     * @default {the width of the chart}
     */
    readonly width?: number;
  }): Promise<string>;
  /**
   * Returns a PNG file. The texts use a bundled font, so the file is the same on every machine. Characters that the
   * bundled font lacks (Chinese, Japanese, Korean, Thai, …) are drawn with fonts of the machine. A chart with theme
   * `"auto"` is light.
   */
  png(options?: {
    /**
     * The width in CSS pixels. The height keeps the proportions of the chart.
     * @default {the width of the chart}
     */
    readonly width?: number;
    /**
     * The resolution in pixels per inch. 96 gives one image pixel per CSS pixel. The resolution is stored in the file.
     * @default {192, which is not stored}
     */
    readonly dpi?: number;
  }): Promise<Uint8Array>;
  /** Returns one PDF file with vector graphics. Its text is selectable, and uses the bundled font. A chart with theme `"auto"` is light. */
  pdf(options?: {
    /**
     * The width in CSS pixels: 336 for one column of a journal (89 mm), 692 for two columns (183 mm). The chart is laid
     * out again at this width.
     * @default {the width of the chart}
     */
    readonly width?: number;
  }): Promise<Uint8Array>;
  /** Returns one HTML file that works offline. */
  html(): Promise<string>;
  /** Returns the title and the width of the chart. */
  toString(): string;
}

/** The methods by which a chart displays itself. */
export interface Displayed {
  /** Returns the output that the Deno kernel displays. */
  [JUPYTER_DISPLAY](): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the text that `console.log` prints. */
  [DENO_INSPECT](): string;
}

export type SvgOptions = Parameters<Chart["svg"]>[0];
export type PngOptions = Parameters<Chart["png"]>[0];
export type PdfOptions = Parameters<Chart["pdf"]>[0];

/**
 * The spec of a chart of Observable Plot: texts, a legend, and options of `Plot.plot` for each panel.
 *
 * @category Charts
 */
export interface PlotSpec {
  /** The title above the chart. */
  readonly title: string;
  /** The line below the title. This line explains how to read the chart. */
  readonly subtitle: string;
  /** Notes below the chart: source of the data, and rows that are left out or summed. */
  readonly caption: readonly string[];
  /** Alternative text for screen readers. */
  readonly label: string;
  /** The width of the whole figure in pixels. */
  readonly width: number;
  /** The entries of the legend. The list is empty if lines or bars are labeled directly. */
  readonly legend: readonly {
    /** The text of the entry. */
    readonly label: string;
    /** The CSS color of the key, which is the symbol beside the text. */
    readonly color: string;
    /**
     * The shape of the key: a `line`, a `dashed` line, a `band`, a `whisker`, a filled `square`, a `dot` (or its
     * `marker`), or a `ramp` of `colors`.
     */
    readonly key: "line" | "dashed" | "band" | "whisker" | "square" | "dot" | "ramp";
    /** The colors of a ramp, from left to right. */
    readonly colors?: readonly string[];
    /** The text at the left end of a ramp. Its `label` is the text at the right end. */
    readonly from?: string;
    /** Whether the marker is not filled. */
    readonly hollow?: boolean;
    /**
     * The symbol of a `dot`, as an SVG path. The path is centered at the origin and has the area of a circle of radius
     * 1.
     */
    readonly marker?: string;
  }[];
  /** The number of panels in a row. */
  readonly columns: number;
  /** The space between the panels of a row, in pixels. */
  readonly gap: number;
  /**
   * The options of `Plot.plot` for each panel, including its `title` and its `subtitle`, which follows the title on the
   * same line. Colors are those of the light theme.
   */
  readonly panels: readonly PlotOptions[];
  /** The data rows that are drawn. */
  readonly rows: readonly Readonly<Record<string, string | number | Date | boolean | null>>[];
  /**
   * The charts of a combined figure, with their letters and notes. A combined figure has `parts` in place of `panels`.
   */
  readonly parts?: readonly PlotSpec[];
  /** The theme to which colors are converted when the figure is drawn. */
  readonly theme: "auto" | "light" | "dark";
  /**
   * Colors of the dark theme, by color of the light theme.
   * @default {those of chainframe's palette; other colors become lighter}
   */
  readonly dark?: Readonly<Record<string, string>>;
}

/** The texts of a chart. */
export type About = Pick<PlotSpec, "title" | "subtitle" | "caption" | "label">;

/** One entry of a legend. */
export type LegendItem = PlotSpec["legend"][number];

/** One row of the drawn data. */
export type FigureRow = PlotSpec["rows"][number];

/** A Vega-Lite spec as plain data, with the colors of the light theme. */
export type VegaSpec = Readonly<Record<string, unknown>>;

/**
 * A chart drawn by Observable Plot.
 *
 * @category Charts
 */
export interface PlotChart extends Chart<PlotSpec> {
  /**
   * Returns an interactive version of a chart of lines, bars, cells or dots, drawn by Vega-Lite. Pointing at a mark,
   * touching it, or focusing it by keyboard shows its name, its value and its interval. A line shows the nearest point.
   * Notebooks and HTML files are interactive.
   * SVG, PNG and PDF files show the chart as it is without interaction.
   *
   * @throws {RangeError} for stacks, ranks, event studies, charts of several parts, figures, and your own specs.
   */
  interactive(): VegaChart;
}

/**
 * A chart drawn by Vega-Lite. Its `spec` is plain data.
 *
 * @category Charts
 */
export type VegaChart = Chart<Readonly<Record<string, unknown>>>;
