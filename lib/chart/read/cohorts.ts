import type { DataFrame } from "../../table/polars.ts";
import { EARLY, isEarly, pooledPoints } from "./curves.ts";
import { cohortTexts, recordsOf } from "./rows.ts";
import { type LinePoint, sumOf } from "./lines.ts";
import type { Note } from "../words.ts";

/** A row of a cohort triangle. In each point, `x` is the month since first use and `y` is the share of active users. */
interface CohortRow {
  readonly label: string;
  /** The number of users in the cohort at the start. Null if unknown. */
  readonly size: number | null;
  readonly points: readonly LinePoint[];
  /**
   * The month since first use that was incomplete on the last day of the data. Null if no month was incomplete, or if
   * the month is unknown.
   */
  readonly running: number | null;
}

/** The cohorts of a triangle, oldest first, with their average and notes for the caption. */
interface CohortRows {
  readonly cohorts: readonly CohortRow[];
  /**
   * The average of the cohorts that `pooledRetention` pools, weighted by size. Null if sizes are unknown or there are
   * fewer than two such cohorts.
   */
  readonly average: CohortRow | null;
  readonly sample: readonly Note[];
  readonly leftOut: Note;
}

/** A cell: the retention of one cohort of one project in one month. */
type Cell = LinePoint & ReturnType<typeof rowsOf>[number] & { readonly cohort: string };

const MOST_COHORTS = 36;

function rowsOf(frame: DataFrame) {
  return recordsOf(frame, {
    numbers: ["month", "retention", "size", ...EARLY.numbers],
    texts: ["project_id", "cohort_date", ...EARLY.texts],
  });
}

function cellsOf(frame: DataFrame): Cell[] {
  const cohorts = cohortTexts(frame);
  return rowsOf(frame).flatMap((row, at): Cell[] => {
    const { month: x, retention: y } = row;
    return x === null ? [] : [{ ...row, x, y, complete: true, cohort: cohorts[at] ?? "unnamed" }];
  });
}

/**
 * Returns the month since first use that was incomplete on the last day of the data. Returns null if no month was
 * incomplete, or if a date is unknown.
 */
function runningMonth({ cohort_date: date }: Cell, through: Date | null): number | null {
  if (date === null || through === null) return null;
  const next = new Date(through.getTime() + 86_400_000);
  if (next.getUTCDate() === 1) return null;
  const cohort = new Date(date);
  const months = (through.getUTCFullYear() - cohort.getUTCFullYear()) * 12 +
    through.getUTCMonth() - cohort.getUTCMonth();
  return months < 0 ? null : months;
}

/** Combines the cells of several projects for one cohort into one row. */
function cohortOf(
  [label, cells]: readonly [string, readonly Cell[]],
  weighted: boolean,
  through: Date | null,
): CohortRow {
  const points = pooledPoints(cells, weighted);
  const size = points.find(({ size }) => (size ?? 0) > 0)?.size ?? null;
  return { label, size, points, running: runningMonth(cells[0]!, through) };
}

/** Groups cells by cohort, in order of time. Cohorts whose names are not months come last, in input order. */
function byCohort(cells: readonly Cell[]): [string, Cell[]][] {
  const dateOf = ([, [first]]: [string, Cell[]]) => Date.parse(first!.cohort_date ?? "9999-12-31");
  return [...Map.groupBy(cells, ({ cohort }) => cohort)].toSorted((a, b) => dateOf(a) - dateOf(b));
}

function averageOf(cells: readonly Cell[], through: Date | null): CohortRow | null {
  const later = byCohort(cells.filter((cell) => !isEarly(cell)));
  const size = sumOf(later, (cohort) => cohortOf(cohort, true, through).size);
  if (later.length < 2 || size === 0) return null;
  // An incomplete month would lower the average.
  const whole = later.flatMap(([, cells]) => {
    const running = runningMonth(cells[0]!, through) ?? Infinity;
    return cells.filter(({ x, y }) => y !== null && x < running);
  });
  const label = cells.some(isEarly) ? "All later cohorts" : "All cohorts";
  return { label, size, points: pooledPoints(whole, true), running: null };
}

/**
 * Reads the result of `retentionCurves` into one row per cohort. Cohorts that several projects have in the same month
 * are pooled, weighted by size. If there are more than `limit` cohorts, the oldest are combined into one row.
 */
export function cohortRows(
  frame: DataFrame,
  { through, limit = MOST_COHORTS }: {
    readonly through: Date | null;
    readonly limit?: number | undefined;
  },
): CohortRows {
  const cells = cellsOf(frame);
  const projects = new Set(cells.map(({ project_id }) => project_id)).size;
  const weighted = cells.some(({ size }) => (size ?? 0) > 0);
  const rows = byCohort(cells).map((cohort) => cohortOf(cohort, weighted, through));
  const average = averageOf(cells, through);
  const early = byCohort(cells.filter(isEarly)).map(([cohort]) => cohort).join(", ");
  const older = rows.length > limit ? rows.slice(0, rows.length - limit) : [];
  const earlier: CohortRow[] = older.length === 0 ? [] : [{
    label: `earlier (${older.length})`,
    size: weighted ? sumOf(older, ({ size }) => size) : null,
    points: pooledPoints(older.flatMap(({ points }) => points), weighted),
    running: null,
  }];
  return {
    cohorts: [...earlier, ...rows.slice(older.length)],
    average,
    sample: [
      projects > 1 && `${projects} projects pooled${weighted ? ", weighted by size" : ""}.`,
      early !== "" &&
      (average === null
        ? `The first cohorts after tracking began hold older users: ${early}.`
        : `Left out of the average: ${early}. The first cohorts after tracking began hold older users.`),
    ],
    leftOut: older.length > 0 &&
      `Drawn as one row: the first ${older.length} of ${rows.length} cohorts.`,
  };
}
