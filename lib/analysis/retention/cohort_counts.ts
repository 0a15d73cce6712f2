import { WASHOUT } from "../../schema/vocabulary.ts";
import { integer, oneOf, string } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { type Reading, readingOf, refuseTwice, unitOf } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { firstRow, numbersIn } from "../columnar.ts";
import { CURVE_VALUES, LONGEST, refuseImpossibleRows, refusePooled, USERS } from "./curve_table.ts";
import { aConfidence } from "../intervals.ts";
import { GROUP_RULES, groupedCurves, type Grouping, groupKeys } from "./retention_groups.ts";
import { responseOf } from "../../table/track/provenance.ts";
import { wholeUsers } from "../../table/read/retention_unit.ts";

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
  /** For each month, 1 if the group has a row of this month, else 0. */
  readonly present: Float64Array;
  /** For each month, the number of cohorts that have a value and are not left out by `washout`. */
  readonly cohorts: Float64Array;
  /** For each month, the number of cohorts that have a value but are left out by `washout`. */
  readonly leftOut: Float64Array;
  readonly total: Counts;
  /** The kind of clusters: a column of units, `cohort_block`, `cohort` or `none`. */
  readonly cluster: string;
  /** The counts of each cluster. For `cohort_block`, the counts of each cohort date, in order of date. */
  readonly parts: readonly Counts[];
  /** The number of the only unit, if the group has one and its clusters are blocks. */
  readonly only?: number | undefined;
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

/** Adds the counts of `part` to `sum`, month by month. */
function addTo(sum: Counts, part: Counts): void {
  for (const name of ["size", "retained", "atRisk", "lost"] as const) {
    const [into, from] = [sum[name], part[name]];
    for (let month = 0; month < from.length; month++) into[month]! += from[month]!;
  }
}

/**
 * Returns the clusters of a group. If the clusters are not blocks, each observed part is a cluster. Otherwise each part
 * is a date, and the dates are divided into three blocks of successive dates, of nearly equal length. If fewer than
 * three dates are observed, there is only one block. An unobserved date joins the block of the previous date.
 */
export function clustersOf(
  { cluster, parts, months }: CohortGroup,
  observed: (part: Counts) => boolean,
): Counts[] {
  const seen = parts.map(observed);
  if (cluster !== "cohort_block") return parts.filter((_, index) => seen[index]);
  const count = seen.filter((each) => each).length;
  const blocks = count < BLOCKS ? 1 : BLOCKS;
  const divided = Array.from({ length: count === 0 ? 0 : blocks }, () => noCounts(months.length));
  let place = -1;
  parts.forEach((part, index) => {
    if (seen[index]) place += 1;
    const block = divided[Math.floor(Math.max(0, place) * blocks / count)];
    if (block !== undefined) addTo(block, part);
  });
  return divided;
}

/** Returns the clusters of a group that have users in the month with index `at`. */
export function clustersIn(group: CohortGroup, at: number): Counts[] {
  return clustersOf(group, ({ size }) => size[at]! > 0);
}

function noCounts(months: number): Counts {
  const zeros = () => Array<number>(months).fill(0);
  return { size: zeros(), retained: zeros(), atRisk: zeros(), lost: zeros() };
}

/** The name of the column that numbers the values of the column of clusters. */
const CLUSTER = "(cluster)";

/** Numbers of the rows of curves, by name. NaN means null. */
type Numbers = Readonly<Record<string, Float64Array>>;

/**
 * Reads the rows of curves, sorted by cohort and month. `(group)`, `(cohort)` and `(cluster)` are the indices of the first
 * row of the same group, of the same cohort, and with the same value in `column`. `(cohort_block)` is the day of
 * `cohort_date`. `identity` has the columns that identify a cohort.
 */
export function curveRows(curves: DataFrame, { by, column, identity }: {
  readonly by: readonly string[];
  readonly column?: string | undefined;
  readonly identity: readonly string[];
}) {
  const has = (name: string) => curves.columns.includes(name);
  const numbers = [...USERS, "tracked_months", "left_truncated"] as const;
  const clusters = column === undefined ? [] : [column];
  const names = new Set([...identity, ...by, ...clusters, "cohort_date", ...numbers].filter(has));
  const frame = curves.select(...names).withRowIndex("(row)").withColumns(
    firstRow(by).alias("(group)"),
    firstRow(identity).alias("(cohort)"),
    ...clusters.map((name) => firstRow([name]).alias(CLUSTER)),
    ...["cohort_date"].filter(has)
      .map((name) => pl.col(name).cast(pl.Date).cast(pl.Int64).alias("(cohort_block)")),
  ).sort(["(cohort)", "month"]);
  return numbersIn(frame, ["(group)", "(cohort)", CLUSTER, "(cohort_block)", ...numbers]);
}

