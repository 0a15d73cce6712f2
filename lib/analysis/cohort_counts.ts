import { integer, oneOf } from "../platform/check_options.ts";
import { notify } from "../platform/terminal.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import {
  arraysIn,
  type Expr,
  firstRow,
  GROUP,
  inGroups,
  numberedGroups,
  numberOfColumn,
  where,
} from "./columns.ts";
import { LONGEST, refuseImpossibleRows, refusePooled } from "./curve_table.ts";
import { aConfidence } from "./intervals.ts";
import { wholeUsers } from "./retention_unit.ts";

/** The groups into which cohorts can be pooled. */
export const RETENTION_GROUPS = ["project_id", "market_sector_id", "all"] as const;
export type RetentionGroup = typeof RETENTION_GROUPS[number];

/** The kinds of clusters. Bounds and tests assume that clusters are independent of each other. */
const RETENTION_CLUSTERS = ["project_id", "cohort_block", "cohort", "none"] as const;
export type RetentionCluster = typeof RETENTION_CLUSTERS[number];

/** The default of the option `washout`, in months. */
export const WASHOUT = 3;

/** The number of blocks into which the cohorts of one project are divided. */
const BLOCKS = 3;

/** The validation rules of options that several cohort functions share. */
export const COHORT_RULES = {
  by: oneOf(RETENTION_GROUPS),
  cluster: oneOf(RETENTION_CLUSTERS),
  washout: integer(0, LONGEST),
  confidence: aConfidence,
};

