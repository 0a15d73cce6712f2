import { type DataFrame, pl } from "../table/polars.ts";
import { float64 } from "../table/columns.ts";
import { type CohortMonths, GROUP } from "./curve_rows.ts";
import { inGroups } from "./columns.ts";

/**
 * What {@linkcode pooledRetention} pools by: a project, a market sector, or everything at once.
 *
 * @category Analysis
 */
export type RetentionGroup = "project_id" | "market_sector_id" | "all";

/** The groupings there are. */
export const RETENTION_GROUPS: readonly RetentionGroup[] = [
  "project_id",
  "market_sector_id",
  "all",
];

const NAME_BESIDE = { project_id: "project_name", market_sector_id: "market_sector_name" } as const;

/**
 * What is taken for independent of one another: projects, cohorts, or single users.
 *
 * @category Analysis
 */
export type RetentionCluster = "project_id" | "cohort" | "none";

/** The clusters there are. */
export const RETENTION_CLUSTERS: readonly RetentionCluster[] = ["project_id", "cohort", "none"];

/**
 * What becomes of cohorts that hold whoever came before tracking began: `drop` leaves them out, `keep`
 * treats them as any other.
 *
 * @category Analysis
 */
export type LeftTruncated = "drop" | "keep";

/** The ways there are. */
export const LEFT_TRUNCATED: readonly LeftTruncated[] = ["drop", "keep"];

/** The columns of a group: its id and its name. */
export function groupColumns(by: RetentionGroup): string[] {
  return by === "all" ? [] : [by, NAME_BESIDE[by]];
}

/** Counts of users: by month, or by cluster and, within it, by month. */
interface Counts {
  readonly size: Float64Array;
  readonly retained: Float64Array;
  /** Those retained in the last observed month before, by the cohorts that have this one. */
  readonly atRisk: Float64Array;
  /** How many fewer of them there are now. */
  readonly lost: Float64Array;
}

/** The cohorts of one group, added up. */
export interface PooledGroup {
  /** The months, in order, that the arrays go by. */
  readonly months: readonly number[];
  /** Whether the frame has a row of each month. */
  readonly present: Uint8Array;
  /** How many cohorts have a value in each month. */
  readonly cohorts: Float64Array;
  /** How many of them were left out as left-truncated. */
  readonly leftOut: Float64Array;
  readonly total: Counts;
  /** What the clusters are, and how many. */
  readonly cluster: RetentionCluster;
  readonly clusters: number;
  readonly byCluster: Counts;
}

/** Groups of cohorts, and whose they are. */
interface PooledGroups {
  readonly groups: readonly PooledGroup[];
  /** One row for each group, in the same order, with its number and its columns. */
  readonly keys: DataFrame;
}

/** Numbers values by when they first come. */
function codesOf(cohorts: DataFrame, name: string): Int32Array {
  if (!cohorts.columns.includes(name)) return new Int32Array(cohorts.height);
  const known = new Map<unknown, number>();
  return Int32Array.from(cohorts.getColumn(name).toArray(), (value) => {
    const code = known.get(value) ?? known.size;
    known.set(value, code);
    return code;
  });
}

/** How cohorts are divided into groups, and each group into clusters; all by number. */
interface Division {
  readonly group: Int32Array;
  /** The number of each cohort's cluster within its group. */
  readonly within: Int32Array;
  readonly cluster: readonly RetentionCluster[];
  readonly clusters: readonly number[];
}

/** What to pool by; a cluster that is not given is decided on for each group. */
export interface Pooling {
  readonly by: RetentionGroup;
  readonly cluster: RetentionCluster | undefined;
}

