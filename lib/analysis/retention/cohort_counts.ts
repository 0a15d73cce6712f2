import { WASHOUT } from "../../schema/vocabulary.ts";
import { integer, oneOf } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { requireColumns } from "../../table/read/require_columns.ts";
import { firstRow, numbersIn, rowsAt } from "../columns.ts";
import { LONGEST, refuseImpossibleRows, refusePooled, USERS } from "./curve_table.ts";
import { aConfidence } from "../intervals.ts";
import { GROUP_RULES, groupedCurves, type Grouping, groupKeys, SPAN } from "./retention_groups.ts";
import { wholeUsers } from "../../table/read/retention_unit.ts";

export { WASHOUT };

/** The kinds of clusters. Bounds and tests assume that clusters are independent of each other. */
const RETENTION_CLUSTERS = ["project_id", "cohort_block", "cohort", "none"] as const;
export type RetentionCluster = typeof RETENTION_CLUSTERS[number];

/** The values of the option `estimate`: the retention of all users, or of the typical project. */
const RETENTION_ESTIMATES = ["weighted", "unweighted"] as const;
export type RetentionEstimator = typeof RETENTION_ESTIMATES[number];

/** The number of blocks into which the cohorts of one project are divided. */
const BLOCKS = 3;

/** The validation rules of options that several cohort functions share. */
export const COHORT_RULES = {
  ...GROUP_RULES,
  cluster: oneOf(RETENTION_CLUSTERS),
  estimate: oneOf(RETENTION_ESTIMATES),
  washout: integer(0, LONGEST),
  confidence: aConfidence,
};

/**
 * Returns the kind of clusters that the options select, or undefined for the default of each group. Throws a RangeError
 * if `unweighted` is selected without projects to average.
 */
export function clusterKind(
  { by, cluster, estimate }: {
    readonly by: readonly string[];
    readonly cluster?: RetentionCluster | undefined;
    readonly estimate: RetentionEstimator;
  },
  fn: string,
): RetentionCluster | undefined {
  if (estimate === "weighted") return cluster;
  const single = by.includes("project_id");
  if (!single && (cluster ?? "project_id") === "project_id") return "project_id";
  const given = single ? 'by: "project_id"' : `cluster: "${cluster}"`;
  throw new RangeError(
    `${fn}: estimate: "unweighted" is the mean of the projects of a group, got ${given}; ` +
      'pass by: "market_sector_id" or "all", and no cluster',
  );
}

/**
 * Returns the rows of cohorts with at least `washout` tracked months. Cohorts with an unknown number of tracked months
 * are kept.
 */
export function tracked(curves: DataFrame, washout: number): DataFrame {
  return curves.columns.includes("tracked_months")
    ? curves.filter(pl.col("tracked_months").lt(washout).fillNull(pl.lit(false)).not())
    : curves;
}

/**
 * Numbers of users, summed over some cohorts. Each array has one value per month. Plain arrays are used because
 * creating small typed arrays takes ten times as long.
 */
export interface Counts {
  /** The number of the project, which is the same in all groups. Other clusters have no number. */
  readonly project?: number;
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
  readonly cluster: RetentionCluster;
  /** The counts of each cluster. For `cohort_block`, the counts of each cohort date, in order of date. */
  readonly parts: readonly Counts[];
}

