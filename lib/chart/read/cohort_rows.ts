import type { DataFrame } from "../../table/polars.ts";
import { countOf } from "../text/format.ts";
import { type Asker, checkColumns } from "./options.ts";
import { cohortTexts, numberValues, textValues } from "./values.ts";
import { type CurvePoint, foldPoints } from "./curves.ts";

/** A cohort of a heat map. */
export interface CohortRow {
  readonly label: string;
  /** Users at the start; null when not known. */
  readonly size: number | null;
  readonly points: readonly CurvePoint[];
}

/** The cohorts of a heat map, oldest first, and what its caption has to say about them. */
export interface CohortRows {
  readonly cohorts: readonly CohortRow[];
  readonly notes: readonly string[];
}

interface Cell extends CurvePoint {
  readonly cohort: string;
  readonly date: number | null;
  readonly project: string;
}

const MOST_COHORTS = 36;

function cellsOf(frame: DataFrame, asker: Asker): Cell[] {
  const months = numberValues(frame, "month", asker);
  const retention = numberValues(frame, "retention", asker);
  const sizes = frame.columns.includes("size") ? numberValues(frame, "size", asker) : [];
  const texts = (column: string) => frame.columns.includes(column) ? textValues(frame, column) : [];
  const [dates, projects] = [texts("cohort_date"), texts("project_id")];
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
    }];
  });
}

function firstSize(points: readonly CurvePoint[]): number | null {
  return points.find(({ size }) => size !== null && size > 0)?.size ?? null;
}

/** Cohorts that name a month in its order, those that do not after them, as they came. */
function inOrder(cells: readonly Cell[]): [string, Cell[]][] {
  const cohorts = [...Map.groupBy(cells, ({ cohort }) => cohort)];
  return cohorts.toSorted(([, [a]], [, [b]]) =>
    (a!.date ?? Number.MAX_SAFE_INTEGER) - (b!.date ?? Number.MAX_SAFE_INTEGER)
  );
}

/**
 * Reads what `retentionCurves` gives into one row for each cohort. Cohorts of the same month in several
 * projects are pooled, weighted by size; the oldest of very many become one row.
 */
export function cohortRows(
  frame: DataFrame,
  { project_id, asker }: { project_id: string | undefined; asker: Asker },
): CohortRows {
  checkColumns(frame, ["cohort", "month", "retention"], asker);
  const every = cellsOf(frame, asker);
  const cells = project_id === undefined
    ? every
    : every.filter(({ project }) => project === project_id);
  if (project_id !== undefined && cells.length === 0) {
    throw new RangeError(`${asker.name}: the frame has no project_id "${project_id}"`);
  }
  const projects = new Set(cells.map(({ project }) => project)).size;
  const weighted = cells.some(({ size }) => size !== null && size > 0);
  const rows = inOrder(cells).map(([cohort, cells]): CohortRow => {
    const points = foldPoints(cells, weighted);
    return { label: cohort, size: firstSize(points), points };
  });
  const pooled = projects < 2
    ? []
    : [`${projects} projects pooled${weighted ? ", weighted by cohort size" : ""}.`];
  if (rows.length <= MOST_COHORTS) return { cohorts: rows, notes: pooled };
  const older = rows.slice(0, rows.length - MOST_COHORTS + 1);
  const earlier: CohortRow = {
    label: `earlier (${older.length})`,
    size: weighted ? older.reduce((sum, { size }) => sum + (size ?? 0), 0) : null,
    points: foldPoints(older.flatMap(({ points }) => points), weighted),
  };
  return {
    cohorts: [earlier, ...rows.slice(older.length)],
    notes: [
      ...pooled,
      `${
        countOf(rows.length, "cohort")
      }: the first ${older.length} are drawn as one, “${earlier.label}”${
        weighted ? ", weighted by size" : ""
      }.`,
    ],
  };
}
