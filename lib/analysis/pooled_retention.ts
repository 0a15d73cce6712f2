import { checkOptions, oneOf } from "../platform/check_options.ts";
import { carry } from "../table/show.ts";
import { utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { cohortMonths, GROUP } from "./curve_rows.ts";
import { numberColumns } from "./columns.ts";
import {
  groupColumns,
  LEFT_TRUNCATED,
  type LeftTruncated,
  type PooledGroup,
  pooledGroups,
  RETENTION_CLUSTERS,
  RETENTION_GROUPS,
  type RetentionCluster,
  type RetentionGroup,
} from "./pooled_groups.ts";
import { aConfidence, retentionEstimate } from "./retention_bounds.ts";
import { boundedSurvival } from "./survival_bounds.ts";

/**
 * Options of {@linkcode pooledRetention}.
 *
 * @category Analysis
 */
export interface PooledRetentionOptions {
  /**
   * What one curve stands for: `"project_id"`, `"market_sector_id"` or `"all"`.
   *
   * @default {"all"}
   */
  readonly by?: RetentionGroup;
  /**
   * What is independent of one another, and so tells how far chance goes: `"project_id"`,
   * `"cohort"`, or `"none"` for every user by themselves, which gives bounds that ignore that
   * projects and cohorts differ.
   *
   * @default {`"project_id"` for a group of several projects, else `"cohort"`}
   */
  readonly cluster?: RetentionCluster;
  /**
   * What becomes of the cohorts that `left_truncated` marks: `"drop"` leaves them out.
   *
   * @default {"drop"}
   */
  readonly leftTruncated?: LeftTruncated;
  /**
   * The confidence of the bounds, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}

/** The numbers of a pooled row. NaN stands for null. */
const NUMBERS = [
  ...["month", "cohorts", "size", "retained", "retention", "lower", "upper"],
  ...["at_risk", "lost", "net_activity", "net_activity_lower", "net_activity_upper"],
  ...["clusters", "dispersion", "left_out"],
] as const;

const COLUMNS = [
  ...NUMBERS.slice(0, -3),
  "cluster",
  "clusters",
  "dispersion",
  "bounds",
  "left_out",
];

const WHOLE = ["month", "cohorts", "clusters", "left_out"];

type PooledRow = Record<typeof NUMBERS[number], number> & { bounds: "binomial" | "cluster" | null };

function clustersIn({ cluster, clusters, byCluster, months }: PooledGroup, month: number): number {
  if (cluster === "none") return NaN;
  let count = 0;
  for (let at = 0; at < clusters; at++) {
    if (byCluster.size[at * months.length + month]! > 0) count += 1;
  }
  return count;
}

/** The rows of one group, month by month. */
function rowsOf(group: PooledGroup, confidence: number): PooledRow[] {
  const { months, total, cohorts, leftOut } = group;
  const { survival, bounds } = boundedSurvival(group, confidence);
  return months.map((month, at): PooledRow => {
    const estimate = retentionEstimate(group, at, confidence);
    return {
      month,
      cohorts: cohorts[at]!,
      size: estimate.size,
      retained: estimate.retained,
      retention: estimate.retention,
      lower: estimate.lower,
      upper: estimate.upper,
      at_risk: month === 0 ? NaN : total.atRisk[at]!,
      lost: month === 0 || estimate.size === 0 ? NaN : total.lost[at]!,
      net_activity: survival[at]!,
      net_activity_lower: bounds[at]!.lower,
      net_activity_upper: bounds[at]!.upper,
      clusters: clustersIn(group, at),
      dispersion: estimate.spread?.dispersion ?? NaN,
      left_out: leftOut[at]!,
      bounds: estimate.bounds,
    };
  });
}

function tableOf(groups: readonly PooledGroup[], confidence: number): DataFrame {
  const rows = groups.flatMap((group, number) =>
    rowsOf(group, confidence)
      .filter((_, month) => group.present[month] === 1)
      .map((row) => ({ ...row, number, cluster: group.cluster }))
  );
  const array = (name: typeof NUMBERS[number] | "number") =>
    Float64Array.from(rows, (row) => row[name]);
  const numbers = numberColumns({
    [GROUP]: array("number"),
    ...Object.fromEntries(NUMBERS.map((name) => [name, array(name)])),
  });
  return numbers.withColumns(
    ...WHOLE.map((name) => pl.col(name).cast(pl.Int64)),
    utf8("cluster", rows.map(({ cluster }) => cluster)),
    utf8("bounds", rows.map(({ bounds }) => bounds)),
  );
}

/**
 * Pools retention curves, each cohort weighted by its size: one row per group and month.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group, by `by` |
 * | `month` | Int64 | 0 to 11 |
 * | `cohorts` | Int64 | how many cohorts have a value in that month |
 * | `size` | Float64 | the users of these cohorts |
 * | `retained` | Float64 | the sum of their retained users |
 * | `retention` | Float64 | `retained / size`, 0 to 1: the mean of their retentions, weighted by size |
 * | `lower`, `upper` | Float64 | bounds of `retention` |
 * | `at_risk` | Float64 | those retained in the month before by the cohorts that have this one (in the last observed month before, where that is null); null in month 0 |
 * | `lost` | Float64 | how many fewer of them there are now; net per cohort, so below 0 where more came back than left |
 * | `net_activity` | Float64 | the product of `1 - lost / at_risk` up to this month (Kaplan and Meier 1958, JASA 53, 457-481): what would be left of a cohort that lost as many in each month as the cohorts that were seen in it |
 * | `net_activity_lower`, `net_activity_upper` | Float64 | bounds of `net_activity`; null from a month on in which it rises |
 * | `cluster` | String | what the group's bounds go by: `project_id`, `cohort` or `none` |
 * | `clusters` | Int64 | how many clusters have a value in that month; null for `none` |
 * | `dispersion` | Float64 | Pearson's chi-squared by its degrees of freedom: about 1 where clusters differ by chance alone, 25 where bounds for independent users would be five times too narrow; null with one cluster |
 * | `bounds` | String | what `lower` and `upper` rest on: `"cluster"`, or `"binomial"` where there is one cluster, or nobody or everybody is retained; null where there is no retention |
 * | `left_out` | Int64 | how many cohorts would have a value and were left out as left-truncated |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95 % |
 *
 * `"binomial"` bounds are Wilson's, for users independent of one another. `"cluster"` bounds are
 * symmetric on the logit scale: the delete-one-cluster jackknife standard error (Tukey 1958) times
 * the quantile of Student's t with `N² / Σn² - 1` degrees of freedom, 1 at least, n being the sizes
 * of the clusters and N their sum (Kish 1965); and never within Wilson's. Survival bounds are
 * likewise by clusters as soon as two were seen, on the scale of `log(-log S)`, and never within
 * Greenwood's (1926), which stand alone for one cluster or `"none"`.
 *
 * Each month rests on the cohorts that have a value in it, and so later months on fewer: `cohorts`
 * and `size` say on how many. `retention` compares these cohorts with their own beginnings, and may
 * rise when worse ones drop out; `net_activity` chains what was lost from month to month. Cohorts of size
 * 0 or of unknown size have no weight and are not counted. A month that rests on no cohort stays,
 * with `cohorts` and `size` 0 and null in the rest.
 *
 * @example One curve per market sector
 * ```ts
 * import { cohortAnalysis, pooledRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const bySector = pooledRetention(curves, { by: "market_sector_id" });
 * console.log(bySector.toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`; one without `retained` or `left_truncated` will do
 * @throws {RangeError} when columns are missing, a value is impossible, or an option is none that it
 * can be.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Analysis
 */
export function pooledRetention(
  curves: DataFrame,
  options: PooledRetentionOptions = {},
): DataFrame {
  const { by = "all", cluster, leftTruncated = "drop", confidence = 0.95 } = checkOptions(
    options,
    {
      by: oneOf(RETENTION_GROUPS),
      cluster: oneOf(RETENTION_CLUSTERS),
      leftTruncated: oneOf(LEFT_TRUNCATED),
      confidence: aConfidence,
    },
    "pooledRetention",
  );
  const columns = groupColumns(by);
  const rows = cohortMonths(curves, {
    asker: "pooledRetention",
    keys: cluster === undefined || cluster === "none" ? columns : [...columns, cluster],
    leftTruncated,
  });
  const { groups, keys } = pooledGroups(rows, { by, cluster });
  const pooled = tableOf(groups, confidence).join(keys, { on: GROUP, how: "left" });
  return carry(
    curves,
    pooled.sort([GROUP, "month"]).select(
      ...[...columns, ...COLUMNS].map((name) => pl.col(name)),
      pl.lit(confidence).cast(pl.Float64).alias("confidence"),
    ),
    "pooledRetention",
  );
}