/** Options for counting cohorts. */
interface Counting extends Grouping {
  /** The kind of clusters. Undefined means the default of each group. */
  readonly cluster: RetentionCluster | undefined;
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

/** The columns that identify a cohort. */
const IDENTITY = ["project_id", "market_sector_id", "cohort"];

/** Numbers of the rows of curves, by name. NaN means null. */
type Numbers = Readonly<Record<string, Float64Array>>;

/** Returns for each row whether a cohort begins there: its identity changes, or the month does not rise. */
function beginnings({ month, ...rows }: Numbers): boolean[] {
  const same = rows["(same)"]!;
  return Array.from(same, (each, row) => each !== 1 || !(month![row]! > month![row - 1]!));
}

/**
 * Reads the rows of curves. `(group)` is the index of the first row of the same group. The clusters of the kind
 * `project_id` and `cohort` are numbered in the same way, and `(cohort_block)` is the rank of the date. `(same)` is 1 if
 * a row belongs to the same cohort as the previous row, or to another cohort with the same identity.
 *
 * In a frame of `retentionCurves`, the rows of a cohort are contiguous, and all cohorts begin with the same month.
 * Frames in any other order are sorted. If several cohorts have the same identity, the n-th row with this identity and
 * a given month belongs to the n-th of these cohorts.
 */
function rowsOf(curves: DataFrame, { by, cluster, fn }: Counting) {
  const has = (name: string) => curves.columns.includes(name);
  const identity = IDENTITY.filter(has);
  const numbers = [...USERS, "tracked_months"];
  const names = new Set([...identity, ...by, "cohort_date", ...numbers].filter(has));
  const several = by.includes("project_id") ? [] : ["project_id"];
  const kinds = (cluster === undefined ? several : [cluster])
    .filter((kind) => ["project_id", "cohort"].includes(kind) && has(kind));
  const text = (name: string) => pl.col(name).cast(pl.Utf8).fillNull(pl.lit("\u0000"));
  const read = (frame: DataFrame, identity: readonly string[]) => {
    const same = identity.map((name) => text(name).eq(text(name).shift(1)))
      .reduce((all, each) => all.and(each), pl.lit(true)).alias("(same)");
    const codes = ["(group)", "(project_id)", "(cohort)", "(cohort_block)", "(same)"];
    const rows = numbersIn(frame.withColumn(same), [...codes, ...numbers]);
    return rows as Numbers & Record<typeof USERS[number], Float64Array>;
  };
  const frame = curves.select(...names).withRowIndex("(row)").withColumns(
    firstRow(by).alias("(group)"),
    ...kinds.map((kind) => firstRow([kind]).alias(`(${kind})`)),
    ...["cohort_date"].filter(has)
      .map((name) => pl.col(name).rank("dense").alias("(cohort_block)")),
  );
  const rows = read(frame, identity);
  refuseImpossibleRows(curves, rows, fn);
  const begins = beginnings(rows);
  if (new Set(rows.month.filter((_, row) => begins[row])).size <= 1) return { rows, begins };
  const again = pl.col("month").cumCount().over(...[...identity, "month"] as [string]);
  const order = [...identity, "(again)"];
  const sorted = read(frame.withColumn(again.alias("(again)")).sort([...order, "month"]), order);
  return { rows: sorted, begins: beginnings(sorted) };
}

/** Adds the counts of users to rows. A row that is not observed or is left out has no counts, and its size is null. */
function withCounts(
  { rows, begins }: ReturnType<typeof rowsOf>,
  washout: number,
) {
  const { month, size: sizes, retention, retained: given, tracked_months: tracked } = rows;
  const none = () => new Float64Array(month.length);
  const [size, retained, atRisk, lost, leftOut] = [none(), none(), none(), none(), none()];
  let before = NaN;
  for (let row = 0; row < month.length; row++) {
    if (begins[row]) before = NaN;
    const all = sizes[row]!;
    if (!(all > 0) || Number.isNaN(retention[row])) continue;
    const users = Number.isNaN(given[row]) ? wholeUsers(retention[row]! * all) : given[row]!;
    if (tracked![row]! < washout) leftOut[row] = 1;
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

/** Adds up the rows of a group. `rows` lists the indices of these rows. */
function groupOf(
  numbers: ReturnType<typeof withCounts>,
  rows: readonly number[],
  { months, given, single }: {
    readonly months: readonly number[];
    readonly given: RetentionCluster | undefined;
    /** The kind of clusters if `given` is undefined and the group has only one project. */
    readonly single: RetentionCluster;
  },
): CohortGroup {
  const { month, size, retained, atRisk, lost, leftOut: left } = numbers;
  const projects = numbers.codes["(project_id)"]!;
  const counted = rows.filter((row) => size[row]! > 0);
  // A comparison with NaN is false: without a column of projects, a group has one project.
  const first = projects[counted[0] ?? -1]!;
  const several = counted.some((row) => projects[row]! > first || projects[row]! < first);
  const cluster = given ?? (several ? "project_id" : single);
  const codes = numbers.codes[`(${cluster})`];
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
  const named = cluster === "project_id" && !one;
  const ordered = [...parts].sort(([a], [b]) => a - b)
    .map(([project, part]) => named ? { ...part, project } : part);
  return { months, present, cohorts, leftOut, total, cluster, parts: ordered };
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

/**
 * Reads retention curves and adds up the users of their cohorts by group, cluster and month. Groups keep the order in
 * which they first appear. The returned frame `keys` has one row per group, with its identifying columns. If `retained`
 * is null, it is computed from `retention` and `size`.
 */
export function cohortGroups(
  given: DataFrame,
  counting: Counting,
): { readonly groups: readonly CohortGroup[]; readonly keys: DataFrame } {
  const { fn, by, spans, cluster } = counting;
  refusePooled(given, fn);
  const curves = groupedCurves(given, counting);
  const asked = cluster === "project_id" || cluster === "cohort" ? [cluster] : [];
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: asked,
    numbers: ["month", "size", "retention"],
  });
  const numbers = withCounts(rowsOf(curves, counting), counting.washout);
  const months = [...new Set(numbers.month)].sort((a, b) => a - b);
  const plain = !["project_id", "cohort"].some((name) => curves.columns.includes(name));
  const single = plain ? "none" : "cohort_block";
  const codes = numbers.codes["(group)"]!;
  const groups = [...Map.groupBy(codes.keys(), (row) => codes[row]!)].sort(([a], [b]) => a - b)
    .map(([, own]) => groupOf(numbers, own, { months, given: cluster, single }));
  const keys = groupKeys(curves, by);
  warnOfEmpty(groups, by.length === 0 ? [] : keys.getColumn(by[0]!).toArray(), counting);
  if (spans === undefined) return { groups, keys };
  const inSpan = keys.getColumn(SPAN).toArray()
    .flatMap((span: unknown, at: number) => span === null ? [] : [at]) as number[];
  return { groups: inSpan.map((at) => groups[at]!), keys: rowsAt(keys, inSpan) };
}