function divided({ cohorts, cohort, counted }: CohortMonths, { by, cluster }: Pooling): Division {
  const codes = { project_id: codesOf(cohorts, "project_id"), cohort: codesOf(cohorts, "cohort") };
  const group = by === "all" ? new Int32Array(cohorts.height) : codesOf(cohorts, by);
  const counts = new Uint8Array(cohorts.height);
  cohort.forEach((number, row) => counts[number]! |= counted[row]!);
  const groups = group.reduce((most, code) => Math.max(most, code + 1), 0);
  const project = new Int32Array(groups).fill(-1);
  const several = new Uint8Array(groups);
  group.forEach((code, number) => {
    if (counts[number] === 0) return;
    if (project[code] === -1) project[code] = codes.project_id[number]!;
    else if (project[code] !== codes.project_id[number]) several[code] = 1;
  });
  const fallback = cohorts.columns.includes("cohort") ? "cohort" : "none";
  const chosen = Array.from(several, (many) => cluster ?? (many === 1 ? "project_id" : fallback));
  const known = chosen.map(() => new Map<number, number>());
  const within = group.map((code, number) => {
    const kind = chosen[code]!;
    if (counts[number] === 0 || kind === "none") return 0;
    const seen = known[code]!;
    const place = seen.get(codes[kind][number]!) ?? seen.size;
    seen.set(codes[kind][number]!, place);
    return place;
  });
  return { group, within, cluster: chosen, clusters: known.map(({ size }) => Math.max(1, size)) };
}

function countsOf(length: number): Counts {
  const zeros = () => new Float64Array(length);
  return { size: zeros(), retained: zeros(), atRisk: zeros(), lost: zeros() };
}

function add(counts: Counts, cell: number, rows: CohortMonths, row: number): void {
  counts.size[cell]! += rows.size[row]!;
  counts.retained[cell]! += rows.retained[row]!;
  if (Number.isNaN(rows.atRisk[row])) return;
  counts.atRisk[cell]! += rows.atRisk[row]!;
  counts.lost[cell]! += rows.atRisk[row]! - rows.retained[row]!;
}

/** The groups' columns in an order of groups, a name that is missing in some rows from the others. */
function keysOf(
  { cohorts }: CohortMonths,
  { group }: Division,
  { by, order }: { readonly by: RetentionGroup; readonly order: readonly number[] },
): DataFrame {
  const place = new Float64Array(order.length);
  order.forEach((code, index) => place[code] = index);
  if (by === "all") return pl.DataFrame([float64(GROUP, place)]);
  const placed = cohorts.withColumn(
    float64(GROUP, Float64Array.from(group, (code) => place[code]!)),
  );
  const [id, name] = groupColumns(by) as [string, string];
  const totals = [pl.col(id).first(), pl.col(name).dropNulls().first()];
  return inGroups(placed, [GROUP], totals).sort(GROUP);
}

/** Adds cohorts up by group, cluster and month; the groups stand in the order they first appear. */
export function pooledGroups(rows: CohortMonths, pooling: Pooling): PooledGroups {
  const division = divided(rows, pooling);
  const months = [...new Set(rows.month)].sort((a, b) => a - b);
  const placeOf = new Int32Array((months.at(-1) ?? 0) + 1);
  months.forEach((month, place) => placeOf[month] = place);
  const groups = division.cluster.map((cluster, code): PooledGroup => ({
    months,
    present: new Uint8Array(months.length),
    cohorts: new Float64Array(months.length),
    leftOut: new Float64Array(months.length),
    total: countsOf(months.length),
    cluster,
    clusters: division.clusters[code]!,
    byCluster: countsOf(months.length * division.clusters[code]!),
  }));
  const first = new Float64Array(groups.length).fill(Infinity);
  rows.cohort.forEach((number, row) => {
    const code = division.group[number]!;
    const group = groups[code]!;
    const month = placeOf[rows.month[row]!]!;
    first[code] = Math.min(first[code]!, rows.place[row]!);
    group.present[month] = 1;
    group.leftOut[month]! += rows.leftOut[row]!;
    if (rows.counted[row] === 0) return;
    group.cohorts[month]! += 1;
    add(group.total, month, rows, row);
    add(group.byCluster, division.within[number]! * months.length + month, rows, row);
  });
  const order = [...first.keys()].sort((a, b) => first[a]! - first[b]!);
  return {
    groups: order.map((code) => groups[code]!),
    keys: keysOf(rows, division, { by: pooling.by, order }),
  };
}
