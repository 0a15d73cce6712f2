import { WASHOUT } from "../../schema/vocabulary.ts";
import { integer, oneOf, string } from "../../platform/check_options.ts";
import { notify } from "../../platform/terminal.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { type Reading, unitOf } from "../../table/read/reading.ts";
import { CURVE_VALUES, LONGEST } from "./curve_table.ts";
import { aConfidence, ACTIVE_MONTHS, AMOUNTS, type Scale } from "../intervals.ts";
import {
  type CohortRows,
  curveRows,
  GROUP_RULES,
  type Grouping,
  groupKeys,
  readCohorts,
  rowsByGroup,
} from "./retention_groups.ts";
import { amountUnit } from "../../table/read/retention_unit.ts";
import { responseOf } from "../../table/track/provenance.ts";

export { WASHOUT };

/** The values of the option `estimate`: the retention of all users, or of the typical project. */
const RETENTION_ESTIMATES = ["weighted", "unweighted"] as const;
export type RetentionEstimator = typeof RETENTION_ESTIMATES[number];

/** The number of blocks into which cohort dates are divided. */
export const BLOCKS = 3;

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

/** The users of one cluster, and the number of retained users. */
export interface ClusterUsers {
  /** The number of the unit, if the cluster is one. Units have the same number in all groups. */
  readonly unit?: number | undefined;
  readonly size: number;
  readonly retained: number;
}

/** The users of one unit whose cohorts began in one block of time. Without units, the users of a block. */
export interface UserCell extends ClusterUsers {
  /** The number of the block: 0, 1 or 2. */
  readonly block: number;
}

