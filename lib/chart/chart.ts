import type { DataFrame } from "../table/polars.ts";
import type { MimeBundle } from "../table/show.ts";
import type { PlotOptions } from "./drawing/observable_plot.ts";

/**
 * The words of a chart.
 *
 * @category Charts
 */
export interface About {
  /** What is shown, over the chart. */
  readonly title: string;
  /** How to read it, below the title. */
  readonly subtitle: string;
  /** Below the chart: where the data came from, and what was left out or put together. */
  readonly caption: readonly string[];
  /** What the chart shows, for those who cannot see it. */
  readonly label: string;
}

/** The words of a chart as plain text, for terminals and screen readers. */
export function aboutText({ title, subtitle, caption, label }: About): string {
  return [title, subtitle, label, ...caption].filter((line) => line !== "").join("\n");
}

/**
 * The method by which Jupyter kernels ask an object for its display.
 *
 * @category Charts
 */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

/**
 * The method by which `console.log` and `Deno.inspect` ask an object for its text.
 *
 * @category Charts
 */
export const DENO_INSPECT: unique symbol = Symbol.for("Deno.customInspect");

export type { MimeBundle };

/**
 * The looks a chart has.
 *
 * @category Charts
 */
export const THEMES = ["auto", "light", "dark"] as const;

/**
 * Dark on light, light on dark, or whichever the reader's system asks for.
 *
 * @category Charts
 */
export type Theme = typeof THEMES[number];

/**
 * How the text of an SVG file is kept.
 *
 * @category Charts
 */
export const SVG_TEXTS = ["plain", "embedded", "outlines"] as const;

/**
 * Options of an SVG file.
 *
 * @category Charts
 */
export interface SvgOptions {
  /**
   * `"plain"`: text, set in the fonts of the reader's machine, for which the layout has room. `"embedded"`:
   * text, with the letters of the bundled font that it uses inside the file. `"outlines"`: shapes, which look
   * the same in every program and cannot be searched.
   * @default {"plain"}
   */
  readonly text?: typeof SVG_TEXTS[number];
}

/**
 * Options of a PNG file.
 *
 * @category Charts
 */
export interface PngOptions {
  /**
   * The width in CSS pixels; the height follows.
   * @default {the width of the chart}
   */
  readonly width?: number;
  /**
   * How many pixels the picture has for one CSS pixel.
   * @default {2}
   */
  readonly scale?: number;
  /**
   * How many pixels the picture has for an inch, 96 of which are one for one; the file says so. In place of
   * `scale`.
   * @default {none}
   */
  readonly dpi?: number;
}

/**
 * Options of a PDF file.
 *
 * @category Charts
 */
export interface PdfOptions {
  /**
   * The width in CSS pixels, of which 336 are the 89 mm of a journal's column and 692 the 183 mm of two. The
   * chart is drawn anew at this width.
   * @default {the width of the chart}
   */
  readonly width?: number;
}

/**
 * A drawing that shows itself in a notebook, and gives itself out in other forms.
 *
 * @category Charts
 */
export interface Chart<Spec = unknown> {
  /** The title as it stands over the chart. */
  readonly title: string;
  /** What the chart is drawn from, to change and redraw: see `drawPlot` and `drawVega`. */
  readonly spec: Promise<Spec>;
  /** The frame that knows where the data came from; undefined for a spec of one's own. */
  readonly source: DataFrame | undefined;
  /** One SVG file: title, legend and colors inside, nothing outside needed. */
  svg(options?: SvgOptions): Promise<string>;
  /**
   * One PNG file, with a bundled font, so that it is the same on every machine. Of scripts that the font does
   * not have (Chinese, Japanese, Korean, Thai, …) the letters come from the fonts of the machine. A chart whose
   * theme is `"auto"` is light.
   */
  png(options?: PngOptions): Promise<Uint8Array>;
  /** One PDF file: shapes and text, the bundled font inside. A chart whose theme is `"auto"` is light. */
  pdf(options?: PdfOptions): Promise<Uint8Array>;
  /** One HTML file that works offline. */
  html(): Promise<string>;
  /** What the Deno kernel shows. */
  [JUPYTER_DISPLAY](): Promise<MimeBundle>;
  /** What `console.log` shows. */
  [DENO_INSPECT](): string;
}

/**
 * One row of what a chart draws.
 *
 * @category Charts
 */
export type FigureRow = Readonly<Record<string, string | number | Date | boolean | null>>;

/**
 * One entry of a legend.
 *
 * @category Charts
 */
export interface LegendItem {
  /** The words beside the key. */
  readonly label: string;
  /** Color of the key, as CSS. */
  readonly color: string;
  /** `line` with the marker of its series, `dashed`, `band`, a `whisker`, a filled `square`, or a `diamond`. */
  readonly key: "line" | "dashed" | "band" | "whisker" | "square" | "diamond";
  /** The marker on a line, as a path about the origin, of the area of a circle of radius 1. */
  readonly marker?: string;
}

/**
 * A figure: its words, its legend, and the options of one `Plot.plot` for each panel.
 *
 * @category Charts
 */
export interface PlotFigure extends About {
  /** The width of the whole figure in pixels. */
  readonly width: number;
  /** The entries of the legend; none where the lines or bars carry their names. */
  readonly legend: readonly LegendItem[];
  /** How many panels stand side by side. */
  readonly columns: number;
  /** The space between panels that stand side by side, in pixels. */
  readonly gap: number;
  /**
   * Name of the vertical axis of all panels, if they share it: it stands once above them, and each title above the
   * frame of its panel.
   * @default {none: each panel names its own}
   */
  readonly axis?: string;
  /** The options of each panel, `title` included, in the colors of the light theme. */
  readonly panels: readonly PlotOptions[];
  /** The rows that are drawn. */
  readonly rows: readonly FigureRow[];
  /** Charts that stand together, each with its letter and its notes, in place of panels. */
  readonly parts?: readonly PlotFigure[];
  /** The look: colors are changed when the figure is drawn. */
  readonly theme: Theme;
}

/**
 * A Vega-Lite spec, as its documentation describes it: plain data, in the colors of the light theme.
 *
 * @category Charts
 */
export type VegaSpec = Readonly<Record<string, unknown>>;
