import { string } from "../platform/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { cohortRows } from "./cohorts.ts";
import { type PlotChart, readyChart, type ReadyParts, readyVega, type VegaChart } from "./draw.ts";
import type { CellsPlan } from "./drawing/cells.ts";
import { countOf, formatCount, formatDay, formatterFor } from "./format.ts";
import { type ChartOptions, chartSettings, type Settings } from "./options.ts";
import { onlyName } from "./rows.ts";
import { sumOf } from "./series.ts";
import { joined, lastDay } from "./words.ts";

const RULES = { project_id: string, market_sector_id: string };
const NAMES = ["project_name", "project_id", "market_sector_name", "market_sector_id"];

/** Returns the rows of the selected project or market sector. */
function chosen(frame: DataFrame, settings: Settings<typeof RULES>, fn: string): DataFrame {
  let rows = frame;
  for (const column of ["project_id", "market_sector_id"] as const) {
    const id = settings[column];
    if (id === undefined) continue;
    requireColumns(frame, { fn, source: "a frame of retentionCurves", columns: [column] });
    rows = rows.filter(pl.col(column).eq(pl.lit(id)));
    if (rows.height === 0) throw new RangeError(`${fn}: ${column}: the frame has no "${id}"`);
  }
  return rows;
}

function heatmapParts(
  frame: DataFrame,
  options: NonNullable<Parameters<typeof plotRetentionHeatmap>[1]>,
  fn: string,
) {
  const settings = chartSettings(fn, options, RULES);
  requireColumns(frame, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort"],
    numbers: ["month", "retention"],
  });
  const { source = frame, locale, limit } = settings;
  const rows = chosen(frame, settings, fn);
  const through = lastDay(source);
  const { cohorts, average, sample, leftOut } = cohortRows(rows, { through, limit });
  const points = cohorts.flatMap(({ points }) => points);
  const missing = points.filter(({ y }) => y === null).length;
  const months = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const total = sumOf(cohorts, ({ size }) => size);
  const count = countOf(cohorts.length, "cohort");
  const users = total === 0 ? "" : `${formatCount(total, locale)} users in ${count}`;
  const running = cohorts.some(({ running, points }) => points.some(({ x }) => x === running));
  const all = average === null ? cohorts : [average, ...cohorts];
  const first = all[0]?.points.filter(({ x, y }) => x > 0 && y !== null) ?? [];
  const write = formatterFor(first.map(({ y }) => y), { unit: "share", locale: "en-US" });
  const shares = first.slice(0, 4).map(({ x, y }) => `${write(y!)} in month ${x}`).join(", ");
  const parts: ReadyParts = {
    frame,
    settings,
    empty: missing === points.length,
    title: joined(["Retention by cohort", onlyName(rows, NAMES) ?? ""], ": "),
    subtitle: joined([
      "Share of each month's first-time users active again, by month",
      users,
    ]),
    label: `Heat map of ${count}, ${cohorts[0]?.label} to ${cohorts.at(-1)?.label}. ` +
      `${all[0]?.label}: ${shares}.`,
    notes: [
      ...sample,
      running && through !== null &&
      `Outlined: the month is not over on ${formatDay(through, locale)}` +
        `${average === null ? "" : ", and is not in the average"}.`,
      leftOut,
      missing > 0 && `Empty: not yet observed (${missing} of ${points.length}).`,
    ],
  };
  const valueAt = (points: typeof all[number]["points"], month: number) =>
    points.find(({ x }) => x === month) ?? null;
  const plan: CellsPlan = {
    rows: all.map(({ label, size, points, running }) => ({
      label,
      size,
      sizes: months.map((month) => valueAt(points, month)?.size ?? null),
      values: months.map((month) => valueAt(points, month)?.y ?? null),
      running: running === null || !months.includes(running) ? null : months.indexOf(running),
    })),
    columns: months.map(String),
    kind: "shares",
    title: "Still active",
    across: "Months since the cohort began",
    down: "Cohort",
    ...months[0] === 0 ? { start: 0 } : {},
    ...average === null ? {} : {
      average: true,
      observed: months.map((month) => valueAt(average.points, month)?.size ?? null),
    },
  };
  return { parts, plan };
}

/**
 * Draws the cohort triangle, with one column per month and one row per cohort. Each cell shows the share of users who
 * are still active. The size of each cohort is at the left. The row at the top shows the average of the cohorts,
 * weighted by size. Unobserved months have no cell. Incomplete months are outlined. The average leaves out incomplete
 * months and the cohorts of the first three tracked months.
 *
 * Takes the result of `retentionCurves`. Cohorts of several projects are pooled, weighted by size. If there are more
 * than 36 cohorts (see `limit`), the oldest cohorts are combined into one row.
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
 * @throws {RangeError} when a column is missing, the frame has no such project or sector, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function plotRetentionHeatmap(
  frame: DataFrame,
  options: {
    /**
     * The project whose cohorts are drawn.
     * @default {all projects of the frame, pooled}
     */
    readonly project_id?: string;
    /**
     * The market sector whose cohorts are drawn.
     * @default {all market sectors of the frame, pooled}
     */
    readonly market_sector_id?: string;
  } & ChartOptions = {},
): PlotChart {
  const { parts, plan } = heatmapParts(frame, options, "plotRetentionHeatmap");
  return readyChart({ ...parts, figure: (draw, look) => draw.cellsFigure(plan, look) });
}

/**
 * Draws the cells of `plotRetentionHeatmap` as an interactive chart for mouse, touch and keyboard. Pointing at a cell
 * shows its numbers. Selecting a color of the legend outlines the cells with this color. Escape resets the chart.
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
 * @throws {RangeError} when a column is missing, the frame has no such project or sector, or an option is out of range.
 * @throws {TypeError} when a column that must hold numbers does not.
 * @category Charts
 */
export function vegaRetentionHeatmap(
  frame: DataFrame,
  options: Parameters<typeof plotRetentionHeatmap>[1] = {},
): VegaChart {
  const { parts, plan } = heatmapParts(frame, options, "vegaRetentionHeatmap");
  return readyVega({ ...parts, spec: (draw, look) => draw.cellsSpec(plan, look) });
}
