import { type DataFrame, pl } from "../../table/polars.ts";
import type { About } from "../about.ts";
import { type ShareStep, shareSteps } from "../share_steps.ts";
import { countOf } from "../text/count_of.ts";
import { type ChartOptions, widthOf } from "./chart_options.ts";
import { type CohortRow, cohortRows } from "./cohort_rows.ts";
import { emptyWords } from "./empty_words.ts";
import { onlyName } from "./only_name.ts";
import { sourceNote } from "./source_note.ts";

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
