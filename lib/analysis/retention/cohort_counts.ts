import { WASHOUT } from "../../schema/vocabulary.ts";
import { integer, oneOf, string } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { type Reading, unitOf } from "../../table/read/reading.ts";
import { CURVE_VALUES, LONGEST } from "./curve_table.ts";
import { aConfidence } from "../intervals.ts";
import {
  type CohortRows,
  curveRows,
  GROUP_RULES,
  type Grouping,
  groupKeys,
  readCohorts,
  rowsByGroup,
} from "./retention_groups.ts";
import { responseOf } from "../../table/track/provenance.ts";

export { WASHOUT };

/** The values of the option `estimate`: the retention of all users, or of the typical project. */
const RETENTION_ESTIMATES = ["weighted", "unweighted"] as const;
export type RetentionEstimator = typeof RETENTION_ESTIMATES[number];

/** The number of blocks into which the cohorts of one project are divided. */
const BLOCKS = 3;

/** The validation rules of options that several cohort functions share. */
export const COHORT_RULES = {
  ...GROUP_RULES,
  cluster: string,
  washout: integer(0, LONGEST),
  confidence: aConfidence,
};

/** The validation rule of the option `estimate`. */
export const ESTIMATE_RULE = { estimate: oneOf(RETENTION_ESTIMATES) };

/**
 * Returns the rows of cohorts with at least `washout` tracked months. Cohorts with an unknown number of tracked months
 * are kept.
 */
export function trackedCohorts(curves: DataFrame, washout: number): DataFrame {
  return curves.columns.includes("tracked_months")
    ? curves.filter(pl.col("tracked_months").lt(washout).fillNull(pl.lit(false)).not())
    : curves;
}

/**
 * Numbers of users, summed over some cohorts. Each array has one value per month. Plain arrays are used because
 * creating small typed arrays takes ten times as long.
 */
export interface Counts {
  /** The number of the unit, which is the same in all groups. Blocks, cohorts and users have no number. */
  readonly unit?: number;
  readonly size: number[];
  readonly retained: number[];
  /** The number of users who were retained in the previous observed month. */
  readonly atRisk: number[];
  /** The number of users at risk who are no longer retained. */
  readonly lost: number[];
}

/** The sums over the cohorts of one group. */
export interface CohortGroup {
  /** The months, in order. The arrays have one element for each of these months. */
  readonly months: readonly number[];
  /** For each month, the number of cohorts that have a value and are not left out by `washout`. */
  readonly cohorts: number[];
  /** For each month, the number of cohorts that have a value but are left out by `washout`. */
  readonly leftOut: number[];
  readonly total: Counts;
  /** The kind of clusters: a column of units, `cohort_block`, `cohort` or `none`. */
  readonly cluster: string;
  /** The counts of each cluster. For `cohort_block`, the counts of each cohort date, in order of date. */
  readonly parts: readonly Counts[];
}

/** Options for counting cohorts. */
interface Counting extends Grouping {
  /** The option `cluster`. Undefined means the default of each group. */
  readonly cluster?: string | undefined;
  /** The estimate. The mean of units requires units. */
  readonly estimate?: RetentionEstimator | undefined;
  /** The columns of the groups whose units are independent. By default, `by`. */
  readonly inside?: readonly string[] | undefined;
  /** Whether a group with one unit has this unit as its only cluster. By default its clusters are blocks of cohorts. */
  readonly unitsOnly?: boolean;
  readonly washout: number;
}

/** Adds up the counts of parts, month by month. */
function added(parts: readonly Counts[], months: number): Counts {
  const sum = noCounts(months);
  for (const part of parts) {
    for (const name of ["size", "retained", "atRisk", "lost"] as const) {
      for (let month = 0; month < months; month++) sum[name][month]! += part[name][month]!;
    }
  }
  return sum;
}

/**
 * Returns the parts of each cluster of a group. If the clusters are not blocks, each observed part is a cluster.
 * Otherwise each part is a date, and the observed dates are divided into three blocks of successive dates, of nearly
 * equal length. If fewer than three dates are observed, there is only one block.
 */
export function clusterParts(
  { cluster, parts }: CohortGroup,
  observed: (part: Counts) => boolean,
): Counts[][] {
  const seen = parts.filter(observed);
  if (cluster !== "cohort_block") return seen.map((part) => [part]);
  const blocks = seen.length < BLOCKS ? 1 : BLOCKS;
  let at = 0;
  return [...Map.groupBy(seen, () => Math.floor(at++ * blocks / seen.length)).values()];
}

/** Returns the counts of the clusters of a group. */
export function clustersOf(group: CohortGroup, observed: (part: Counts) => boolean): Counts[] {
  return clusterParts(group, observed)
    .map((parts) => parts.length === 1 ? parts[0]! : added(parts, group.months.length));
}

function noCounts(months: number): Counts {
  const zeros = () => Array<number>(months).fill(0);
  return { size: zeros(), retained: zeros(), atRisk: zeros(), lost: zeros() };
}

/** The clusters of curves. */
interface Clusters {
  /** The kind of clusters of groups with several units. */
  readonly kind: string;
  /** The kind of clusters of groups with one unit. */
  readonly single: string;
  /** The column whose values are clusters. */
  readonly unit: string | undefined;
}

