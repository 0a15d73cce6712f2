import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import { countOf } from "../text/count_of.ts";
import { formatPercent } from "../text/format_percent.ts";
import { type ChartOptions, widthOf } from "./chart_options.ts";
import { emptyWords } from "./empty_words.ts";
import { onlyName } from "./only_name.ts";
import { type RetentionLine, retentionLines } from "./retention_lines.ts";
import { type RetentionScene, retentionScene } from "./retention_scene.ts";
import { sourceNote } from "./source_note.ts";

/** Options of a chart of retention curves. */
export interface RetentionOptions extends ChartOptions {
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

/** What a chart of retention curves says and draws. */
export interface RetentionView {
  readonly about: About;
  readonly width: number;
  /** What to draw; null when no value is known. */
  readonly scene: RetentionScene | null;
}

const MOST_BANDS = 4;
const NAMES = ["project_name", "project_id", "market_sector_name", "market_sector_id"];

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
 * Reads a retention frame for the function called `name`.
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function retentionView(
  frame: DataFrame,
  options: RetentionOptions,
  name: string,
): RetentionView {
  const asker = {
    name,
    hint: "pass what retentionCurves, pooledRetention or forecastRetention gives",
  };
  const width = widthOf(options, asker);
  const { startMonth = 0, source = frame } = options;
  const { lines, bounds, notes } = retentionLines(frame, { startMonth, asker });
  const { bands = lines.length <= MOST_BANDS } = options;
  const empty = lines.length === 0;
  return {
    width,
    scene: empty ? null : retentionScene(lines, bounds && bands),
    about: {
      title: options.title ?? `User retention${onlyName(frame, NAMES)}`,
      subtitle: options.subtitle ??
        "Share of each cohort's users who are active again, month by month",
      label: empty ? emptyWords(frame) : describe(lines),
      caption: [
        ...notes,
        ...bounds && !bands ? ["Confidence intervals are not drawn."] : [],
        sourceNote(source),
      ],
    },
  };
}
