import {
  type About,
  aboutText,
  type Chart,
  DENO_INSPECT,
  JUPYTER_DISPLAY,
  type PlotFigure,
  type Theme,
  THEMES,
  type VegaSpec,
} from "./chart.ts";
import { collectIds } from "./colors.ts";
import type { FigureBody, Look } from "./look.ts";
import type { Settings } from "./options.ts";
import type { VegaLook } from "./vega/vega_parts.ts";
import { theme as look } from "./theme.ts";
import { aboutOf, emptyWords, type Words } from "./words.ts";
import { mustBeOneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";

/**
 * A chart drawn by Observable Plot.
 *
 * @category Charts
 */
export type PlotChart = Chart<PlotFigure>;

/**
 * A chart drawn by Vega-Lite: `spec` is plain data.
 *
 * @category Charts
 */
export type VegaChart = Chart<VegaSpec>;

/** The texts and options of a chart, and a function that makes its spec for a width. */
interface Plan<Spec> {
  readonly about: About;
  readonly theme: Theme;
  readonly width: number;
  /** The frame with the source of the data. */
  readonly source?: DataFrame | undefined;
  /** Makes the spec at a width, with the given colors of ids; adds the ids that have their own colors to `ids`. */
  readonly spec: (
    width: number,
    colors?: Readonly<Record<string, string>>,
    ids?: Set<string>,
  ) => Promise<Spec> | Spec;
}

/** The plan of each chart, used to redraw it in a combined figure. */
const plans = new WeakMap<object, Plan<PlotFigure>>();

/** The plan of a chart; undefined if Plot does not draw it. */
export function planOf(chart: object): Plan<PlotFigure> | undefined {
  return plans.get(chart);
}

// Computed specifiers: the drawing code is loaded when the first chart is drawn, not when the module is imported.
type Outputs = typeof import("./page/outputs.ts");
const outputs = (): Promise<Outputs> => import(new URL("./page/outputs.ts", import.meta.url).href);
/** The code that draws with Plot. */
type Drawing = typeof import("./drawing/drawing.ts");
const drawing = (): Promise<Drawing> =>
  import(new URL("./drawing/drawing.ts", import.meta.url).href);
type VegaDrawing = typeof import("./vega/vega_drawing.ts");
const vegaDrawing = (): Promise<VegaDrawing> =>
  import(new URL("./vega/vega_drawing.ts", import.meta.url).href);
type RenderVega = typeof import("./vega/render_vega.ts");
const renderVega = (): Promise<RenderVega> =>
  import(new URL("./vega/render_vega.ts", import.meta.url).href);
type VegaPage = typeof import("./vega/vega_page.ts");
const vegaPage = (): Promise<VegaPage> =>
  import(new URL("./vega/vega_page.ts", import.meta.url).href);

/** Additional widths at which an HTML page includes the chart, for narrow windows and phones. */
const NARROWER = [800, 560, 360];

/** The parts in which Plot and Vega differ. */
interface Renderer<Spec> {
  readonly name: string;
  /** The light drawing. */
  readonly svg: (spec: Spec) => Promise<string>;
  readonly html: (spec: Spec) => Promise<string>;
  /** The display data for notebooks, besides SVG and text. */
  readonly bundle: (spec: Spec) => Promise<Readonly<Record<string, unknown>>>;
}

function chartOf<Spec>(plan: Plan<Spec>, renderer: Renderer<Spec>): Chart<Spec> {
  const { about, theme, width } = plan;
  let made: Promise<Spec> | undefined;
  const specAt = async (at: number) => await plan.spec(at);
  const spec = () => made ??= specAt(width);
  const light = async (at = width) =>
    await renderer.svg(await (at === width ? spec() : specAt(at)));
  const chart: Chart<Spec> = {
    title: about.title,
    source: plan.source,
    get spec() {
      return spec();
    },
    svg: async (options) => await (await outputs()).svgFile(await light(), theme, options),
    png: async (options) => await (await outputs()).pngFile(await light(), theme, options),
    pdf: async (options) =>
      await (await outputs()).pdfFile(await light(options?.width), { theme, about }, options),
    html: async () => await renderer.html(await spec()),
    [JUPYTER_DISPLAY]: async () => ({
      ...await renderer.bundle(await spec()),
      "image/svg+xml": await chart.svg(),
      "text/plain": aboutText(about),
    }),
    [DENO_INSPECT]: () => `Chart (${renderer.name})\n${aboutText(about)}`,
  };
  return chart;
}

/** A chart whose figure is made on first use, so that nothing large is loaded earlier. */
export function plotChart(plan: Plan<PlotFigure>): PlotChart {
  const chart = chartOf(plan, {
    name: "Observable Plot",
    svg: async (figure) => (await drawing()).figureSvg(figure),
    html: async (figure) => {
      // A figure of one's own has one width.
      const figures = new Set([figure]);
      for (const at of NARROWER.filter((width) => width < plan.width)) {
        figures.add(await plan.spec(at));
      }
      const { figureSvg } = await drawing();
      const drawings = await Promise.all(
        [...figures].map(async (each) => ({ svg: await figureSvg(each), width: each.width })),
      );
      const { title } = plan.about;
      return (await outputs()).htmlFile(drawings, { title, theme: plan.theme, rows: figure.rows });
    },
    bundle: () => Promise.resolve({}),
  });
  plans.set(chart, plan);
  return chart;
}

/** The parts of a ready-made chart besides its drawing. */
export interface ReadyParts {
  readonly frame: DataFrame;
  readonly settings: Settings;
  readonly words: Words;
  /** Whether there is no value to draw, or the reason. */
  readonly empty: boolean | string;
}

/** The texts of a chart; of an empty chart with the reason. */
function saidOf({ frame, words, empty }: Pick<ReadyParts, "frame" | "words" | "empty">): Words {
  if (empty === false) return words;
  return { ...words, label: empty === true ? emptyWords(frame) : empty };
}

interface ReadyChart extends ReadyParts {
  /** Draws the figure at a width; not called if `empty`. */
  readonly figure: (draw: Drawing, look: Look) => FigureBody;
}

/** A ready-made chart from its texts and a drawing function. A frame without a value gives a chart with the reason. */
export function readyChart({ frame, settings, words, figure, empty }: ReadyChart): PlotChart {
  const { theme, width, locale, format, highlight, colors, height, source = frame } = settings;
  const about = aboutOf(frame, settings, saidOf({ frame, words, empty }));
  return plotChart({
    about,
    theme,
    width,
    source,
    spec: async (width, shared, ids) => {
      const draw = await drawing();
      const inner = width - 2 * look.padding;
      const page = { ...about, width, theme, legend: [], columns: 1, gap: 0, rows: [] };
      if (empty !== false) return { ...page, panels: [draw.noData(about.label, inner)] };
      const own = shared === undefined ? colors : { ...shared, ...colors };
      const drawn = { width, inner, height, locale, format, highlight, colors: own };
      return { ...page, ...collectIds(ids, () => figure(draw, drawn)) };
    },
  });
}

interface ReadyVega extends ReadyParts {
  /** Makes the spec at a width. */
  readonly spec: (draw: VegaDrawing, look: VegaLook) => VegaSpec;
}

/** The interactive version of a ready-made chart. */
export function readyVega({ frame, settings, words, spec, empty }: ReadyVega): VegaChart {
  const { theme, width, locale, format, highlight, colors, height, source = frame } = settings;
  const about = aboutOf(frame, settings, saidOf({ frame, words, empty }));
  return vegaChart({
    about,
    theme,
    width,
    source,
    spec: async (width) => {
      const draw = await vegaDrawing();
      const inner = width - 2 * look.padding;
      const own = { about, theme, width, inner, height, locale, format, highlight, colors };
      return empty !== false ? draw.noDataSpec(about, own) : spec(draw, own);
    },
  });
}

/** A chart whose spec is made on first use. */
function vegaChart(plan: Plan<VegaSpec>): VegaChart {
  const { about: { title }, about, theme, width } = plan;
  return chartOf(plan, {
    name: "Vega-Lite",
    svg: async (spec) => await (await renderVega()).specSvg(spec, about),
    html: async (spec) => {
      const widths = NARROWER.filter((narrower) => narrower < width);
      const specs = new Set([spec, ...await Promise.all(widths.map((width) => plan.spec(width)))]);
      return await (await vegaPage()).specHtml([...specs], { title, theme });
    },
    bundle: async (spec) => ({
      "application/vnd.vegalite.v5+json": (await renderVega()).themedSpec(spec, theme),
    }),
  });
}

function checkedTheme(fn: string, theme: unknown): Theme {
  if (THEMES.includes(theme as Theme)) return theme as Theme;
  throw new RangeError(`${fn}: theme: ${mustBeOneOf(THEMES, theme)}: ${theme}`);
}

/**
 * Argument of `drawPlot`: a whole figure, or only the parts that differ from the defaults.
 *
 * @category Charts
 */
export type PlotFigureParts = Partial<PlotFigure> & Pick<PlotFigure, "title" | "panels">;

/**
 * Draws a figure in the style of chainframe's charts: the changed `spec` of another chart, or one of your own, which
 * needs only `title` and `panels`. Each panel holds options of `Plot.plot`; `loadPlot` returns Plot for its marks.
 * Panels have their own `width`, else the available width.
 *
 * @example
 * ```ts
 * import { blockchainComparison, drawPlot, loadPlot, plotComparison } from "@chainframe/chainframe";
 *
 * const figure = await plotComparison(await blockchainComparison()).spec;
 * const chart = drawPlot({ ...figure, title: "What users pay", legend: [] });
 * console.log(chart.title); // What users pay
 *
 * const Plot = await loadPlot();
 * const own = drawPlot({
 *   title: "Squares",
 *   panels: [{ marks: [Plot.dot([1, 4, 9], { x: (_, index) => index, y: (value) => value })] }],
 * });
 * console.log((await own.svg()).length);
 * ```
 *
 * @throws {RangeError} when the figure has no title, or no panels.
 * @category Charts
 */
export function drawPlot(figure: PlotFigureParts): PlotChart {
  const given = typeof figure === "object" && figure !== null ? figure : null;
  if (given === null || typeof given.title !== "string") {
    throw new RangeError(`drawPlot: title: must be a text; got ${given?.title}`);
  }
  const { panels } = given;
  if (!Array.isArray(panels) || !panels.every((panel) => typeof panel === "object" && panel)) {
    throw new RangeError(
      `drawPlot: panels: must be a list of options of Plot.plot; got ${typeof panels}`,
    );
  }
  const whole: PlotFigure = {
    ...{ subtitle: "", caption: [], label: "", width: 800, legend: [], columns: 1, gap: 16 },
    ...{ rows: [], theme: "auto" },
    ...given,
  };
  checkedTheme("drawPlot", whole.theme);
  return plotChart({ about: whole, theme: whole.theme, width: whole.width, spec: () => whole });
}

function titleOf({ title }: VegaSpec): string {
  const text = typeof title === "object" && title !== null && "text" in title ? title.text : title;
  return Array.isArray(text) ? text.join(" ") : typeof text === "string" ? text : "Chart";
}

/**
 * Draws a Vega-Lite spec in the style of chainframe's charts: the changed `spec` of another chart, or one of your own.
 * A `usermeta` of `{ theme: "dark" }` or `"light"` sets the theme.
 *
 * @example
 * ```ts
 * import { blockchainComparison, drawVega, vegaComparison } from "@chainframe/chainframe";
 *
 * const spec = await vegaComparison(await blockchainComparison()).spec;
 * const chart = drawVega({ ...spec, title: "What users pay" });
 * console.log(chart.title); // What users pay
 * ```
 *
 * @throws {RangeError} when the spec is not a Vega-Lite spec.
 * @category Charts
 */
export function drawVega(spec: VegaSpec): VegaChart {
  const parts = ["mark", "layer", "hconcat", "vconcat", "concat", "facet", "repeat", "spec"];
  if (typeof spec !== "object" || spec === null || !parts.some((part) => part in spec)) {
    const given = spec instanceof Promise ? "a promise; await it first" : typeof spec;
    throw new RangeError(
      `drawVega: spec: must be a Vega-Lite spec, with one of ${parts.join(", ")}: ${given}`,
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

/**
 * Loads Observable Plot with chainframe's marks (`retentionLine`, `endLabels`, …), for the panels of `drawPlot`.
 *
 * @category Charts
 */
export async function loadPlot(): Promise<Drawing["PlotWithMarks"]> {
  return (await drawing()).PlotWithMarks;
}