/** Returns the names of the columns that identify a group: its id and its name. Returns no names for `"all"`. */
export function groupColumns(by: RetentionGroup): string[] {
  return by === "all" ? [] : [by, by.replace("_id", "_name")];
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
interface Counting {
  readonly fn: string;
  /** The columns that identify a group. The first column is the id of the group. */
  readonly keys: readonly string[];
  /** The kind of clusters. Undefined means the default of each group. */
  readonly cluster: RetentionCluster | undefined;
  readonly washout: number;
}

const COUNTS = ["size", "retained", "atRisk", "lost"] as const;

/**
 * Adds the counts of `part` to `sum`, month by month. A plain loop is fast enough, although 100 000 cohorts need half a
 * million calls.
 */
function addTo(sum: Counts, part: Counts): void {
  for (let month = 0; month < part.size.length; month++) {
    sum.size[month]! += part.size[month]!;
    sum.retained[month]! += part.retained[month]!;
    sum.atRisk[month]! += part.atRisk[month]!;
    sum.lost[month]! += part.lost[month]!;
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

/**
 * Adds the column `(cohort)`, which numbers the cohorts of a frame. A cohort begins at a row where an identity column
 * changes or the month does not rise.
 */
function numbered(frame: DataFrame, identity: readonly string[]): DataFrame {
  const text = (name: string) => pl.col(name).cast(pl.Utf8).fillNull(pl.lit("\u0000"));
  const later = pl.col("month").gt(pl.col("month").shift(1));
  const begins = identity.map((name) => text(name).eq(text(name).shift(1)))
    .reduce((all, same) => all.and(same), later)
    .fillNull(pl.lit(false)).not().cast(pl.Float64);
  return frame.withColumns(begins.alias("(begins)"), begins.cumSum().alias("(cohort)"));
}

/**
 * Adds the column `(cohort)`, which numbers the cohorts of a frame. In a frame of `retentionCurves`, the rows of a
 * cohort are contiguous, and all cohorts begin with the same month. Frames in any other order are sorted first. If
 * several cohorts have the same identity, the n-th row with this identity and a given month belongs to the n-th of
 * these cohorts.
 */
function withCohorts(frame: DataFrame, identity: readonly string[]): DataFrame {
  const rows = numbered(frame, identity);
  const firsts = rows.filter(pl.col("(begins)").eq(1));
  if (firsts.getColumn("month").nUnique() <= 1) return rows;
  const again = pl.col("month").cumCount().over(...[...identity, "month"] as [string]);
  const sorted = frame.withColumn(again.alias("(again)")).sort([...identity, "(again)", "month"]);
  return numbered(sorted, [...identity, "(again)"]);
}

/** Adds the counts of users to each row. The counts are null if the row has no retention or is left out. */
function withCounts(rows: DataFrame, washout: number): DataFrame {
  const number = (name: string) =>
    rows.columns.includes(name) ? numberOfColumn(name) : pl.lit(null).cast(pl.Float64);
  const [size, cohort, retained] = [number("size"), pl.col("(cohort)"), pl.col("retained")];
  const observed = size.gt(0).and(number("retention").isNotNull());
  const before = (value: Expr) => where(observed, value).forwardFill().shift(1);
  const left = number("tracked_months").lt(washout).fillNull(pl.lit(false));
  const users = number("retained").fillNull(wholeUsers(number("retention").mul(size)));
  const atRisk = pl.when(before(cohort).eq(cohort)).then(before(retained)).otherwise(size);
  return rows.withColumn(users.alias("retained"))
    .withColumn(where(pl.col("month").gt(0), atRisk).alias("atRisk"))
    .withColumns(
      observed.and(left).alias("leftOut"),
      ...["size", "retained", "atRisk"].map((name) =>
        where(observed.and(left.not()), numberOfColumn(name)).alias(name)
      ),
    )
    .withColumn(pl.col("atRisk").minus(retained).alias("lost"));
}

/**
 * Columns of numbers, by name. A cell is a combination of group, cluster and month. Each column has one number per
 * cell. NaN means null.
 */
type Cells = Readonly<Record<string, Float64Array>>;

/**
 * Adds up the rows of each group, cluster and month. Groups, projects and cohorts are numbered by the index of their
 * first row. For `cohort_block`, the number is the rank of the date.
 */
function cellsOf(curves: DataFrame, { keys, cluster, washout }: Counting): Cells {
  const has = (name: string) => curves.columns.includes(name);
  const names = [...IDENTITY, ...keys, "cohort_date", "tracked_months"];
  const columns = [...new Set([...names, "month", "size", "retention", "retained"])].filter(has);
  const rows = withCohorts(
    curves.withRowIndex("(row)").select(...["(row)", ...columns].map((name) => pl.col(name))),
    IDENTITY.filter(has),
  );
  const first = (...names: string[]) => firstRow(names.filter(has));
  const clusters = {
    project_id: first("project_id"),
    cohort: first("cohort"),
    cohort_block: has("cohort_date") ? pl.col("cohort_date") : pl.lit(null).cast(pl.Date),
    none: pl.lit(0),
  };
  const several = keys.includes("project_id") ? [] : ["project_id"] as const;
  const kinds = cluster === undefined ? [...several, "cohort_block"] as const : [cluster];
  const cells = inGroups(
    withCounts(rows, washout).withColumns(
      first(...keys).alias(GROUP),
      ...kinds.map((kind) => clusters[kind].alias(`(${kind})`)),
    ),
    [GROUP, ...kinds.map((kind) => `(${kind})`), "month"],
    [
      pl.col("retained").count().alias("cohorts"),
      ...["leftOut", ...COUNTS].map((name) => pl.col(name).sum()),
    ],
  );
  const blocks = cells.columns.filter((name) => name === "(cohort_block)");
  const ranked = cells.withColumns(...blocks.map((name) => pl.col(name).rank("dense")));
  return arraysIn(ranked, cells.columns);
}

/** Adds up the cells of a group. `rows` lists the indices of these cells. */
function groupOf(
  cells: Cells,
  rows: readonly number[],
  { months, given, single }: {
    readonly months: readonly number[];
    readonly given: RetentionCluster | undefined;
    /** The kind of clusters if `given` is undefined and the group has only one project. */
    readonly single: RetentionCluster;
  },
): CohortGroup {
  const counted = rows.filter((row) => cells.cohorts![row]! > 0);
  const projects = new Set(counted.map((row) => cells["(project_id)"]?.[row]));
  const cluster = given ?? (projects.size > 1 ? "project_id" : single);
  const codes = cells[`(${cluster})`];
  // Cohorts without a date cannot be assigned to a block. If a group has such cohorts, the whole group is one cluster.
  const one = codes === undefined || counted.some((row) => Number.isNaN(codes[row]!));
  const parts = new Map<number, Counts>();
  const partOf = (code: number) =>
    parts.get(code) ?? parts.set(code, noCounts(months.length)).get(code)!;
  const zeros = () => new Float64Array(months.length);
  const [present, cohorts, leftOut] = [zeros(), zeros(), zeros()];
  const total = noCounts(months.length);
  const placeOf = new Map(months.map((month, at) => [month, at]));
  for (const row of rows) {
    const at = placeOf.get(cells.month![row]!)!;
    present[at] = 1;
    cohorts[at]! += cells.cohorts![row]!;
    leftOut[at]! += cells.leftOut![row]!;
    if (cells.cohorts![row] === 0) continue;
    const part = partOf(one ? 0 : codes[row]!);
    for (const name of COUNTS) {
      total[name][at]! += cells[name]![row]!;
      part[name][at]! += cells[name]![row]!;
    }
  }
  const ordered = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
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
  const more = empty.length > 5 ? ` and ${empty.length - 5} other groups` : "";
  notify(
    `${fn}: no cohorts left in ${empty.slice(0, 5).join(", ")}${more}: all of them began less ` +
      `than ${washout} months after tracking; pass washout: 0 to keep them`,
  );
}

/**
 * Reads retention curves and adds up the users of their cohorts by group, cluster and month. Groups keep the order in
 * which they first appear. The returned frame `keys` has one row per group: the number of the group and its identifying
 * columns. If `retained` is null, it is computed from `retention` and `size`.
 */
export function cohortGroups(
  curves: DataFrame,
  counting: Counting,
): { readonly groups: readonly CohortGroup[]; readonly keys: DataFrame } {
  const { fn, keys: columns, cluster } = counting;
  refusePooled(curves, fn);
  const asked = cluster === "project_id" || cluster === "cohort" ? [cluster] : [];
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: [...columns, ...asked],
    numbers: ["month", "size", "retention"],
  });
  refuseImpossibleRows(curves, fn);
  const isName = (name: string) => name.endsWith("_name");
  const ids = columns.filter((name) => !isName(name));
  const cells = cellsOf(curves, { ...counting, keys: ids });
  const months = [...new Set(cells.month)].sort((a, b) => a - b);
  const plain = !["project_id", "cohort"].some((name) => curves.columns.includes(name));
  const single = plain ? "none" : "cohort_block";
  const rows = Array.from(cells.month!, (_, row) => row);
  const groups = [...Map.groupBy(rows, (row) => cells[GROUP]![row]!)].sort(([a], [b]) => a - b)
    .map(([, own]) => groupOf(cells, own, { months, given: cluster, single }));
  const names = columns.filter(isName).map((name) =>
    pl.col(name).cast(pl.Utf8).dropNulls().first()
  );
  const keys = numberedGroups(curves, ids, names);
  warnOfEmpty(groups, ids.length === 0 ? [] : keys.getColumn(ids[0]!).toArray(), counting);
  return { groups, keys };
}
