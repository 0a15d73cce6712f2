import { SEQUENTIAL_COLORS } from "../theme.ts";
import { countOf, formatNumber, formatPercent } from "../text/format.ts";
import { type DataFrame, pl } from "../../table/polars.ts";
import type { About } from "../chart.ts";
import { type ChartOptions, widthOf } from "./options.ts";
import { type CohortRow, cohortRows } from "./cohort_rows.ts";
import { emptyWords, onlyName, sourceNote } from "./values.ts";

/** A range of shares with its colour. */
export interface ShareStep {
  /** The lowest share of the step; the step ends where the next begins. */
  readonly from: number;
  readonly label: string;
  readonly color: string;
  /** The colour of a text that stands on it. */
  readonly ink: string;
}

const WIDTHS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const DARK_FROM = 5;

/** Eight steps of a round width from zero on, wide enough for the highest share but a few. */
export function shareSteps(highest: number): ShareStep[] {
  const count = SEQUENTIAL_COLORS.length;
  // Up to a whole, the last step is open: steps beyond 100 % would be for nothing.
  const most = highest > 1 ? highest : Math.min(highest, 0.1 * count);
  const width = WIDTHS.find((width) => width * count >= most - 1e-9) ?? WIDTHS.at(-1)!;
  return SEQUENTIAL_COLORS.map((color, index) => ({
    from: index * width,
    label: index === count - 1
      ? `${formatPercent(index * width)} or more`
      : `${formatNumber(index * width * 100)}–${formatPercent((index + 1) * width)}`,
    color,
    ink: index >= DARK_FROM ? "#ffffff" : "#1b1f24",
  }));
}

/** The step a share falls into. */
export function stepOf(steps: readonly ShareStep[], share: number): ShareStep {
  // A share of 0.3 computed as 0.29999999999999998 belongs to the step that begins at 0.3.
  return steps.findLast(({ from }) => share >= from - 1e-9) ?? steps[0]!;
}

/** Options of a cohort triangle. */
export interface RetentionHeatmapOptions extends ChartOptions {
  /**
   * The project whose cohorts are drawn.
   * @default {all projects of the frame, pooled by cohort}
   */
  readonly project_id?: string;
}

/** What a cohort triangle says and draws. */
export interface HeatmapView {
  readonly about: About;
  readonly width: number;
  /** Oldest first; none when no value is known. */
  readonly cohorts: readonly CohortRow[];
  readonly steps: readonly ShareStep[];
}

/** The highest share but those of month 0, in which everybody is there. */
function highestShare(cohorts: readonly CohortRow[]): number {
  const shares = cohorts.flatMap(({ points }) =>
    points.flatMap(({ month, retention }) => month === 0 || retention === null ? [] : [retention])
  );
  return shares.length === 0 ? 1 : Math.max(...shares);
}

/**
 * Reads what `retentionCurves` gives for the function called `name`.
 *
 * @throws {RangeError} when a column that is needed is missing, or the frame has no such project.
 */
export function heatmapView(
  frame: DataFrame,
  options: RetentionHeatmapOptions,
  name: string,
): HeatmapView {
  const asker = { name, hint: "pass what retentionCurves gives" };
  const width = widthOf(options, asker);
  const { project_id, source = frame } = options;
  const { cohorts, notes } = cohortRows(frame, { project_id, asker });
  const cells = cohorts.flatMap(({ points }) => points);
  const missing = cells.filter(({ retention }) => retention === null).length;
  const empty = missing === cells.length;
  const whose = onlyName(
    project_id === undefined ? frame : frame.filter(pl.col("project_id").eq(pl.lit(project_id))),
    ["project_name", "project_id"],
  );
  return {
    width,
    cohorts: empty ? [] : cohorts,
    steps: shareSteps(highestShare(cohorts)),
    about: {
      title: options.title ?? `Retention by cohort${whose}`,
      subtitle: options.subtitle ??
        "Share of each cohort's users who are active again, month by month",
      label: empty
        ? emptyWords(frame)
        : `Heat map of ${countOf(cohorts.length, "cohort")}, ${cohorts[0]!.label} to ${
          cohorts.at(-1)!.label
        }, with ${countOf(cells.length - missing, "share")}.`,
      caption: [
        ...notes,
        ...missing === 0 ? [] : [
          `${missing} of ${
            countOf(cells.length, "value")
          } not observed: left empty, which is not zero.`,
        ],
        sourceNote(source),
      ],
    },
  };
}