/** The users of a group in one month, by unit and block. */
export interface MonthUsers {
  readonly month: number;
  /** The kind of clusters: a column of units, `cohort_block` or `none`. */
  readonly cluster: string;
  readonly cells: readonly UserCell[];
  /** The cohort dates, as one text. Null if there are no blocks: fewer than three dates, or cohorts without a date. */
  readonly dates: string | null;
  /** The scale of the retention: by default that of users. */
  readonly scale?: Scale | undefined;
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
  /** The kind of clusters: a column of units, `cohort_block` or `none`. */
  readonly cluster: string;
  /** Whether clusters are units. */
  readonly hasUnits: boolean;
  /** The unit of amounts. Null if users are counted. */
  readonly amount?: string | null;
  /** For each month, the indices of the counted rows. */
  readonly counted: readonly (readonly number[])[];
  readonly rows: CohortRows;
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

function noCounts(months: number): Counts {
  const zeros = () => Array<number>(months).fill(0);
  return { size: zeros(), retained: zeros(), atRisk: zeros(), lost: zeros() };
}

/** Adds up the rows of a group by a number of each row. The sums are in ascending order of this number. */
function countsBy(
  { months, counted, rows }: Pick<CohortGroup, "months" | "counted" | "rows">,
  codeOf: (row: number) => number,
): Counts[] {
  const sums = new Map<number, Counts>();
  counted.forEach((inMonth, at) => {
    let [last, sum]: [number, Counts | undefined] = [NaN, undefined];
    for (const row of inMonth) {
      const code = codeOf(row);
      if (code !== last || sum === undefined) {
        [last, sum] = [code, sums.get(code)];
        if (sum === undefined) sums.set(code, sum = noCounts(months.length));
      }
      const [size, retained] = [rows.size[row]!, rows.active[row]!];
      sum.size[at]! += size;
      sum.retained[at]! += retained;
      if (months[at] === 0) continue;
      const atRisk = Number.isNaN(rows.before[row]!) ? size : rows.before[row]!;
      sum.atRisk[at]! += atRisk;
      sum.lost[at]! += atRisk - retained;
    }
  });
  return [...sums].sort(([a], [b]) => a - b).map(([, sum]) => sum);
}

/**
 * Divides cohort dates into three blocks of successive dates, of nearly equal length. Returns the block of each date, in
 * order of date, or undefined if there are fewer than three dates or a cohort has no date.
 */
function blocksOf(
  days: Float64Array,
  rows: readonly number[],
): ReadonlyMap<number, number> | undefined {
  const found = new Set<number>();
  let last = NaN;
  for (const row of rows) {
    const day = days[row]!;
    if (Number.isNaN(day)) return undefined;
    if (day !== last) found.add(last = day);
  }
  if (found.size < BLOCKS) return undefined;
  const dates = [...found].sort((a, b) => a - b);
  return new Map(dates.map((day, at) => [day, Math.floor(at * BLOCKS / dates.length)]));
}

/** Adds up the users of cells that have the same number. The sums are in ascending order of this number. */
export function usersBy(
  cells: readonly UserCell[],
  codeOf: (cell: UserCell) => number,
): ClusterUsers[] {
  const sums = new Map<number, { unit: number | undefined; size: number; retained: number }>();
  for (const cell of cells) {
    const code = codeOf(cell);
    const sum = sums.get(code);
    if (sum === undefined) {
      const { unit, size, retained } = cell;
      sums.set(code, { unit, size, retained });
    } else {
      sum.size += cell.size;
      sum.retained += cell.retained;
    }
  }
  return [...sums].sort(([a], [b]) => a - b).map(([, sum]) => sum);
}

/** Returns the users of a group in one of its months. */
export function usersAt(group: CohortGroup, at: number): MonthUsers {
  const { months, counted, rows, amount = null } = group;
  return usersOf(group, months[at]!, {
    own: counted[at]!,
    retained: rows.active,
    ...amount === null ? {} : { scale: AMOUNTS },
  });
}

/** Returns the users of some rows of a group, with the numbers of retained users of these rows. */
function usersOf(
  { rows, hasUnits, cluster }: CohortGroup,
  month: number,
  { own, retained, scale, times = 1 }: {
    /** The indices of the rows. */
    readonly own: readonly number[];
    readonly retained: Float64Array;
    readonly scale?: Scale;
    /** The number of months in which each user can be active. */
    readonly times?: number;
  },
): MonthUsers {
  const blocks = cluster === "none" ? undefined : blocksOf(rows.day, own);
  type Cell = { unit: number | undefined; block: number; size: number; retained: number };
  const cells = new Map<number, Cell>();
  let [last, cell]: [number, Cell | undefined] = [NaN, undefined];
  for (const row of own) {
    const unit = hasUnits ? rows["(unit)"][row]! : undefined;
    const block = blocks?.get(rows.day[row]!) ?? 0;
    const size = times * rows.size[row]!;
    const code = BLOCKS * (unit ?? 0) + block;
    if (code !== last || cell === undefined) {
      [last, cell] = [code, cells.get(code)];
      if (cell === undefined) {
        cells.set(code, cell = { unit, block, size, retained: retained[row]! });
        continue;
      }
    }
    cell.size += size;
    cell.retained += retained[row]!;
  }
  return {
    month,
    cluster,
    ...scale && { scale },
    cells: [...cells.values()],
    dates: blocks === undefined ? null : [...blocks.keys()].join(),
  };
}

/** Sums of rows up to a month, by the rows of all groups. */
const sums = new WeakMap<CohortRows, Float64Array>();

/**
 * Returns for each row the sum of the values of its cohort in months 1 to that of the row. NaN in month 0, and if a month
 * is not counted.
 */
function sumsUpTo(rows: CohortRows): Float64Array {
  const { "(group)": group, "(cohort)": cohort, month, active, early } = rows;
  const known = sums.get(rows);
  if (known !== undefined) return known;
  const upTo = new Float64Array(month.length).fill(NaN);
  let [sum, count] = [0, 0];
  for (let row = 0; row < month.length; row++) {
    const isNext = cohort[row] === cohort[row - 1] && group[row] === group[row - 1];
    if (!isNext) [sum, count] = [0, 0];
    if (month[row] === 0 || Number.isNaN(active[row]) || early[row] === 1) continue;
    sum += active[row]!;
    count += 1;
    if (count === month[row]) upTo[row] = sum;
  }
  sums.set(rows, upTo);
  return upTo;
}

/**
 * Returns, for each month of a group, the users up to it, in cohorts that have all months from 1 to it: `retained` is the
 * sum over these months, and `size` counts each user once for each month. Amounts count once. Undefined for month 0, and
 * if the group lacks a month.
 */
export function usersUpTo(group: CohortGroup): (MonthUsers | undefined)[] {
  const { months, counted, rows, amount = null } = group;
  const upTo = sumsUpTo(rows);
  let seen = 0;
  return months.map((month, at) => {
    if (month === 0 || month !== seen + 1) return undefined;
    seen = month;
    return usersOf(group, month, {
      own: counted[at]!.filter((row) => !Number.isNaN(upTo[row])),
      retained: upTo,
      ...amount === null ? { scale: ACTIVE_MONTHS, times: month } : { scale: AMOUNTS },
    });
  });
}

/** Returns the counts of all months of each cluster of a group, and of each block of time if clusters are units. */
export function partsOf(group: CohortGroup) {
  const { rows, counted, hasUnits } = group;
  const blocks = blocksOf(rows.day, counted.flat());
  const byBlock = countsBy(group, (row) => blocks?.get(rows.day[row]!) ?? 0);
  return hasUnits
    ? {
      clusters: countsBy(group, (row) => rows["(unit)"][row]!),
      blocks: blocks === undefined ? [] : byBlock,
    }
    : { clusters: byBlock, blocks: [] };
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
  { kind, single, unit, months, amount }: Clusters & {
    readonly months: readonly number[];
    readonly amount: string | null;
  },
): CohortGroup {
  const places = new Map(months.map((month, at) => [month, at]));
  const counted = months.map((): number[] => []);
  const [cohorts, leftOut] = [months.map(() => 0), months.map(() => 0)];
  for (const row of own) {
    if (Number.isNaN(rows.active[row])) continue;
    const at = places.get(rows.month[row]!)!;
    const isEarly = rows.early[row] === 1;
    (isEarly ? leftOut : cohorts)[at]! += 1;
    if (!isEarly) counted[at]!.push(row);
  }
  const units = rows["(unit)"];
  const first = counted.find((inMonth) => inMonth.length > 0)?.[0];
  const hasSeveral = counted.some((inMonth) => inMonth.some((row) => units[row] !== units[first!]));
  const cluster = hasSeveral ? kind : single;
  const [total = noCounts(months.length)] = countsBy({ months, counted, rows }, () => 0);
  return {
    months,
    cohorts,
    leftOut,
    total,
    cluster,
    hasUnits: cluster === unit,
    amount,
    counted,
    rows,
  };
}

/** The words of the option `cluster`. Any other value is a column. */
export const CLUSTER_WORDS = ["none", "cohort_block"];

/** Returns the clusters that the options select. `cohort_block` selects the default. */
function clustersFor(
  curves: DataFrame,
  { entity, times }: Reading,
  { fn, by, inside = by, cluster, estimate, unitsOnly }: Counting,
): Clusters {
  const has = (name: string) => curves.columns.includes(name);
  const isWord = CLUSTER_WORDS.includes(cluster ?? "");
  if (cluster !== undefined && (CURVE_VALUES.has(cluster) || has(cluster) === isWord)) {
    const got = has(cluster) ? `a column named ${cluster}: rename it` : `"${cluster}"`;
    throw new RangeError(`${fn}: cluster: must be "none" or a column of units; got ${got}`);
  }
  if (cluster !== undefined && times.includes(cluster)) {
    throw new RangeError(
      `${fn}: cluster: must be "none" or a column of units; got "${cluster}", a column of times: ` +
        "intervals allow for shocks of time by default",
    );
  }
  const isDefault = cluster === undefined || cluster === "cohort_block";
  const left = isDefault ? unitOf(curves, { entity, by: inside }) : isWord ? [] : [cluster];
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
        `${isDefault ? `by: "${groups}"` : `cluster: "${cluster}"`}; pass by: ` +
        '"market_sector_id" or "all", or a column of units as cluster',
    );
  }
  if (!isDefault) return { kind: cluster, single: cluster, unit };
  const blocks = entity.length > 0 || has("cohort") ? "cohort_block" : "none";
  // For data of the service, the documentation says so.
  if (
    cluster === undefined && unit === undefined && entity.length > 0 &&
    responseOf(curves) === undefined
  ) notify(`${fn}: ${BLOCKS_NOTE}`);
  const single = (unitsOnly && cluster === undefined) || estimate === "unweighted" ? unit : blocks;
  return { kind: unit ?? blocks, single: single ?? blocks, unit };
}

/** What the bounds of blocks leave out. */
export const BLOCKS_NOTE =
  "a group is one unit: differences between units inside it are not in the interval";

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
  const amount = amountUnit(curves, "size");
  const rows = curveRows(curves, reading, { ...counting, unit: clusters.unit });
  const months = [...new Set(rows.month)].sort((a, b) => a - b);
  const byGroup = rowsByGroup(rows);
  const groups = byGroup.map(([, own]) => groupOf(rows, own, { ...clusters, months, amount }));
  const counted = groups.map(({ cohorts }) => cohorts.some((count) => count > 0));
  return {
    groups,
    keys: groupKeys(curves, counting, { groups: byGroup.map(([code]) => code), counted }),
  };
}
