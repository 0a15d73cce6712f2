import {
  type PlotChart,
  type PlotSpec,
  type Theme,
  THEMES,
  type VegaChart,
  type VegaSpec,
} from "./chart.ts";
import { plotChart, vegaChart } from "./chart_files.ts";
import { isPlain, refuseAddresses } from "./vega/data_addresses.ts";
import type { PlotOptions } from "./drawing/observable_plot.ts";
import { mustBeOneOf } from "../platform/check_options.ts";
import { nounOf, shown } from "../platform/terminal.ts";

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
  return plotChart({
    about: whole,
    theme: whole.theme,
    dark: whole.dark,
    width: whole.width,
    spec: () => whole,
  });
}

function titleOf({ title }: VegaSpec): string {
  const text = typeof title === "object" && title !== null && "text" in title ? title.text : title;
  return Array.isArray(text) ? text.join(" ") : typeof text === "string" ? text : "Chart";
}

/** Returns a copy of a spec, so that later changes of the spec do not change the chart. */
function copyOf(spec: VegaSpec): VegaSpec {
  try {
    return structuredClone(spec);
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new RangeError(`drawVega: spec: must be data, without functions; ${reason}`, { cause });
  }
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
 * Links are http, https or mailto; other values of `href` are no links.
 *
 * @throws {RangeError} when the spec is not a Vega-Lite spec, or has a `data.url`.
 * @category Charts
 */
export function drawVega(spec: Readonly<Record<string, unknown>>): VegaChart {
  const parts = ["mark", "layer", "hconcat", "vconcat", "concat", "facet", "repeat", "spec"];
  if (
    nounOf(spec) !== undefined || !isPlain(spec) ||
    !parts.some((part) => Object.hasOwn(spec ?? {}, part))
  ) {
    throw new RangeError(
      `drawVega: spec: must be a Vega-Lite spec, with one of ${parts.join(", ")}; got ${
        shown(spec)
      }`,
    );
  }
  const own = copyOf(spec);
  refuseAddresses(own);
  const { theme = "auto", dark = {} } = Object(own.usermeta) as { theme?: unknown; dark?: object };
  const label = typeof own.description === "string" ? own.description : "";
  return vegaChart({
    about: { title: titleOf(own), subtitle: "", caption: [], label },
    theme: checkedTheme("drawVega", theme),
    dark: dark as Readonly<Record<string, string>>,
    width: typeof own.width === "number" ? own.width : 800,
    spec: () => own,
  });
}
