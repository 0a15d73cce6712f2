import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { aText } from "../platform/check_options.ts";
import { cohortRows } from "./cohort_rows.ts";
import { type PlotChart, plotChart, type VegaChart, vegaChart } from "./draw.ts";
import { countOf, formatCount, formatDay } from "./format.ts";
import { type ChartOptions, chartSettings, lookOf, type Settings } from "./options.ts";
import type { HeatmapView } from "./plot/draw_heatmap.ts";
import { captionOf, emptyWords, lastDay, onlyName } from "./values.ts";

/**
 * Options of a cohort triangle.
 *
 * @category Charts
 */
export interface RetentionHeatmapOptions extends ChartOptions {
  /**
   * The project whose cohorts are drawn.
   * @default {all projects of the frame, pooled by cohort}
   */
  readonly project_id?: string;
  /**
   * The market sector whose cohorts are drawn.
   * @default {all market sectors of the frame, pooled by cohort}
   */
  readonly market_sector_id?: string;
}

const RULES = { project_id: aText, market_sector_id: aText };

/** The rows that were asked for. */
function chosen(frame: DataFrame, settings: Settings<typeof RULES>, asker: string): DataFrame {
  let rows = frame;
  for (const column of ["project_id", "market_sector_id"] as const) {
    const id = settings[column];
    if (id === undefined) continue;
    requireColumns(frame, { asker, source: "what retentionCurves gives", columns: [column] });
    rows = rows.filter(pl.col(column).eq(pl.lit(id)));
    if (rows.height === 0) {
      throw new RangeError(`${asker}: the frame has no ${column} "${id}"`);
    }
  }
  return rows;
}

/** Reads what `retentionCurves` gives for the function called `asker`. */
function heatmapView(
  frame: DataFrame,
  options: RetentionHeatmapOptions,
  asker: string,
): HeatmapView & Pick<Settings, "from"> {
  const settings = chartSettings(asker, options, RULES);
  requireColumns(frame, {
    ...{ asker, source: "what retentionCurves gives", columns: ["cohort"] },
    numbers: ["month", "retention"],
  });
  const { from = frame, locale, limit } = settings;
  const rows = chosen(frame, settings, asker);
  const through = lastDay(from);
  const { cohorts, average, notes } = cohortRows(rows, { through, limit });
  const cells = cohorts.flatMap(({ points }) => points);
  const missing = cells.filter(({ retention }) => retention === null).length;
  const empty = missing === cells.length;
  const whose = onlyName(rows, [
    ...["project_name", "project_id", "market_sector_name", "market_sector_id"],
  ]);
  const total = cohorts.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const running = cohorts.some(({ running, points }) =>
    running !== null && points.some(({ month }) => month === running)
  );
  const users = total === 0
    ? ""
    : `; ${formatCount(total, locale)} users in ${countOf(cohorts.length, "cohort")}`;
  const partial = cohorts.some(({ running, points }) =>
    points.some(({ month, retention }) => month === running && retention !== null)
  );
  return {
    from,
    cohorts: empty ? [] : cohorts,
    average: empty ? null : average,
    ...lookOf({
      title: settings.title ?? `Retention by cohort${whose === null ? "" : `: ${whose}`}`,
      subtitle: settings.subtitle ??
        `Share of each month's first-time users active again, month by month${users}`,
      label: empty
        ? emptyWords(frame)
        : `Heat map of ${countOf(cohorts.length, "cohort")}, ${cohorts[0]!.label} to ${
          cohorts.at(-1)!.label
        }, with ${countOf(cells.length - missing, "share")}.`,
      caption: captionOf(frame, settings, [
        ...notes,
        ...missing === 0 ? [] : [
          `${missing} of ${
            countOf(cells.length, "value")
          } not observed: left empty, which is not zero.`,
        ],
        ...running && !empty
          ? [
            `Outlined: the month is not over, the data ends on ${formatDay(through!, locale)}${
              partial && average !== null ? ", and it is not in the average" : ""
            }.`,
          ]
          : [],
      ]),
    }, settings),
  };
}

/**
 * The cohort triangle: months across, cohorts down, the share of users still active in each cell, the size of
 * each cohort at its side, and the average of all cohorts, weighted by size, on top. A month that is not observed
 * has no cell, which is not zero; one that is not over is outlined. The average is over the cohorts that
 * `pooledRetention` pools: the one of the month in which tracking began is drawn, and is not in it. Nor is a month
 * that is not over where the service sends a value for it, by the day to which the data goes; `pooledRetention`,
 * which knows no such day, takes it in.
 *
 * Takes what `retentionCurves` gives. Cohorts of several projects are pooled, weighted by size; of more than
 * 36 cohorts (`limit`) the oldest become one row.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotRetentionHeatmap, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = plotRetentionHeatmap(curves, { project_id: "tidewater" });
 * console.log(chart.title); // Retention by cohort: Tidewater
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or the frame has no such project or sector.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function plotRetentionHeatmap(
  frame: DataFrame,
  options: RetentionHeatmapOptions = {},
): PlotChart {
  const { from, ...view } = heatmapView(frame, options, "plotRetentionHeatmap");
  type Draw = typeof import("./plot/draw_heatmap.ts");
  const draw = (): Promise<Draw> => import(new URL("./plot/draw_heatmap.ts", import.meta.url).href);
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).heatmapFigure({ ...view, width }),
  });
}

/**
 * The cohort triangle that answers to the mouse: a cell shows its numbers, a click on a step of the legend
 * outlines it and fades the others, and a second click brings them back. In the page that `save` makes the
 * steps take keys as well.
 *
 * Takes what `retentionCurves` gives, and draws the same cells as `plotRetentionHeatmap`.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, retentionCurves, vegaRetentionHeatmap } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = vegaRetentionHeatmap(curves, { project_id: "tidewater" });
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or the frame has no such project or sector.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Charts
 */
export function vegaRetentionHeatmap(
  frame: DataFrame,
  options: RetentionHeatmapOptions = {},
): VegaChart {
  const { from, ...view } = heatmapView(frame, options, "vegaRetentionHeatmap");
  type Draw = typeof import("./vega/draw_heatmap.ts");
  const draw = (): Promise<Draw> => import(new URL("./vega/draw_heatmap.ts", import.meta.url).href);
  return vegaChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).heatmapSpec({ ...view, width }),
  });
}
