import { notify } from "../platform/terminal.ts";
import { float64, utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { arraysIn, type Expr, GROUP } from "./columns.ts";
import { refuseImpossibleRows, refusePooled } from "./curve_table.ts";
import { wholeUsers } from "./retention_unit.ts";

/** The groups that cohorts are pooled to. */
export const RETENTION_GROUPS = ["project_id", "market_sector_id", "all"] as const;
export type RetentionGroup = typeof RETENTION_GROUPS[number];

/** Observations that are treated as independent. */
export const RETENTION_CLUSTERS = ["project_id", "cohort_block", "cohort", "none"] as const;
export type RetentionCluster = typeof RETENTION_CLUSTERS[number];

/** The default of the option `washout`, in months. */
export const WASHOUT = 3;

/** Number of blocks of the cohorts of one project. */
const BLOCKS = 3;

const NAME_BESIDE = { project_id: "project_name", market_sector_id: "market_sector_name" } as const;

/** The columns of a group: its id and its name. */
export function groupColumns(by: RetentionGroup): string[] {
  return by === "all" ? [] : [by, NAME_BESIDE[by]];
}

/** Numbers of users of some cohorts, by index of the month. Small typed arrays would take ten times as long to make. */
export interface Counts {
  readonly size: number[];
  readonly retained: number[];
  /** Users of these cohorts who were retained in the last observed month before. */
  readonly atRisk: number[];
  /** The number of them who are no longer retained. */
  readonly lost: number[];
}

/** The cohorts of one group, added up. */
export interface CohortGroup {
  /** The months of the arrays, in order. */
  readonly months: readonly number[];
  /** Whether the frame has a row for each month. */
  readonly present: Uint8Array;
  /** The number of cohorts with a value in each month. */
  readonly cohorts: Float64Array;
  /** The number of cohorts with a value that were left out by `washout`. */
  readonly leftOut: Float64Array;
  readonly total: Counts;
  readonly cluster: RetentionCluster;
  /** The users of each cluster; for blocks, of the cohorts of each date, in order. */
  readonly parts: readonly Counts[];
}

/** Groups of cohorts, and one row for each group with its number and its columns. */
interface CohortGroups {
  readonly groups: readonly CohortGroup[];
  readonly keys: DataFrame;
}

/** Options for counting cohorts. */
export interface Counting {
  readonly fn: string;
  readonly by: RetentionGroup;
  /** The clusters; undefined for the default of each group. */
  readonly cluster: RetentionCluster | undefined;
  readonly washout: number;
}

/** Adds counts to a sum, month by month. Plain loops: a frame of 100 000 cohorts adds half a million parts. */
function addTo(sum: Counts, part: Counts): void {
  for (let month = 0; month < part.size.length; month++) {
    sum.size[month]! += part.size[month]!;
    sum.retained[month]! += part.retained[month]!;
    sum.atRisk[month]! += part.atRisk[month]!;
    sum.lost[month]! += part.lost[month]!;
  }
}

/**
 * Divides the observed parts of a group into its clusters. Blocks are three runs of neighboring dates of nearly equal
 * length, or one cluster if there are fewer than three dates. An unobserved date is added to the block of the date
 * before it.
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

/** The clusters of a group with users in a month. */
export function clustersIn(group: CohortGroup, at: number): Counts[] {
  return clustersOf(group, ({ size }) => size[at]! > 0);
}

function noCounts(months: number): Counts {
  const zeros = () => Array<number>(months).fill(0);
  return { size: zeros(), retained: zeros(), atRisk: zeros(), lost: zeros() };
}

/** The columns that identify a cohort. */
const IDENTITY = ["project_id", "market_sector_id", "cohort"];

function begins(identity: readonly string[]): Expr {
  const text = (name: string) => pl.col(name).cast(pl.Utf8).fillNull(pl.lit("\u0000"));
  const later = pl.col("month").gt(pl.col("month").shift(1));
  return identity.map((name) => text(name).eq(text(name).shift(1)))
    .reduce((all, same) => all.and(same), later)
    .fillNull(pl.lit(false)).not().cast(pl.Float64).alias("(begins)");
}

/**
 * The frame with contiguous cohorts, as `retentionCurves` returns them: each cohort begins with the same month. If
 * rows loaded another order, cohorts of the same name are distinguished by the number of times that each month has
 * occurred.
 */
function inPieces(frame: DataFrame, identity: readonly string[]): DataFrame {
  const pieces = frame.withColumn(begins(identity));
  const firsts = pieces.filter(pl.col("(begins)").eq(1));
  if (firsts.getColumn("month").nUnique() <= 1) return pieces;
  const columns = [...identity, "month"];
  const again = pl.col("month").cumCount().over(...columns as [string]).alias("(again)");
  const sorted = frame.withColumn(again).sort([...identity, "(again)", "month"]);
  const other = pl.col("(again)").eq(pl.col("(again)").shift(1)).fillNull(pl.lit(true)).not();
  return sorted.withColumn(
    pl.when(other).then(pl.lit(1)).otherwise(begins(identity)).alias("(begins)"),
  );
}

/** The rows of cohorts, by cohort and month. NaN means null. */
interface CohortRows {
  /** One row for each cohort, with its texts; null if the frame lacks the column. */
  readonly texts: (name: string) => readonly (string | null)[];
  readonly cohort: Int32Array;
  /** The index of each row in the frame. */
  readonly place: Float64Array;
  readonly month: Float64Array;
  readonly size: Float64Array;
  readonly retained: Float64Array;
  /** Users retained in the last observed month before; all users in the first month. */
  readonly atRisk: Float64Array;
  /** 1 if the row counts, 2 if it was left out by `washout`. */
  readonly counted: Uint8Array;
}

function readRows(curves: DataFrame, { fn, by, cluster, washout }: Counting): CohortRows {
  const has = (name: string) => curves.columns.includes(name);
  refusePooled(curves, fn);
  const asked = cluster === "project_id" || cluster === "cohort" ? [cluster] : [];
  requireColumns(curves, {
    fn,
    source: "a frame of retentionCurves",
    columns: [...groupColumns(by), ...asked],
    numbers: ["month", "size", "retention"],
  });
  const identity = IDENTITY.filter(has);
  const names = [...new Set([...identity, ...groupColumns(by), "cohort_date"])].filter(has);
  const optional = (name: string) => has(name) ? pl.col(name).cast(pl.Float64) : pl.lit(NaN);
  const rows = inPieces(
    curves.withRowIndex("(place)").select(
      ...names.map((name) => pl.col(name)),
      ...["(place)", "month", "size", "retention"].map((name) => pl.col(name)),
      ...["retained", "tracked_months"].map((name) => optional(name).alias(name)),
    ),
    identity,
  );
  const [begin, place, month, size, retention, retained, tracked] = arraysIn(rows, [
    ...["(begins)", "(place)", "month", "size", "retention", "retained", "tracked_months"],
  ]) as [Float64Array, Float64Array, Float64Array, Float64Array, ...Float64Array[]];
  const cohort = new Int32Array(rows.height);
  const atRisk = new Float64Array(rows.height).fill(NaN);
  const counted = new Uint8Array(rows.height);
  let [number, before] = [-1, NaN];
  for (let row = 0; row < cohort.length; row++) {
    const [at, part, users, kept] = [month[row]!, retention![row]!, size[row]!, retained![row]!];
    const possible = at >= 0 && at % 1 === 0 && users !== Infinity;
    const impossible = part < 0 || part > 1 || users < 0 || kept < 0 || kept > users * (1 + 1e-9);
    if (!possible || impossible) refuseImpossibleRows(curves, fn);
    if (begin[row] === 1) [number, before] = [number + 1, NaN];
    cohort[row] = number;
    if (!(part >= 0 && users > 0)) continue;
    if (Number.isNaN(kept)) retained![row] = wholeUsers(part * users);
    counted[row] = tracked![row]! < washout ? 2 : 1;
    if (at > 0) atRisk[row] = Number.isNaN(before) ? users : before;
    before = retained![row]!;
  }
  const firsts = rows.filter(pl.col("(begins)").eq(1));
  const read = new Map(names.map((name) => [
    name,
    firsts.getColumn(name).cast(pl.Utf8).toArray() as (string | null)[],
  ]));
  const unknown = Array<null>(firsts.height).fill(null);
  const texts = (name: string) => read.get(name) ?? unknown;
  return { texts, cohort, place, month, size, retained: retained!, atRisk, counted };
}

function add(counts: Counts, month: number, rows: CohortRows, row: number): void {
  counts.size[month]! += rows.size[row]!;
  counts.retained[month]! += rows.retained[row]!;
  if (Number.isNaN(rows.atRisk[row])) return;
  counts.atRisk[month]! += rows.atRisk[row]!;
  counts.lost[month]! += rows.atRisk[row]! - rows.retained[row]!;
}

/** The numbers of the cohorts of a group, and the clusters of their users. */
interface Division {
  readonly cohorts: readonly number[];
  readonly cluster: RetentionCluster;
  /** The number of the part of each key, and the key of a cohort. */
  readonly partOf: ReadonlyMap<string | null | undefined, number>;
  readonly keyOf: (cohort: number) => string | null | undefined;
  readonly parts: number;
}

/** The group and cluster of a cohort, by its number. */
interface Belongings {
  readonly counts: Uint8Array;
  readonly project: readonly (string | null)[];
  readonly cohort: readonly (string | null)[];
  readonly date: readonly (string | null)[];
  /** The kind of clusters for a group of one project. */
  readonly single: RetentionCluster;
}

function divide(
  cohorts: readonly number[],
  { counts, project, cohort, date, single }: Belongings,
  given: RetentionCluster | undefined,
): Division {
  const counted = cohorts.filter((number) => counts[number]);
  const projects = new Set(counted.map((number) => project[number]));
  const cluster = given ?? (projects.size > 1 ? "project_id" : single);
  const undated = counted.some((number) => date[number] === null);
  const keyOf = {
    project_id: (number: number) => project[number],
    cohort: (number: number) => cohort[number],
    cohort_block: (number: number) => undated ? null : date[number],
    none: () => null,
  }[cluster];
  const keys = [...new Set(counted.map((number) => keyOf(number)))];
  if (cluster === "cohort_block" && !undated) keys.sort();
  const places = new Map(keys.map((key, place) => [key, place]));
  return {
    cohorts,
    cluster,
    partOf: places,
    keyOf,
    parts: keys.length,
  };
}

function keysOf(
  { texts }: CohortRows,
  by: RetentionGroup,
  groups: readonly Division[],
): DataFrame {
  const number = float64(GROUP, groups.map((_, place) => place));
  if (by === "all") return pl.DataFrame([number]);
  const [id, name] = groupColumns(by) as [string, string];
  const [ids, names] = [texts(id), texts(name)];
  return pl.DataFrame([
    number,
    utf8(id, groups.map(({ cohorts }) => ids[cohorts[0]!]!)),
    utf8(name, groups.map(({ cohorts }) => cohorts.map((at) => names[at]!).find(Boolean) ?? null)),
  ]);
}

function warnOfEmpty(fn: string, { groups, keys }: CohortGroups, washout: number): void {
  const some = (counts: Float64Array) => counts.some((count) => count > 0);
  const ids = keys.columns[1] === undefined ? [] : keys.getColumn(keys.columns[1]).toArray();
  const empty = groups.flatMap(({ cohorts, leftOut }, place) =>
    some(leftOut) && !some(cohorts) ? [String(ids[place] ?? "all")] : []
  );
  if (empty.length === 0) return;
  notify(
    `${fn}: no cohorts left in ${empty.slice(0, 5).join(", ")}${
      empty.length > 5 ? ` and ${empty.length - 5} other groups` : ""
    }: all of them began less than ${washout} months after tracking; ` +
      "pass washout: 0 to keep them",
  );
}

/**
 * Reads retention curves and adds up the users of their cohorts by group, cluster and month. Groups keep the order in
 * which they first appear. If `retained` is null, it is computed from `retention` and `size`.
 *
 * @throws {RangeError} when columns are missing, a value is impossible, or the frame is pooled.
 * @throws {TypeError} when a column that must be numeric is not.
 */
export function cohortGroups(curves: DataFrame, counting: Counting): CohortGroups {
  const { fn, by, cluster, washout } = counting;
  const rows = readRows(curves, counting);
  const ids = by === "all" ? null : rows.texts(by);
  const cohorts = rows.texts("project_id").map((_, number) => number);
  const first = new Float64Array(cohorts.length).fill(Infinity);
  const counts = new Uint8Array(cohorts.length);
  rows.cohort.forEach((number, row) => {
    first[number] = Math.min(first[number]!, rows.place[row]!);
    if (rows.counted[row] === 1) counts[number] = 1;
  });
  const plain = !["project_id", "cohort"].some((name) => curves.columns.includes(name));
  const belongings: Belongings = {
    counts,
    project: rows.texts("project_id"),
    cohort: rows.texts("cohort"),
    date: rows.texts("cohort_date"),
    single: plain ? "none" : "cohort_block",
  };
  const ordered = cohorts.toSorted((a, b) => first[a]! - first[b]!);
  const divisions = [...Map.groupBy(ordered, (number) => ids?.[number] ?? null).values()]
    .map((numbers) => divide(numbers, belongings, cluster));
  const months = [...new Set(rows.month)].sort((a, b) => a - b);
  const placeOf = new Int32Array((months.at(-1) ?? 0) + 1);
  months.forEach((month, place) => placeOf[month] = place);
  const groups = divisions.map((division): CohortGroup => ({
    months,
    present: new Uint8Array(months.length),
    cohorts: new Float64Array(months.length),
    leftOut: new Float64Array(months.length),
    total: noCounts(months.length),
    cluster: division.cluster,
    parts: Array.from({ length: division.parts }, () => noCounts(months.length)),
  }));
  const groupOf = new Int32Array(cohorts.length);
  const partOf = new Int32Array(cohorts.length);
  divisions.forEach((division, group) => {
    for (const number of division.cohorts) {
      groupOf[number] = group;
      partOf[number] = division.partOf.get(division.keyOf(number)) ?? 0;
    }
  });
  rows.cohort.forEach((number, row) => {
    const group = groups[groupOf[number]!]!;
    const month = placeOf[rows.month[row]!]!;
    group.present[month] = 1;
    if (rows.counted[row] === 2) group.leftOut[month]! += 1;
    if (rows.counted[row] !== 1) return;
    group.cohorts[month]! += 1;
    add(group.total, month, rows, row);
    add(group.parts[partOf[number]!]!, month, rows, row);
  });
  const counted = { groups, keys: keysOf(rows, by, divisions) };
  warnOfEmpty(fn, counted, washout);
  return counted;
}
