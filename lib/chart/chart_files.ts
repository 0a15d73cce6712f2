import {
  type About,
  aboutText,
  type Chart,
  type Coloring,
  DENO_INSPECT,
  type Displayed,
  JUPYTER_DISPLAY,
  type PlotChart,
  type PlotSpec,
  SVG_TEXTS,
  type VegaChart,
  type VegaSpec,
} from "./chart.ts";
import { heldOutput } from "../platform/jupyter.ts";
import { checkOptions, oneOf, pixels } from "../platform/check_options.ts";
import { terminalText } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { ColoredSeries } from "./series_colors.ts";
import { noteOutput } from "../table/track/own_data.ts";

/** The texts and options of a chart, and a function that makes the chart's spec for a given width. */
interface Plan<Spec> extends Coloring {
  readonly about: About;
  readonly width: number;
  /** The frame with the source of the data. */
  readonly source?: DataFrame | undefined;
  /** The columns that are drawn, or their name. */
  readonly field?: string;
  readonly locale?: string | undefined;
  /** The frame that is drawn, and a function that draws another frame with the same options, for ready-made charts. */
  readonly frame?: DataFrame;
  readonly again?: (frame: DataFrame) => PlotChart;
  /** The groups that are drawn in the colors of their ids. */
  readonly inColor?: readonly ColoredSeries[] | undefined;
  /** Makes the spec for a width, for another height of its panels than the chart has, and for other colors of ids. */
  readonly spec: (
    width: number,
    height?: number,
    own?: ReadonlyMap<string, string>,
  ) => Promise<Spec> | Spec;
  /** Returns whether the chart has an interactive version. */
  readonly isInteractive?: () => boolean;
}

/** The plans of charts. A combined figure uses the plans to redraw its charts. */
const plans = new WeakMap<object, Plan<PlotSpec>>();

/** Returns the plan of a chart, or undefined if Plot does not draw the chart. */
export function plotPlan(chart: object): Plan<PlotSpec> | undefined {
  return plans.get(chart);
}

// The import specifiers are computed, so that drawing code is loaded when the first chart is drawn, not when the module
// is imported.
export type Drawing = typeof import("./drawing/mod.ts");
export const drawing = (): Promise<Drawing> =>
  import(new URL("./drawing/mod.ts", import.meta.url).href);
type VegaDrawing = typeof import("./vega/mod.ts");
const vegaDrawing = (): Promise<VegaDrawing> =>
  import(new URL("./vega/mod.ts", import.meta.url).href);

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
    page: Coloring & { readonly title: string },
  ) => Promise<string>;
  /** Returns display data for notebooks that takes the place of the picture. */
  readonly specBundle?: (spec: Spec, coloring: Coloring) => Readonly<Record<string, unknown>>;
}

function chartOf<Spec>(
  plan: Plan<Spec>,
  name: string,
  renderer: () => Promise<Renderer<Spec>>,
  lightAt?: (width: number) => Promise<string>,
): Chart<Spec> {
  const { about, theme, dark, width, source, field = "" } = plan;
  const coloring = { theme, dark };
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
    locale: plan.locale,
    get spec() {
      return spec();
    },
    svg: async (options) => {
      const { text, width } = checkOptions(options ?? {}, SVG_RULES, "svg");
      return await (await drawing()).svgFile(await light(width), coloring, text);
    },
    png: async (options) => await (await drawing()).pngFile(await light(), coloring, options),
    pdf: async (options) =>
      await (await drawing()).pdfFile(await light(options?.width), { ...coloring, about }, options),
    html: async () => {
      // A spec that the user wrote is the same at every width.
      const specs = new Set([await spec()]);
      for (const narrower of NARROWER.filter((narrower) => narrower < width)) {
        specs.add(await spec(narrower));
      }
      return await (await renderer()).specHtml([...specs], { title: about.title, ...coloring });
    },
    [JUPYTER_DISPLAY]: async () => {
      const { specBundle } = await renderer();
      const { htmlImage, pngText } = await drawing();
      const text = aboutText(about);
      return heldOutput({
        ...await specBundle?.(await spec(), coloring) ??
          { "text/html": htmlImage(await chart.svg(), text) },
        ...await pngText(await light(), coloring),
        "text/plain": text,
      });
    },
    toString: () => terminalText(`${about.title} (chart, ${width} px wide)`),
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
    return await interactiveSpec(spec);
  };
  const still = async (width: number) => await (await drawing()).specSvg(await plan.spec(width));
  return chartOf<VegaSpec>({ ...plan, spec }, "Vega-Lite", vegaDrawing, still);
}

/** Makes a chart whose spec is made on first use. */
export function vegaChart(plan: Plan<VegaSpec>): VegaChart {
  return chartOf(plan, "Vega-Lite", vegaDrawing);
}
