import type { DataFrame } from "../table/polars.ts";
import type { MimeBundle } from "../table/show.ts";

/** The words of a chart. */
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

/** The method by which Jupyter kernels ask an object for its display. */
export const JUPYTER_DISPLAY: unique symbol = Symbol.for("Jupyter.display");

/** The method by which `console.log` and `Deno.inspect` ask an object for its text. */
export const DENO_INSPECT: unique symbol = Symbol.for("Deno.customInspect");

export type { MimeBundle };

/** Options of `png`. */
/** Options of a PNG file. */
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
}

/** A drawing that shows itself in a notebook, and gives itself out in other forms. */
export interface Chart<Spec = unknown> {
  /** The title as it stands over the chart. */
  readonly title: string;
  /** What the chart is drawn from, to change and redraw: see `drawPlot` and `drawVega`. */
  readonly spec: Spec;
  /** The frame that knows where the data came from; undefined for a spec of one's own. */
  readonly from?: DataFrame | undefined;
  /** One SVG file: title, legend, fonts and colours inside, nothing outside needed. */
  svg(): Promise<string>;
  /**
   * One PNG file, with a bundled font, so that it is the same on every machine. Of scripts that the font does
   * not have (Chinese, Japanese, Korean, Thai, …) the letters come from the fonts of the machine.
   */
  png(options?: PngOptions): Promise<Uint8Array>;
  /** One HTML file that works offline. */
  html(): Promise<string>;
  /** What the Deno kernel shows. */
  [JUPYTER_DISPLAY](): Promise<MimeBundle>;
  /** What `console.log` shows. */
  [DENO_INSPECT](): string;
}

/** One row of what a chart draws. */
export type FigureRow = Readonly<Record<string, string | number | Date | boolean | null>>;
