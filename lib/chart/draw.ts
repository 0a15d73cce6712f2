import {
  type About,
  aboutText,
  type Chart,
  DENO_INSPECT,
  type Displayed,
  JUPYTER_DISPLAY,
  type PlotSpec,
  SVG_TEXTS,
  type Theme,
  THEMES,
  type VegaSpec,
} from "./chart.ts";
import type { PlotOptions } from "./drawing/observable_plot.ts";
import { type ColoredSeries, ownColors } from "./series_colors.ts";
import { requireHighlighted } from "./highlight.ts";
import type { FigureBody, Look } from "./look.ts";
import type { Settings } from "./options.ts";
import { theme as style } from "./theme.ts";
import { aboutOf, type CaptionPlan } from "./notes.ts";
import { joined } from "./words.ts";
import { heldOutput } from "../platform/jupyter.ts";
import { checkOptions, mustBeOneOf, oneOf, pixels } from "../platform/check_options.ts";
import { nounOf, shown } from "../platform/terminal.ts";
import type { DataFrame } from "../table/build/polars.ts";
import { noteOutput } from "../table/track/own_data.ts";

/**
 * A chart drawn by Observable Plot.
 *
 * @category Charts
 */
export interface PlotChart extends Chart<PlotSpec> {
  /**
   * Returns an interactive version of a chart of lines, bars, cells or dots, drawn by Vega-Lite. Pointing at a mark,
   * touching it, or focusing it by keyboard shows the columns of its row. Notebooks and HTML files are interactive.
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

/** The function of a ready-made chart, such as `plotTimeline`. */
export type ChartFunction = (frame: DataFrame, options: never) => PlotChart;

/** The texts and options of a chart, and a function that makes the chart's spec for a given width. */
interface Plan<Spec> {
  readonly about: About;
  readonly theme: Theme;
  readonly width: number;
  /** The frame with the source of the data. */
  readonly source?: DataFrame | undefined;
  /** The columns that are drawn, or their name. */
  readonly field?: string;
  /** The frame that is drawn, and a function that draws another frame with the same options, for ready-made charts. */
  readonly frame?: DataFrame;
  readonly again?: (frame: DataFrame) => PlotChart;
  /** Makes the spec for a width, and for another height of its panels than the chart has. */
  readonly spec: (width: number, height?: number) => Promise<Spec> | Spec;
  /** Returns whether the chart has an interactive version. */
  readonly isInteractive?: () => boolean;
}

/** The plans of charts. A combined figure uses the plans to redraw its charts. */
const plans = new WeakMap<object, Plan<PlotSpec>>();

/** Returns the plan of a chart, or undefined if Plot does not draw the chart. */
export function plotPlan(chart: object): Plan<PlotSpec> | undefined {
  return plans.get(chart);
}

/** The functions that draw charts: lines, bars, cells, dots, and forms that have no interactive version. */
type Figures = Pick<
  Drawing,
  | "linesFigure"
  | "barsFigure"
  | "cellsFigure"
  | "scatterFigure"
  | "stacksFigure"
  | "eventsFigure"
>;

/** Returns whether a chart draws one figure, of a form that has an interactive version. */
function drawsOneForm(figure: (draw: Figures, look: Look) => FigureBody, look: Look): boolean {
  const forms: boolean[] = [];
  const note = (isInteractive: boolean): FigureBody => {
    forms.push(isInteractive);
    return { panels: [], rows: [] };
  };
  const [still, interactive] = [() => note(false), () => note(true)];
  figure({
    linesFigure: ({ ranks = false }) => note(!ranks),
    ...{ barsFigure: interactive, cellsFigure: interactive, scatterFigure: interactive },
    ...{ stacksFigure: still, eventsFigure: still },
  }, look);
  return forms.length === 1 && forms[0]!;
}

// The import specifiers are computed, so that drawing code is loaded when the first chart is drawn, not when the module
// is imported.
type Drawing = typeof import("./drawing/drawing.ts");
const drawing = (): Promise<Drawing> =>
  import(new URL("./drawing/drawing.ts", import.meta.url).href);
type VegaDrawing = typeof import("./vega/vega_drawing.ts");
const vegaDrawing = (): Promise<VegaDrawing> =>
  import(new URL("./vega/vega_drawing.ts", import.meta.url).href);

const SVG_RULES = { text: oneOf(SVG_TEXTS), width: pixels(320, 4000) };

/** Additional widths at which an HTML page includes the chart, for narrow windows and phones. */
const NARROWER = [800, 560, 360];

/** The functions that draw specs of Plot or of Vega. */
interface Renderer<Spec> {
  /** Draws a spec in the light theme. */
  readonly specSvg: (spec: Spec, about: About) => Promise<string>;
  /** Makes an HTML page. The page shows the widest spec that fits its window. */
  readonly specHtml: (
    specs: readonly Spec[],
    page: { readonly title: string; readonly theme: Theme },
  ) => Promise<string>;
  /** Returns display data for notebooks that takes the place of the picture. */
  readonly specBundle?: (spec: Spec, theme: Theme) => Readonly<Record<string, unknown>>;
}

function chartOf<Spec>(
  plan: Plan<Spec>,
  name: string,
  renderer: () => Promise<Renderer<Spec>>,
  lightAt?: (width: number) => Promise<string>,
): Chart<Spec> {
  const { about, theme, width, source, field = "" } = plan;
  if (source !== undefined) noteOutput(source);
  let made: Promise<Spec> | undefined;
  const specAt = async (at: number) => await plan.spec(at);
  const spec = (at = width) => at === width ? made ??= specAt(at) : specAt(at);
  const light = async (at = width) =>
    await lightAt?.(at) ?? await (await renderer()).specSvg(await spec(at), about);
  const chart: Chart<Spec> & Displayed = {
    title: about.title,
    source,
    field,
    get spec() {
      return spec();
    },
    svg: async (options) => {
      const { text, width } = checkOptions(options ?? {}, SVG_RULES, "svg");
      return await (await drawing()).svgFile(await light(width), theme, text);
    },
    png: async (options) => await (await drawing()).pngFile(await light(), theme, options),
    pdf: async (options) =>
      await (await drawing()).pdfFile(await light(options?.width), { theme, about }, options),
    html: async () => {
      // A spec that the user wrote is the same at every width.
      const specs = new Set([await spec()]);
      for (const narrower of NARROWER.filter((narrower) => narrower < width)) {
        specs.add(await spec(narrower));
      }
      return await (await renderer()).specHtml([...specs], { title: about.title, theme });
    },
    [JUPYTER_DISPLAY]: async () => {
      const { specBundle } = await renderer();
      const { htmlImage, pngText } = await drawing();
      const text = aboutText(about);
      return heldOutput({
        ...await specBundle?.(await spec(), theme) ??
          { "text/html": htmlImage(await chart.svg(), text) },
        ...await pngText(await light(), theme),
        "text/plain": text,
      });
    },
    [DENO_INSPECT]: () => `Chart (${name})\n${aboutText(about)}`,
  };
  return chart;
}

/** Makes a chart whose figure is made on first use, so that large modules are loaded only when they are needed. */
export function plotChart(plan: Plan<PlotSpec>): PlotChart {
  const still = chartOf(plan, "Observable Plot", drawing);
  const chart = Object.assign(still, { interactive: () => interactive(still, plan) });
  plans.set(chart, plan);
  return chart;
}

/** Returns the interactive version of a chart. Its files other than HTML are those of the chart. */
function interactive(chart: Chart<PlotSpec>, plan: Plan<PlotSpec>): VegaChart {
  if (plan.isInteractive?.() !== true) {
    throw new RangeError(
      `interactive: expected a chart of lines, bars, cells or dots; got ${
        plan.again === undefined
          ? "a figure or a spec of your own"
          : "stacks, ranks, events or several parts"
      }: ${chart.title}. Lines of plotTimeline, bars of plotComparison, cells of plotRetentionHeatmap and dots of ` +
        "plotScatter work",
    );
  }
  const spec = async (width: number) => {
    const [{ interactiveSpec }, spec] = await Promise.all([vegaDrawing(), plan.spec(width)]);
    return await interactiveSpec(spec, plan.frame!);
  };
  const still = async (width: number) => await (await drawing()).specSvg(await plan.spec(width));
  return chartOf<VegaSpec>({ ...plan, spec }, "Vega-Lite", vegaDrawing, still);
}

/** Makes a chart whose spec is made on first use. */
function vegaChart(plan: Plan<VegaSpec>): VegaChart {
  return chartOf(plan, "Vega-Lite", vegaDrawing);
}

/**
 * Makes a ready-made chart from its texts and a function that draws the figure at a width. If there is no value to
 * draw, the chart shows a text with the reason.
 */
export function readyChart({ again, frame, settings, series, words, empty, figure }: {
  /** The function of the chart, which draws it again from a frame with more names. */
  readonly again: ChartFunction;
  readonly frame: DataFrame;
  readonly settings: Settings;
  /** The groups that are drawn in the colors of their ids, largest first. */
  readonly series?: readonly ColoredSeries[];
  readonly words: CaptionPlan;
  /** Whether there is no value to draw. */
  readonly empty: boolean;
  readonly figure: (draw: Figures, look: Look) => FigureBody;
}): PlotChart {
  const { theme, width, source = frame } = settings;
  const { field = words.what } = settings as { readonly field?: string | readonly string[] };
  const about = aboutOf(words, { frame, settings, empty });
  if (series !== undefined && !empty) requireHighlighted(series, settings, frame);
  const own = series === undefined ? undefined : ownColors(series, settings);
  const lookAt = (width: number): Look => (
    { ...settings, about, own, width, inner: width - 2 * style.padding }
  );
  return plotChart({
    frame,
    again: (named) => again(named, settings.given as never),
    about,
    theme,
    width,
    source,
    field: [field].flat().join(", "),
    spec: async (width, height) => {
      const draw = await drawing();
      const look = { ...lookAt(width), ...height !== undefined && { height } };
      const { notes = [], said = "", ...body }: FigureBody = empty
        ? { panels: [draw.noData(about.label, look.inner)], rows: [] }
        : figure(draw, look);
      const caption = [...about.caption.slice(0, -1), ...notes, ...about.caption.slice(-1)];
      const subtitle = joined([about.subtitle, said]);
      return { ...about, subtitle, caption, width, theme, legend: [], columns: 1, gap: 0, ...body };
    },
    isInteractive: () => empty !== false || drawsOneForm(figure, lookAt(width)),
  });
}

function checkedTheme(fn: string, theme: unknown): Theme {
  if (THEMES.includes(theme as Theme)) return theme as Theme;
  throw new RangeError(`${fn}: theme: ${mustBeOneOf(THEMES, theme)}: ${theme}`);
}

/** Returns options of `Plot.plot` with `marks` and without `panels` as a spec with one panel. */
function specOf(given: Partial<PlotSpec> | PlotOptions): Partial<PlotSpec> {
  if ("panels" in given || !("marks" in given)) return given as Partial<PlotSpec>;
  const { title = "", subtitle = "", caption, width = 800, ariaLabel, ...panel } = given;
  return {
    title: title as string,
    subtitle: String(subtitle),
    caption: caption == null ? [] : [String(caption)],
    label: ariaLabel ?? "",
    width,
    panels: [panel],
  };
}

/** The members that a spec can omit. */
const PLAIN = {
  subtitle: "",
  caption: [],
  label: "",
  width: 800,
  legend: [],
  columns: 1,
  gap: 16,
  rows: [],
  theme: "auto",
} as const;

/**
 * Draws a spec in the style of chainframe's charts. Pass the changed `spec` of another chart, or your own spec,
 * which needs only `title` and `panels`. Each panel has the options of `Plot.plot`. The marks of a panel are
 * marks of Plot, or of `@chainframe/chainframe/marks`. A panel without a `width` gets the available width.
 *
 * The options of one `Plot.plot` are a spec, too: `title`, `subtitle` and `caption` are then the texts of the chart.
 * Legends of `color` and `symbol` (`legend: true`) are drawn above the panels.
 *
 * @example
 * ```ts
 * import * as Plot from "npm:@observablehq/plot@0.6.17";
 * import { blockchainComparison, drawPlot, plotComparison } from "@chainframe/chainframe";
 *
 * const spec = await plotComparison(await blockchainComparison()).spec;
 * const chart = drawPlot({ ...spec, title: "What users pay", legend: [] });
 * console.log(chart.title); // What users pay
 *
 * const own = drawPlot({
 *   title: "Squares",
 *   panels: [{ marks: [Plot.dot([1, 4, 9], { x: (_, index) => index, y: (value) => value })] }],
 * });
 * console.log((await own.svg()).length);
 * ```
 *
 * @throws {RangeError} when the spec has neither `marks` nor a title and `panels`.
 * @category Charts
 */
export function drawPlot(
  spec: Partial<PlotSpec> & Pick<PlotSpec, "title" | "panels"> | PlotOptions,
): PlotChart {
  const given = typeof spec === "object" && spec !== null ? specOf(spec) : null;
  if (given === null || typeof given.title !== "string") {
    throw new RangeError(`drawPlot: title: must be a text; got ${shown(given?.title)}`);
  }
  const { panels } = given;
  if (!Array.isArray(panels) || !panels.every((panel) => typeof panel === "object" && panel)) {
    throw new RangeError(
      `drawPlot: panels: must be a list of options of Plot.plot; got ${typeof panels}`,
    );
  }
  const whole: PlotSpec = { ...PLAIN, ...given as PlotSpec };
  checkedTheme("drawPlot", whole.theme);
  return plotChart({ about: whole, theme: whole.theme, width: whole.width, spec: () => whole });
}

function titleOf({ title }: VegaSpec): string {
  const text = typeof title === "object" && title !== null && "text" in title ? title.text : title;
  return Array.isArray(text) ? text.join(" ") : typeof text === "string" ? text : "Chart";
}

/**
 * Draws a Vega-Lite spec in the style of chainframe's charts. Pass the changed `spec` of another chart, or your own
 * spec. To set the theme, set the member `usermeta` of the spec to `{ theme: "dark" }` or `{ theme: "light" }`.
 *
 * @example
 * ```ts
 * import { blockchainComparison, drawVega, plotComparison } from "@chainframe/chainframe";
 *
 * const spec = await plotComparison(await blockchainComparison()).interactive().spec;
 * const chart = drawVega({ ...spec, title: "What users pay" });
 * console.log(chart.title); // What users pay
 * ```
 *
 * @throws {RangeError} when the spec is not a Vega-Lite spec.
 * @category Charts
 */
export function drawVega(spec: Readonly<Record<string, unknown>>): VegaChart {
  const parts = ["mark", "layer", "hconcat", "vconcat", "concat", "facet", "repeat", "spec"];
  if (nounOf(spec) !== undefined || !parts.some((part) => Object.hasOwn(spec ?? {}, part))) {
    throw new RangeError(
      `drawVega: spec: must be a Vega-Lite spec, with one of ${parts.join(", ")}; got ${
        shown(spec)
      }`,
    );
  }
  const { theme = "auto" } = (spec.usermeta ?? {}) as { theme?: unknown };
  const label = typeof spec.description === "string" ? spec.description : "";
  return vegaChart({
    about: { title: titleOf(spec), subtitle: "", caption: [], label },
    theme: checkedTheme("drawVega", theme),
    width: typeof spec.width === "number" ? spec.width : 800,
    spec: () => spec,
  });
}