/** Adds the counts of users to rows. A row that is not observed or is left out has no counts, and its size is null. */
function withCounts(rows: ReturnType<typeof curveRows>, washout: number) {
  const { month, size: sizes, retention, retained: given, tracked_months: tracked } = rows;
  const none = () => new Float64Array(month.length);
  const [size, retained, atRisk, lost, leftOut] = [none(), none(), none(), none(), none()];
  let before = NaN;
  for (let row = 0; row < month.length; row++) {
    if (rows["(cohort)"][row] !== rows["(cohort)"][row - 1]) before = NaN;
    const all = sizes[row]!;
    if (!(all > 0) || Number.isNaN(retention[row])) continue;
    const users = Number.isNaN(given[row]) ? wholeUsers(retention[row]! * all) : given[row]!;
    if (tracked[row]! < washout) leftOut[row] = 1;
    else {
      size[row] = all;
      retained[row] = users;
      if (month[row]! > 0) {
        atRisk[row] = Number.isNaN(before) ? all : before;
        lost[row] = atRisk[row]! - users;
      }
    }
    before = users;
  }
  return { codes: rows as Numbers, month, size, retained, atRisk, lost, leftOut };
}

/** The clusters of curves. */
interface Clusters {
  /** The kind of clusters of groups with several units. */
  readonly kind: string;
  /** The kind of clusters of groups with one unit. */
  readonly single: string;
  /** The column whose values are clusters. */
  readonly column: string | undefined;
  /** Whether the clusters are units, which can be in several groups. */
  readonly units: boolean;
}

/** Adds up the rows of a group. `rows` lists the indices of these rows. */
function groupOf(
  numbers: ReturnType<typeof withCounts>,
  rows: readonly number[],
  { months, kind, single, column, units }: Clusters & { readonly months: readonly number[] },
): CohortGroup {
  const { month, size, retained, atRisk, lost, leftOut: left } = numbers;
  const values = column === undefined ? undefined : numbers.codes[CLUSTER];
  const counted = rows.filter((row) => size[row]! > 0);
  const only = values?.[counted[0] ?? -1];
  const cluster = counted.some((row) => values?.[row] !== only) ? kind : single;
  const codes = cluster === column ? values : numbers.codes[`(${cluster})`];
  // Cohorts without a date cannot be assigned to a block. If a group has such cohorts, the whole group is one cluster.
  const one = codes === undefined || counted.some((row) => Number.isNaN(codes[row]!));
  const parts = new Map<number, Counts>();
  const partOf = (code: number) =>
    parts.get(code) ?? parts.set(code, noCounts(months.length)).get(code)!;
  const zeros = () => new Float64Array(months.length);
  const [present, cohorts, leftOut] = [zeros(), zeros(), zeros()];
  const places: number[] = [];
  months.forEach((each, at) => places[each] = at);
  // The rows of a cohort are contiguous, so that the part is seldom another one than that of the previous row.
  let [last, part] = [0, noCounts(0)];
  for (const row of rows) {
    const at = places[month[row]!]!;
    present[at] = 1;
    leftOut[at]! += left[row]!;
    if (size[row] === 0) continue;
    cohorts[at]! += 1;
    const code = one ? 0 : codes[row]!;
    if (code !== last || parts.size === 0) [last, part] = [code, partOf(code)];
    part.size[at]! += size[row]!;
    part.retained[at]! += retained[row]!;
    part.atRisk[at]! += atRisk[row]!;
    part.lost[at]! += lost[row]!;
  }
  const total = noCounts(months.length);
  for (const each of parts.values()) addTo(total, each);
  const named = units && codes === values && !one;
  const ordered = [...parts].sort(([a], [b]) => a - b)
    .map(([unit, part]) => named ? { ...part, unit } : part);
  return { months, present, cohorts, leftOut, total, cluster, parts: ordered, only };
}

