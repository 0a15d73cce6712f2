import type { PlotChart } from "./chart.ts";
import { type Drawing, drawing, plotChart } from "./chart_files.ts";
import { type ColoredSeries, coloredSeries, ownColors } from "./series_colors.ts";
import { requireColored, requireHighlighted } from "./highlight.ts";
import type { FigureBody, Look } from "./look.ts";
import type { Settings } from "./options.ts";
import { theme as style } from "./theme.ts";
import { aboutOf, type CaptionPlan } from "./notes.ts";
import { joined } from "./words.ts";
import type { DataFrame } from "../table/columns/polars.ts";

/** The function of a ready-made chart, such as `plotTimeline`. */
export type ChartFunction = (frame: DataFrame, options: never) => PlotChart;

/** The functions that draw charts: lines, bars, cells, dots, and forms that have no interactive version. */
export type Figures = Pick<
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

/** The parts of a ready-made chart. */
export interface ReadyChart {
  /** The function of the chart, which draws it again from a frame with more names. */
  readonly again: ChartFunction;
  readonly frame: DataFrame;
  readonly settings: Settings;
  /** The groups that are drawn in the colors of their ids, largest first. */
  readonly series?: readonly ColoredSeries[];
  /** The groups that can have a given color, if `series` lacks those that are drawn in one color. */
  readonly groups?: readonly ColoredSeries[];
  readonly words: CaptionPlan;
  /** Whether there is no value to draw. */
  readonly empty: boolean;
  readonly figure: (draw: Figures, look: Look) => FigureBody;
}

/**
 * Makes a ready-made chart from its texts and a function that draws the figure at a width. If there is no value to
 * draw, the chart shows a text with the reason.
 */
export function readyChart(
  { again, frame, settings, series, groups = series, words, empty, figure }: ReadyChart,
): PlotChart {
  const { theme, dark, width, source = frame } = settings;
  const { field = words.what } = settings as { readonly field?: string | readonly string[] };
  const about = aboutOf(words, { frame, settings, empty });
  if (groups !== undefined) requireColored(groups, settings, frame);
  if (series !== undefined && !empty) requireHighlighted(series, settings, frame);
  const inColor = series === undefined ? undefined : coloredSeries(series, settings);
  const ofIds = inColor === undefined ? undefined : ownColors(inColor);
  const lookAt = (width: number, own: Look["own"] = ofIds): Look => (
    { ...settings, about, own, width, inner: width - 2 * style.padding }
  );
  const colored = dark === undefined ? {} : { dark };
  return plotChart({
    frame,
    inColor,
    again: (named) => again(named, settings.given as never),
    about,
    theme,
    ...colored,
    width,
    source,
    field: [field].flat().join(", "),
    locale: (settings.given as { readonly locale?: string } | undefined)?.locale,
    spec: async (width, height, colors) => {
      const draw = await drawing();
      const look = { ...lookAt(width, colors), ...height !== undefined && { height } };
      const { notes = [], said = "", axis = "", ...body }: FigureBody = empty
        ? { panels: [draw.noData(about.label, look.inner)], rows: [] }
        : figure(draw, look);
      const caption = [...about.caption.slice(0, -1), ...notes, ...about.caption.slice(-1)];
      // The facts of the axes follow the first fact: `US$ a month, logarithmic axis`.
      const [fact = "", ...facts] = words.said ?? [];
      const whole = { ...words, said: [joined([fact, axis], ", "), ...facts] };
      const own = settings.subtitle === undefined
        ? aboutOf(whole, { frame, settings, empty }).subtitle
        : joined([settings.subtitle, axis], ", ");
      const subtitle = joined([own, said]);
      return {
        ...about,
        subtitle,
        caption,
        width,
        theme,
        ...colored,
        legend: [],
        columns: 1,
        gap: 0,
        ...body,
      };
    },
    isInteractive: () => empty !== false || drawsOneForm(figure, lookAt(width)),
  });
}