/** Adds up the rows of a group. `own` has the indices of its rows. */
function groupOf(
  rows: CohortRows,
  own: readonly number[],
  { kind, single, unit, months }: Clusters & { readonly months: readonly number[] },
): CohortGroup {
  const seen = own.filter((row) => !Number.isNaN(rows.active[row]));
  const counted = seen.filter((row) => rows.early[row] === 0);
  const units = rows["(unit)"];
  const several = counted.some((row) => units[row] !== units[counted[0]!]);
  const cluster = several ? kind : single;
  // Cohorts without a date cannot be assigned to a block. If a group has such cohorts, the whole group is one cluster.
  const dated = cluster === "cohort_block" && counted.every((row) => !Number.isNaN(rows.day[row]));
  const codes = cluster === unit ? units : dated ? rows.day : undefined;
  const places = new Map(months.map((month, at) => [month, at]));
  const placeOf = (row: number) => places.get(rows.month[row]!)!;
  const [cohorts, leftOut] = [months.map(() => 0), months.map(() => 0)];
  for (const row of seen) (rows.early[row] === 1 ? leftOut : cohorts)[placeOf(row)]! += 1;
  const parts = [...Map.groupBy(counted, (row) => codes?.[row] ?? 0)].sort(([a], [b]) => a - b)
    .map(([code, inPart]) => {
      const part = noCounts(months.length);
      for (const row of inPart) {
        const [at, size, retained] = [placeOf(row), rows.size[row]!, rows.active[row]!];
        part.size[at]! += size;
        part.retained[at]! += retained;
        if (rows.month[row] === 0) continue;
        const atRisk = Number.isNaN(rows.before[row]!) ? size : rows.before[row]!;
        part.atRisk[at]! += atRisk;
        part.lost[at]! += atRisk - retained;
      }
      return cluster === unit && cluster !== "cohort" ? { ...part, unit: code } : part;
    });
  return { months, cohorts, leftOut, total: added(parts, months.length), cluster, parts };
}

/** The words of the option `cluster`. Any other value is a column. */
export const CLUSTER_WORDS = ["cohort_block", "cohort", "none"];

/** Returns the clusters that the options select. */
function clustersFor(
  curves: DataFrame,
  { entity }: Reading,
  { fn, by, inside = by, cluster, estimate, unitsOnly }: Counting,
): Clusters {
  const has = (name: string) => curves.columns.includes(name);
  const isWord = CLUSTER_WORDS.includes(cluster ?? "");
  if (
    cluster !== undefined &&
    (CURVE_VALUES.has(cluster) || has(cluster) === (isWord && cluster !== "cohort"))
  ) {
    const got = has(cluster) ? `a column named ${cluster}: rename it` : `"${cluster}"`;
    const words = CLUSTER_WORDS.join(", ");
    throw new RangeError(`${fn}: cluster: must be ${words} or a column of units; got ${got}`);
  }
  const left = cluster === undefined
    ? unitOf(curves, { entity, by: inside })
    : isWord
    ? []
    : [cluster];
  const [unit] = left;
  const groups = inside.join(", ") || "all";
  if (left.length > 1) {
    throw new RangeError(
      `${fn}: cluster: must name the column whose values are independent of each other; ` +
        `got none, and ${left.join(" and ")} are left beside ${groups}, as in cluster: "${unit}"`,
    );
  }
  if (unit === undefined && estimate === "unweighted") {
    throw new RangeError(
      `${fn}: estimate: "unweighted" is the mean of the units of a group, got ` +
        `${cluster === undefined ? `by: "${groups}"` : `cluster: "${cluster}"`}; pass by: ` +
        '"market_sector_id" or "all", or a column of units as cluster',
    );
  }
  if (cluster !== undefined) {
    return { kind: cluster, single: cluster, unit: cluster === "cohort" ? cluster : unit };
  }
  const blocks = entity.length > 0 || has("cohort") ? "cohort_block" : "none";
  // For data of the service, the documentation says so.
  if (unit === undefined && entity.length > 0 && responseOf(curves) === undefined) {
    notify(`${fn}: ${BLOCKS_NOTE}`);
  }
  const single = unitsOnly || estimate === "unweighted" ? unit : blocks;
  return { kind: unit ?? blocks, single: single ?? blocks, unit };
}

/** What bounds by units leave out. */
export const SHOCKS_NOTE =
  "shocks that all units of a group share at one time are not in the interval: " +
  'cluster: "cohort_block" is for these';

/** What the bounds of blocks leave out. */
export const BLOCKS_NOTE =
  "the users of a group are one unit: differences between units inside it are not in the interval";

/** Returns what the bounds of a group leave out. */
export function leftOutOf({ cluster, parts }: Pick<CohortGroup, "cluster" | "parts">): string[] {
  if (cluster === "cohort_block") return [BLOCKS_NOTE];
  return parts.some(({ unit }) => unit !== undefined) ? [SHOCKS_NOTE] : [];
}

/**
 * Reads retention curves and adds up the users of their cohorts by group, cluster and month. Groups keep the order in
 * which they first appear. The returned frame `keys` has one row per group, with its identifying columns.
 */
export function cohortGroups(
  curves: DataFrame,
  counting: Counting,
): { readonly groups: readonly CohortGroup[]; readonly keys: DataFrame } {
  const reading = readCohorts(curves, counting);
  const clusters = clustersFor(curves, reading, counting);
  const rows = curveRows(curves, reading, { ...counting, unit: clusters.unit });
  const months = [...new Set(rows.month)].sort((a, b) => a - b);
  const byGroup = rowsByGroup(rows);
  const groups = byGroup.map(([, own]) => groupOf(rows, own, { ...clusters, months }));
  const counted = groups.map(({ cohorts }) => cohorts.some((count) => count > 0));
  return {
    groups,
    keys: groupKeys(curves, counting, { groups: byGroup.map(([code]) => code), counted }),
  };
}
