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
import { mustBeOneOf } from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import type { ObservablePlot } from "./plot/observable_plot.ts";

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

/** What a chart says, how it looks, and how its spec is made for a width. */
interface Plan<Spec> {
  readonly about: About;
  readonly theme: Theme;
  readonly width: number;
  /** The frame that knows where the data came from. */
  readonly from?: DataFrame | undefined;
  readonly spec: (width: number) => Promise<Spec> | Spec;
}

// Computed specifiers: what draws is opened when the first chart is drawn, not when the module is imported.
type Outputs = typeof import("./page/outputs.ts");
const outputs = (): Promise<Outputs> => import(new URL("./page/outputs.ts", import.meta.url).href);
type RenderPlot = typeof import("./plot/render_plot.ts");
const renderPlot = (): Promise<RenderPlot> =>
  import(new URL("./plot/render_plot.ts", import.meta.url).href);
type RenderVega = typeof import("./vega/render_vega.ts");
const renderVega = (): Promise<RenderVega> =>
  import(new URL("./vega/render_vega.ts", import.meta.url).href);
type VegaPage = typeof import("./vega/vega_page.ts");
const vegaPage = (): Promise<VegaPage> =>
  import(new URL("./vega/vega_page.ts", import.meta.url).href);

/** The widths at which a page has an interactive chart beside its own, for windows and phones that are narrower. */
const NARROWER = [560, 360];

/** What Plot and Vega do each in its own way. */
interface Renderer<Spec> {
  readonly name: string;
  /** The light drawing. */
  readonly svg: (spec: Spec) => Promise<string>;
  readonly html: (spec: Spec, chart: Chart<Spec>) => Promise<string>;
  /** What a notebook is given beside SVG and text. */
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
    from: plan.from,
    get spec() {
      return spec();
    },
    svg: async (options) => await (await outputs()).svgFile(await light(), theme, options),
    png: async (options) => await (await outputs()).pngFile(await light(), theme, options),
    pdf: async (options) =>
      await (await outputs()).pdfFile(await light(options?.width), { theme, about }, options),
    html: async () => await renderer.html(await spec(), chart),
    [JUPYTER_DISPLAY]: async () => ({
      ...await renderer.bundle(await spec()),
      "image/svg+xml": await chart.svg(),
      "text/plain": aboutText(about),
    }),
    [DENO_INSPECT]: () => `Chart (${renderer.name})\n${aboutText(about)}`,
  };
  return chart;
}

/** A chart whose figure is made when it is first needed, so that nothing heavy loads before. */
export function plotChart(plan: Plan<PlotFigure>): PlotChart {
  return chartOf(plan, {
    name: "Observable Plot",
    svg: async (figure) => await (await renderPlot()).figureSvg(figure),
    html: async (_, chart) =>
      (await outputs()).htmlFile(chart.title, await chart.svg(), plan.theme),
    bundle: () => Promise.resolve({}),
  });
}

/** A chart whose spec is made when it is first needed. */
export function vegaChart(plan: Plan<VegaSpec>): VegaChart {
  const { about: { title }, about, theme, width } = plan;
  return chartOf(plan, {
    name: "Vega-Lite",
    svg: async (spec) => await (await renderVega()).specSvg(spec, about),
    html: async (spec) => {
      const widths = NARROWER.filter((narrower) => narrower < width);
      const specs = new Set([spec, ...await Promise.all(widths.map(plan.spec))]);
      return await (await vegaPage()).specHtml([...specs], { title, theme });
    },
    bundle: async (spec) => ({
      "application/vnd.vegalite.v5+json": (await renderVega()).themedSpec(spec, theme),
    }),
  });
}

function checkedTheme(asker: string, theme: unknown): Theme {
  if (THEMES.includes(theme as Theme)) return theme as Theme;
  throw new RangeError(`${asker}: theme: ${mustBeOneOf(THEMES, theme)}: ${theme}`);
}

/**
 * What `drawPlot` takes: a whole figure, or the parts of one that differ from a plain figure.
 *
 * @category Charts
 */
export type PlotFigureParts = Partial<PlotFigure> & Pick<PlotFigure, "title" | "panels">;

/**
 * Draws a figure in the look of our charts: the `spec` of another chart, changed, or one of your own, of which
 * only `title` and `panels` are needed. Each panel is what `Plot.plot` takes; `loadPlot` hands out Plot for its
 * marks. Panels are as wide as their `width` says, else as the figure has room for.
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
    throw new RangeError(`drawPlot: title: must be a text: ${given?.title}`);
  }
  const { panels } = given;
  if (!Array.isArray(panels) || !panels.every((panel) => typeof panel === "object" && panel)) {
    throw new RangeError(
      `drawPlot: panels: must be a list of what Plot.plot takes: ${typeof panels}`,
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
 * Draws a Vega-Lite spec in the look of our charts: the `spec` of another chart, changed, or one of your own.
 * A `usermeta` of `{ theme: "dark" }` or `"light"` asks for that look.
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
 * @throws {RangeError} for what is no Vega-Lite spec.
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
 * Hands out Observable Plot, for the panels of `drawPlot`: the one that draws our charts, loaded when it is
 * first asked for.
 *
 * @category Charts
 */
export async function loadPlot(): Promise<ObservablePlot> {
  return await (await renderPlot()).loadPlot();
}
