import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import type { LegendItem } from "../page/legend.ts";
import { type ChartOptions, widthOf } from "../read/chart_options.ts";
import type { Asker } from "../read/check_columns.ts";
import { emptyWords } from "../read/empty_words.ts";
import { type RetentionLine, retentionLines } from "../read/retention_lines.ts";
import { sourceNote } from "../read/source_note.ts";
import { symbolPath } from "../symbols.ts";
import { countOf } from "../text/count_of.ts";
import { formatPercent } from "../text/format_percent.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";
import { lineLabels, retentionPanel } from "./retention_panel.ts";
import { type RetentionScene, retentionScene } from "./retention_scene.ts";

/** Options of `plotRetention`. */
export interface PlotRetentionOptions extends ChartOptions {
  /**
   * Whether to draw the confidence bands.
   * @default {with up to four lines}
   */
  readonly bands?: boolean;
  /**
   * The first month to draw: 1 leaves out the month in which everybody is there.
   * @default {0}
   */
  readonly startMonth?: number;
}

const MOST_BANDS = 4;
const asker: Asker = {
  name: "plotRetention",
  hint: "pass what retentionCurves, pooledRetention or forecastRetention gives",
};

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

/** The chart in a sentence. */
function describe(lines: readonly RetentionLine[]): string {
  const ends = lines.slice(0, 4).map(({ label, points }) => {
    const end = points.findLast(({ retention }) => retention !== null);
    if (end === undefined) return `${label}: forecast only`;
    return `${label} ${formatPercent(end.retention!)} in month ${end.month}`;
  });
  const more = lines.length > 4 ? ` and ${lines.length - 4} more` : "";
  return `Line chart of ${countOf(lines.length, "line")}: ${ends.join("; ")}${more}.`;
}

/**
 * Retention curves: the share of users still active by months since their first month, one line per group,
 * with confidence bands, and a forecast dashed.
 *
 * Takes what `retentionCurves` (a line per cohort), `pooledRetention` (a line per group) or
 * `forecastRetention` (observed and predicted) gives. More than 12 lines fold into the 11 largest and
 * "other". A null is left empty.
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function plotRetention(frame: DataFrame, options: PlotRetentionOptions = {}): PlotChart {
  const width = widthOf(options, asker);
  const { startMonth = 0, source = frame } = options;
  const { lines, bounds, notes } = retentionLines(frame, { startMonth, asker });
  const { bands = lines.length <= MOST_BANDS } = options;
  const empty = lines.length === 0 ? emptyWords(frame) : null;
  const alone = lines.length === 1 && lines[0]!.label !== "all" ? `: ${lines[0]!.label}` : "";
  const about: About = {
    title: options.title ?? `User retention${alone}`,
    subtitle: options.subtitle ??
      "Share of each cohort's users who are active again, month by month",
    label: empty ?? describe(lines),
    caption: [
      ...notes,
      ...bounds && !bands ? ["Confidence intervals are not drawn."] : [],
      sourceNote(source),
    ],
  };
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const page = { ...about, width, columns: 1, gap: 0 };
    if (empty !== null) {
      return { ...page, legend: [], rows: [], panels: [noData(Plot, empty, inner)] };
    }
    const scene = retentionScene(lines, bounds && bands);
    const labels = lineLabels(scene, inner);
    return {
      ...page,
      rows: scene.rows,
      legend: legendOf(scene, labels !== null),
      panels: [retentionPanel(Plot, scene, { width: inner, labels })],
    };
  });
}
