import type { DataFrame } from "../../table/polars.ts";
import type { LegendItem } from "../page/legend.ts";
import type { RetentionLine } from "../read/retention_lines.ts";
import type { RetentionScene } from "../read/retention_scene.ts";
import { type RetentionOptions, retentionView } from "../read/retention_view.ts";
import { symbolPath } from "../symbols.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";
import { lineLabels, retentionPanel } from "./retention_panel.ts";

function legendOf({ lines, rows, bands }: RetentionScene, direct: boolean): LegendItem[] {
  const [{ color, symbol }] = lines as readonly [RetentionLine];
  const marker = symbolPath(lines.length === 1 ? symbol : "circle");
  const neutral = lines.length === 1 ? color : theme.muted;
  const items: LegendItem[] = direct || lines.length === 1 ? [] : lines.map((line) => (
    { label: line.label, color: line.color, key: "line", marker: symbolPath(line.symbol) }
  ));
  if (rows.some(({ predicted }) => predicted !== null)) {
    items.push(
      { label: "observed", color: neutral, key: "line", marker },
      { label: "forecast", color: neutral, key: "dashed" },
    );
  }
  if (bands) items.push({ label: "confidence interval", color: neutral, key: "band" });
  return items;
}

/**
 * Retention curves: the share of users still active by months since their first month, one line per group,
 * with confidence bands, and a forecast dashed.
 *
 * Takes what `retentionCurves` (a line per cohort), `pooledRetention` (a line per group) or
 * `forecastRetention` (observed and predicted) gives. More than 12 lines fold into the 11 largest and
 * "other". A null is left empty.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotRetention, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = plotRetention(pooledRetention(curves, { by: "market_sector_id" }));
 * console.log((await chart.svg()).length);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function plotRetention(frame: DataFrame, options: RetentionOptions = {}): PlotChart {
  const { about, width, scene } = retentionView(frame, options, "plotRetention");
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const page = { ...about, width, columns: 1, gap: 0 };
    if (scene === null) {
      return { ...page, legend: [], rows: [], panels: [noData(Plot, about.label, inner)] };
    }
    const labels = lineLabels(scene, inner);
    return {
      ...page,
      rows: scene.rows,
      legend: legendOf(scene, labels !== null),
      panels: [retentionPanel(Plot, scene, { width: inner, labels })],
    };
  });
}
