import type { DataFrame } from "../table/polars.ts";
import { earlyRows, pooledPoints } from "./retention_lines.ts";
import { cohortTexts, numbersOrNull, numberValues, textsOrNull } from "./rows.ts";
import type { LinePoint } from "./series.ts";

/** A row of a cohort triangle. In its points, `x` is the month and `y` is the share of active users. */
interface CohortRow {
  readonly label: string;
  /** The number of users at the start. Null if unknown. */
  readonly size: number | null;
  readonly points: readonly LinePoint[];
  /** The month that was incomplete on the last day of the data. Null if unknown. */
  readonly running: number | null;
}

/** The cohorts of a triangle, oldest first, with their average and notes for the caption. */
interface CohortRows {
  readonly cohorts: readonly CohortRow[];
  /** The average of the cohorts that `pooledRetention` pools, weighted by size. Null if sizes are unknown. */
  readonly average: CohortRow | null;
  readonly sample: readonly string[];
  readonly leftOut: readonly string[];
}

interface Cell extends LinePoint {
  readonly cohort: string;
  readonly date: number | null;
  readonly project: string;
  /** Whether the cohort began so soon after the start of tracking that it includes older users. */
  readonly early: boolean;
}

const MOST_COHORTS = 36;

function cellsOf(frame: DataFrame): Cell[] {
  const months = numberValues(frame, "month");
  const retention = numberValues(frame, "retention");
  const sizes = numbersOrNull(frame, "size");
  const dates = textsOrNull(frame, "cohort_date");
  const projects = textsOrNull(frame, "project_id");
  const early = earlyRows(frame);
  return cohortTexts(frame).flatMap((cohort, row): Cell[] => {
    const month = months[row]!;
    const date = dates[row] ?? null;
    return month === null ? [] : [{
      x: month,
      y: retention[row]!,
      complete: true,
      size: sizes[row]!,
      cohort: cohort ?? "unnamed",
      date: date === null ? null : Date.parse(date),
      project: projects[row] ?? "",
      early: early[row]!,
    }];
  });
}

function firstSize(points: readonly LinePoint[]): number | null {
  return points.find(({ size = null }) => size !== null && size > 0)?.size ?? null;
}

/** Returns the month of a cohort's age that was incomplete on the last day of the data. */
function runningMonth(date: number | null, through: Date | null): number | null {
  if (date === null || through === null) return null;
  const next = new Date(through.getTime() + 86_400_000);
  if (next.getUTCDate() === 1) return null;
  const cohort = new Date(date);
  const months = (through.getUTCFullYear() - cohort.getUTCFullYear()) * 12 +
    through.getUTCMonth() - cohort.getUTCMonth();
  return months < 0 ? null : months;
}

/** Sorts cohorts by month. Cohorts whose names are not months come last, in input order. */
function inOrder(cells: readonly Cell[]): [string, Cell[]][] {
  const cohorts = [...Map.groupBy(cells, ({ cohort }) => cohort)];
  const dateOf = ([, [first]]: [string, Cell[]]) => first!.date ?? Number.MAX_SAFE_INTEGER;
  return cohorts.toSorted((a, b) => dateOf(a) - dateOf(b));
}

function averageOf(cells: readonly Cell[], through: Date | null): CohortRow | null {
  const some = cells.some(({ early }) => early);
  const cohorts = Map.groupBy(cells.filter(({ early }) => !early), ({ cohort }) => cohort);
  const sizes = [...cohorts.values()].map((cells) => firstSize(pooledPoints(cells, true)) ?? 0);
  const size = sizes.reduce((sum, size) => sum + size, 0);
  if (cohorts.size < 2 || size === 0) return null;
  // An incomplete month would lower the average.
  const whole = [...cohorts.values()].flatMap((cells) => {
    const running = runningMonth(cells[0]!.date, through);
    return cells.filter(({ x, y }) => y !== null && (running === null || x < running));
  });
  const label = some ? "All later cohorts" : "All cohorts";
  return { label, size, points: pooledPoints(whole, true), running: null };
}

/**
 * Reads the result of `retentionCurves` into one row for each cohort. Cohorts of the same month in several projects
 * are pooled, weighted by size. The oldest cohorts beyond `limit` become one row.
 */
export function cohortRows(
  frame: DataFrame,
  { through, limit = MOST_COHORTS }: {
    readonly through: Date | null;
    readonly limit?: number | undefined;
  },
): CohortRows {
  const cells = cellsOf(frame);
  const projects = new Set(cells.map(({ project }) => project)).size;
  const weighted = cells.some(({ size = null }) => size !== null && size > 0);
  const rows = inOrder(cells).map(([cohort, cells]): CohortRow => {
    const points = pooledPoints(cells, weighted);
    const running = runningMonth(cells[0]!.date, through);
    return { label: cohort, size: firstSize(points), points, running };
  });
  const average = averageOf(cells, through);
  const early = inOrder(cells.filter(({ early }) => early)).map(([cohort]) => cohort);
  const names = early.join(", ");
  const sample = [
    ...projects < 2 ? [] : [`${projects} projects pooled${weighted ? ", weighted by size" : ""}.`],
    ...names === ""
      ? []
      : average === null
      ? [`The first cohorts after tracking began hold older users: ${names}.`]
      : [
        `Left out of the average: ${names}. The first cohorts after tracking began hold older users.`,
      ],
  ];
  if (rows.length <= limit) return { cohorts: rows, average, sample, leftOut: [] };
  const older = rows.slice(0, rows.length - limit + 1);
  const label = `earlier (${older.length})`;
  const earlier: CohortRow = {
    label,
    size: weighted ? older.reduce((sum, { size }) => sum + (size ?? 0), 0) : null,
    points: pooledPoints(older.flatMap(({ points }) => points), weighted),
    running: null,
  };
  return {
    cohorts: [earlier, ...rows.slice(older.length)],
    average,
    sample,
    leftOut: [`Drawn as one row: the first ${older.length} of ${rows.length} cohorts.`],
  };
}
