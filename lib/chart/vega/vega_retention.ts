import type { DataFrame } from "../../table/polars.ts";
import { type RetentionOptions, type RetentionScene, retentionView } from "../read/retention.ts";
import { symbolPath } from "../theme.ts";
import { formatNumber, formatPercent } from "../text/format.ts";
import { type VegaChart, vegaChart } from "./draw_vega.ts";
import { noDataSpec, topLegend, type VegaSpec, vegaSpec } from "./vega_parts.ts";

/** A share as percent; one that can be none is at least short. */
const TICK =
  "abs(datum.value) < 100 ? format(datum.value, '~%') : format(100 * datum.value, '~e') + '%'";
/** What stands at the left of the plot. */
const AXIS = 90;
const SHOWN = [{ filter: { param: "groups" } }];

function userText(size: number | null): string {
  return size === null ? "not known" : formatNumber(size);
}

/** A row of data for each month of each line; the texts are for the tooltip. */
function valuesOf({ lines, rows }: RetentionScene): Record<string, unknown>[] {
  const sizes = lines.flatMap(({ points }) => points.map(({ size }) => size));
  return rows.map((row, index) => ({
    ...row,
    shown: typeof row.retention === "number" ? formatPercent(row.retention) : "not observed",
    forecast: typeof row.predicted === "number" ? formatPercent(row.predicted) : "none",
    interval: typeof row.lower === "number" && typeof row.upper === "number"
      ? `${formatPercent(row.lower)} to ${formatPercent(row.upper)}`
      : "not drawn",
    users: userText(sizes[index] ?? null),
  }));
}

function layersOf({ lines, rows, bands }: RetentionScene): VegaSpec[] {
  const forecast = rows.some(({ predicted }) => predicted !== null);
  const share = (field: string) => ({ field, type: "quantitative" });
  const tooltip = [
    { field: "group", title: "group" },
    { field: "month", title: "month" },
    { field: "shown", title: "still active" },
    ...bands ? [{ field: "interval", title: "confidence interval" }] : [],
    ...forecast ? [{ field: "forecast", title: "forecast" }] : [],
    { field: "users", title: "users at risk" },
  ];
  const area = {
    transform: SHOWN,
    mark: { type: "area", opacity: 0.16, line: false, tooltip: null },
    encoding: { y: share("lower"), y2: { field: "upper" } },
  };
  const dashed = {
    transform: SHOWN,
    mark: { type: "line", strokeWidth: 1.5, strokeDash: [5, 3], tooltip: null },
    encoding: { y: share("predicted") },
  };
  return [
    ...bands ? [area] : [],
    ...forecast ? [dashed] : [],
    {
      params: [
        { name: "groups", select: { type: "point", fields: ["group"] }, bind: "legend" },
        { name: "view", select: "interval", bind: "scales" },
      ],
      transform: SHOWN,
      mark: { type: "line", strokeWidth: 2, tooltip: null },
      encoding: { y: share("retention") },
    },
    {
      transform: [...SHOWN, { filter: "isValid(datum.retention) || isValid(datum.predicted)" }, {
        calculate: "isValid(datum.retention) ? datum.retention : datum.predicted",
        as: "value",
      }],
      mark: { type: "point", filled: true, size: 45 },
      encoding: {
        y: share("value"),
        shape: {
          field: "group",
          type: "nominal",
          scale: {
            domain: lines.map(({ label }) => label),
            range: lines.map(({ symbol }) => symbolPath(symbol)),
          },
        },
        // A point of the forecast is there for the mouse only.
        opacity: { condition: { test: "isValid(datum.retention)", value: 1 }, value: 0 },
        tooltip,
      },
    },
  ];
}

function bodyOf(scene: RetentionScene, width: number): VegaSpec {
  const { lines, months: [first, last], shares: [bottom, top] } = scene;
  const groups = lines.map(({ label }) => label);
  const legend = groups.length === 1 ? null : topLegend(groups, { width, left: AXIS });
  return {
    height: 320,
    data: { values: valuesOf(scene) },
    encoding: {
      x: {
        field: "month",
        type: "quantitative",
        title: "Months since the cohort began",
        scale: { domain: [first - 0.15, last + 0.15], nice: false },
        axis: { tickMinStep: 1, format: "d", grid: false },
      },
      y: {
        title: "Users still active (%)",
        // A little more, so that points on the edge are drawn whole.
        scale: { domain: [bottom, top + (top - bottom) * 0.02], nice: false },
        axis: { labelExpr: TICK, tickCount: 6, domain: false, ticks: false },
      },
      color: {
        field: "group",
        type: "nominal",
        scale: { domain: groups, range: lines.map(({ color }) => color) },
        legend,
      },
    },
    layer: layersOf(scene),
  };
}

/** What the lines and areas are, as the legend names the groups only. */
function keyNotes({ rows, bands }: RetentionScene): string[] {
  const forecast = rows.some(({ predicted }) => predicted !== null);
  const words = [bands ? "shaded: confidence interval" : "", forecast ? "dashed: forecast" : ""];
  const notes = words.filter((word) => word !== "").join("; ");
  return notes === "" ? [] : [`${notes.charAt(0).toUpperCase()}${notes.slice(1)}.`];
}

/**
 * Retention curves that answer to the mouse: a point shows its values, a click on the legend leaves only that
 * line (with shift: adds one), the wheel zooms and dragging moves.
 *
 * Takes what `retentionCurves`, `pooledRetention` or `forecastRetention` gives, and draws the same lines as
 * `plotRetention`.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, pooledRetention, retentionCurves, vegaRetention } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const chart = vegaRetention(pooledRetention(curves, { by: "market_sector_id" }));
 * console.log(chart);
 * ```
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function vegaRetention(frame: DataFrame, options: RetentionOptions = {}): VegaChart {
  const { about, width, scene } = retentionView(frame, options, "vegaRetention");
  if (scene === null) {
    return vegaChart(about, vegaSpec(about, { ...noDataSpec(about.label), width }));
  }
  const said = { ...about, caption: [...keyNotes(scene), ...about.caption] };
  return vegaChart(said, vegaSpec(said, { ...bodyOf(scene, width), width }));
}
