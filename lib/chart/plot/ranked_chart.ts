import type { DataFrame } from "../../table/polars.ts";
import type { ChartOptions } from "../read/chart_options.ts";
import { type Ranking, rankingView } from "../read/ranking_view.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";
import { rankedPanels } from "./ranked_panels.ts";
import type { Scale } from "./value_axis.ts";

/** Rows ranked by a value, with bars in one panel for each field. */
export function rankedChart(
  frame: DataFrame,
  options: ChartOptions,
  { scale, ...ranking }: Ranking & { readonly scale: Scale },
): PlotChart {
  const { about, width, entities } = rankingView(frame, options, ranking);
  const { fields, words, noun } = ranking;
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const panels = entities.length > 0
      ? rankedPanels(Plot, entities, { words, scale, width: inner })
      : { panels: [noData(Plot, about.label, inner)], columns: 1, gap: 0 };
    const rows = entities.map(({ label, values }) => ({
      [noun]: label,
      ...Object.fromEntries(fields.map((field, index) => [field, values[index]!])),
    }));
    return { ...about, width, legend: [], rows, ...panels };
  });
}
