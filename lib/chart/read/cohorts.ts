import type { DataFrame } from "../../table/columns/polars.ts";
import { EARLY, isEarly, pooledPoints } from "./curves.ts";
import { cohortTexts, recordsOf } from "./rows.ts";
import { type LinePoint, sumBy } from "./lines.ts";
import { countedWords, type Note } from "../words.ts";

/** A row of a cohort triangle. In each point, `x` is the month since first use and `y` is the share of active users. */
interface CohortRow {
  readonly label: string;
  /** The number of users in the cohort at the start. Null if unknown. */
  readonly size: number | null;
  readonly points: readonly LinePoint[];
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
  readonly dropped: Note;
}

const MOST_COHORTS = 36;

/** Returns the retention of each cohort of each project in each month. */
function cellsOf(frame: DataFrame) {
  const cohorts = cohortTexts(frame);
  return recordsOf(frame, {
    numbers: ["month", "retention", "size", "cohort_date", ...EARLY.numbers],
    texts: ["project_id", ...EARLY.texts],
  }).flatMap((row, at) => {
    const { month: x, retention: y } = row;
    return x === null ? [] : [
      { ...row, x, y, complete: true, cohort: cohorts[at] ?? "unnamed" },
    ];
  });
}

/**
 * Reads the result of `retentionCurves` into one row per cohort. Cohorts that several projects have in the same month
 * are pooled, weighted by size. If there are more than `limit` cohorts, the last ones are returned.
 */
export function cohortRows(
  frame: DataFrame,
  { limit = MOST_COHORTS }: { readonly limit?: number | undefined },
): CohortRows {
  const all = cellsOf(frame);
  const { older } = countedWords(frame);
  const projects = new Set(all.map(({ project_id }) => project_id)).size;
  const weighted = all.some(({ size }) => (size ?? 0) > 0);
  // Cohorts are in order of time. Cohorts whose names are not months come last, in input order.
  const cohortsOf = (cells: typeof all) =>
    [...Map.groupBy(cells, ({ cohort }) => cohort)].map(([label, cells]) => {
      const points = pooledPoints(cells, weighted);
      const date = cells[0]!.cohort_date;
      const size = points.find(({ size }) => (size ?? 0) > 0)?.size ?? null;
      return { label, cells, date, size, points };
    }).toSorted((a, b) => (a.date ?? Infinity) - (b.date ?? Infinity) || 0);
  const rows = cohortsOf(all);
  const later = cohortsOf(all.filter((cell) => !isEarly(cell)));
  const users = sumBy(later, ({ size }) => size);
  const known = later.flatMap(({ cells }) => cells.filter(({ y }) => y !== null));
  const early = cohortsOf(all.filter(isEarly)).map(({ label }) => label).join(", ");
  const average = later.length < 2 || users === 0 ? null : {
    label: early === "" ? "All cohorts" : "All later cohorts",
    size: users,
    points: pooledPoints(known, weighted),
  };
  return {
    cohorts: rows.slice(-limit),
    average,
    sample: [
      projects > 1 && `${projects} projects pooled${weighted ? ", weighted by size" : ""}.`,
      early !== "" &&
      (average === null
        ? `The first cohorts after tracking began ${older}: ${early}.`
        : `Left out of the average: ${early}. The first cohorts after tracking began ${older}.`),
    ],
    dropped: rows.length > limit && `Drawn: the last ${limit} of ${rows.length} cohorts.`,
  };
}