/** Shows a warning that names the groups whose cohorts are all left out, if there are any. */
function warnOfEmpty(
  groups: readonly CohortGroup[],
  ids: readonly unknown[],
  { fn, washout }: Counting,
): void {
  const some = (counts: Float64Array) => counts.some((count) => count > 0);
  const empty = groups.flatMap(({ cohorts, leftOut }, place) =>
    some(leftOut) && !some(cohorts) ? [String(ids[place] ?? "all")] : []
  );
  if (empty.length === 0) return;
  notify(
    `${fn}: no cohorts left in ${listed(empty)}: all of them began less ` +
      `than ${washout} months after tracking; pass washout: 0 to keep them`,
  );
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
  if (cluster !== undefined) {
    if (
      CLUSTER_WORDS.includes(cluster)
        ? cluster !== "cohort" && has(cluster)
        : CURVE_VALUES.has(cluster)
    ) {
      throw new RangeError(
        `${fn}: cluster: must be ${
          CLUSTER_WORDS.join(", ")
        } or a column of units; got a column named ` +
          `${cluster}: rename it`,
      );
    }
    const column = /^(cohort_block|none)$/.test(cluster) ? undefined : cluster;
    if (column !== undefined && !has(column)) {
      throw new RangeError(
        `${fn}: cluster: must be ${CLUSTER_WORDS.join(", ")}, or a column of the frame; ` +
          `got "${cluster}"`,
      );
    }
    const units = !CLUSTER_WORDS.includes(cluster);
    if (!units) refuseTypical(`cluster: "${cluster}"`, { fn, estimate });
    return { kind: cluster, single: cluster, column, units };
  }
  const left = unitOf(curves, { entity, by: inside });
  if (left.length > 1) {
    throw new RangeError(
      `${fn}: cluster: must name the column whose values are independent of each other; ` +
        `got none, and ${left.join(" and ")} are left beside ${
          inside.join(", ") || "all"
        }, as in ` +
        `cluster: "${left[0]}"`,
    );
  }
  const blocks = entity.length > 0 || has("cohort") ? "cohort_block" : "none";
  const [unit] = left;
  if (unit === undefined) {
    refuseTypical(`by: "${by.join('", "') || "all"}"`, { fn, estimate });
    if (entity.length > 0) noticeOfBlocks(curves, fn);
    return { kind: blocks, single: blocks, column: undefined, units: false };
  }
  const single = unitsOnly || estimate === "unweighted" ? unit : blocks;
  return { kind: unit, single, column: unit, units: true };
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

/** Shows a notice that the groups of own data have no units. For data of the service, the documentation says so. */
function noticeOfBlocks(curves: DataFrame, fn: string): void {
  if (responseOf(curves) === undefined) notify(`${fn}: ${BLOCKS_NOTE}`);
}

/** Throws a RangeError if the mean of units is requested without units. */
function refuseTypical(
  given: string,
  { fn, estimate }: Pick<Counting, "fn" | "estimate">,
): void {
  if (estimate !== "unweighted") return;
  throw new RangeError(
    `${fn}: estimate: "unweighted" is the mean of the units of a group, got ${given}; pass by: ` +
      '"market_sector_id" or "all", or a column of units as cluster',
  );
}

/** Checks curves, and reads their groups, their entities, and the columns that identify a cohort. */
export function readCohorts(
  given: DataFrame,
  { columns = [], numbers = ["month", "size", "retention"], ...grouping }: Grouping & {
    readonly columns?: readonly string[];
    readonly numbers?: readonly string[];
  },
) {
  const { fn, by } = grouping;
  refusePooled(given, fn);
  requireColumns(given, { fn, source: "a frame of retentionCurves", columns, numbers });
  const reading = readingOf(given, { fn, groups: by });
  refuseTwice(given, reading, fn);
  refuseImpossibleRows(given, numbersIn(given, USERS), fn);
  const identity = [...reading.entity, ...reading.times].filter((name) => name !== "month");
  return { curves: groupedCurves(given, grouping), reading, identity };
}

/**
 * Reads retention curves and adds up the users of their cohorts by group, cluster and month. Groups keep the order in
 * which they first appear. The returned frame `keys` has one row per group, with its identifying columns. If `retained`
 * is null, it is computed from `retention` and `size`.
 */
export function cohortGroups(
  given: DataFrame,
  counting: Counting,
): { readonly groups: readonly CohortGroup[]; readonly keys: DataFrame } {
  const { by } = counting;
  const { curves, reading, identity } = readCohorts(given, counting);
  const clusters = clustersFor(curves, reading, counting);
  const rows = curveRows(curves, { by, column: clusters.column, identity });
  const numbers = withCounts(rows, counting.washout);
  const months = [...new Set(numbers.month)].sort((a, b) => a - b);
  const codes = numbers.codes["(group)"]!;
  const groups = [...Map.groupBy(codes.keys(), (row) => codes[row]!)].sort(([a], [b]) => a - b)
    .map(([, own]) => groupOf(numbers, own, { ...clusters, months }));
  const keys = groupKeys(curves, by);
  warnOfEmpty(groups, by.length === 0 ? [] : keys.getColumn(by[0]!).toArray(), counting);
  return { groups, keys };
}
