import type { DataFrame } from "../table/polars.ts";
import { type CurvePoint, foldPoints } from "./curves.ts";
import { countOf } from "./format.ts";
import type { CohortRow } from "./plot/draw_heatmap.ts";
import { cohortTexts, numberValues, textValues } from "./values.ts";

/** The cohorts of a heat map, oldest first, all of them together, and what is to say about them. */
interface CohortRows {
  readonly cohorts: readonly CohortRow[];
  /**
   * All cohorts but the left-truncated ones, as they are pooled: weighted by size; null where there is one, or
   * sizes are not known.
   */
  readonly average: CohortRow | null;
  readonly notes: readonly string[];
}

interface Cell extends CurvePoint {
  readonly cohort: string;
  readonly date: number | null;
  readonly project: string;
  /** Whether it is of the month in which tracking began, and so of no cohort. */
  readonly truncated: boolean;
}

const MOST_COHORTS = 36;

function cellsOf(frame: DataFrame): Cell[] {
  const months = numberValues(frame, "month");
  const retention = numberValues(frame, "retention");
  const sizes = frame.columns.includes("size") ? numberValues(frame, "size") : [];
  const texts = (column: string) => frame.columns.includes(column) ? textValues(frame, column) : [];
  const [dates, projects] = [texts("cohort_date"), texts("project_id")];
  const truncated = texts("left_truncated");
  return cohortTexts(frame).flatMap((cohort, row) => {
    const month = months[row]!;
    const date = dates[row] ?? null;
    return month === null ? [] : [{
      month,
      retention: retention[row]!,
      size: sizes[row] ?? null,
      lower: null,
      upper: null,
      predicted: null,
      cohort: cohort ?? "unnamed",
      date: date === null ? null : Date.parse(date),
      project: projects[row] ?? "",
      truncated: truncated[row] === "true",
    }];
  });
}

function firstSize(points: readonly CurvePoint[]): number | null {
  return points.find(({ size }) => size !== null && size > 0)?.size ?? null;
}

/** The month, counted from the cohort's own, that was not over on the last day of the data. */
function runningMonth(date: number | null, through: Date | null): number | null {
  if (date === null || through === null) return null;
  const next = new Date(through.getTime() + 86_400_000);
  if (next.getUTCDate() === 1) return null;
  const cohort = new Date(date);
  const months = (through.getUTCFullYear() - cohort.getUTCFullYear()) * 12 +
    through.getUTCMonth() - cohort.getUTCMonth();
  return months < 0 ? null : months;
}

/** Cohorts that name a month in its order, those that do not after them, as they came. */
function inOrder(cells: readonly Cell[]): [string, Cell[]][] {
  const cohorts = [...Map.groupBy(cells, ({ cohort }) => cohort)];
  return cohorts.toSorted(([, [a]], [, [b]]) =>
    (a!.date ?? Number.MAX_SAFE_INTEGER) - (b!.date ?? Number.MAX_SAFE_INTEGER)
  );
}

function averageOf(
  cells: readonly Cell[],
  { label, through }: { readonly label: string; readonly through: Date | null },
): CohortRow | null {
  const cohorts = Map.groupBy(cells.filter(({ truncated }) => !truncated), ({ cohort }) => cohort);
  const sizes = [...cohorts.values()].map((cells) => firstSize(foldPoints(cells, true)) ?? 0);
  const size = sizes.reduce((sum, size) => sum + size, 0);
  if (cohorts.size < 2 || size === 0) return null;
  // A running month is not over: it would pull the average down.
  const whole = [...cohorts.values()].flatMap((cells) => {
    const running = runningMonth(cells[0]!.date, through);
    return cells.filter(({ month, retention }) =>
      retention !== null && (running === null || month < running)
    );
  });
  return { label, size, points: foldPoints(whole, true), running: null };
}

/** What is said of cohorts that are none. */
function truncatedNotes(average: CohortRow | null): string[] {
  return [
    `The cohort of the month in which tracking began holds whoever came before${
      average === null ? "." : ", and is not in the average."
    }`,
  ];
}

/**
 * Reads what `retentionCurves` gives into one row for each cohort. Cohorts of the same month in several
 * projects are pooled, weighted by size; the oldest of very many become one row.
 */
export function cohortRows(
  frame: DataFrame,
  { through, limit = MOST_COHORTS }: { through: Date | null; limit?: number | undefined },
): CohortRows {
  const cells = cellsOf(frame);
  const projects = new Set(cells.map(({ project }) => project)).size;
  const weighted = cells.some(({ size }) => size !== null && size > 0);
  const rows = inOrder(cells).map(([cohort, cells]): CohortRow => {
    const points = foldPoints(cells, weighted);
    const running = runningMonth(cells[0]!.date, through);
    return { label: cohort, size: firstSize(points), points, running };
  });
  const truncated = cells.some(({ truncated }) => truncated);
  const average = averageOf(cells, {
    label: truncated ? "All later cohorts" : "All cohorts",
    through,
  });
  const said = [
    ...projects < 2
      ? []
      : [`${projects} projects pooled${weighted ? ", weighted by cohort size" : ""}.`],
    ...truncated ? truncatedNotes(average) : [],
  ];
  if (rows.length <= limit) return { cohorts: rows, average, notes: said };
  const older = rows.slice(0, rows.length - limit + 1);
  const earlier: CohortRow = {
    label: `earlier (${older.length})`,
    size: weighted ? older.reduce((sum, { size }) => sum + (size ?? 0), 0) : null,
    points: foldPoints(older.flatMap(({ points }) => points), weighted),
    running: null,
  };
  return {
    cohorts: [earlier, ...rows.slice(older.length)],
    average,
    notes: [
      ...said,
      `${
        countOf(rows.length, "cohort")
      }: the first ${older.length} are drawn as one, “${earlier.label}”${
        weighted ? ", weighted by size" : ""
      }.`,
    ],
  };
}
