import { aWhole, checkOptions, oneOf } from "../platform/check_options.ts";
import { carry } from "../table/show.ts";
import { utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { cohortMonths, LONGEST } from "./curve_rows.ts";
import { numberColumns } from "./columns.ts";
import {
  groupColumns,
  LEFT_TRUNCATED,
  type LeftTruncated,
  type PooledGroup,
  pooledGroups,
  RETENTION_CLUSTERS,
  type RetentionCluster,
  type RetentionGroup,
} from "./pooled_groups.ts";
import {
  aConfidence,
  type Bounds,
  type RetentionEstimate,
  retentionEstimate,
} from "./retention_bounds.ts";
import { benjaminiHochberg, logRank, retentionTest } from "./significance.ts";
import { normalTails } from "./distributions.ts";

const GROUPS = ["project_id", "market_sector_id"] as const;

/**
 * Options of {@linkcode compareRetention}.
 *
 * @category Analysis
 */
export interface CompareRetentionOptions {
  /**
   * What is compared: `"project_id"` or `"market_sector_id"`.
   *
   * @default {"project_id"}
   */
  readonly by?: Exclude<RetentionGroup, "all">;
  /**
   * The month whose retentions are compared.
   *
   * @default {1}
   */
  readonly month?: number;
  /**
   * What is independent of one another: as in `pooledRetention`.
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
   * The confidence of the bounds of each difference, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}

/**
 * The bounds of a difference from those of its parts, by square-and-add (Newcombe 1998, Statistics in
 * Medicine 17, 873-890, method 10).
 */
function differenceBounds(a: RetentionEstimate, b: RetentionEstimate): Bounds {
  const difference = a.retention - b.retention;
  return {
    lower: difference - Math.hypot(a.retention - a.lower, b.upper - b.retention),
    upper: difference + Math.hypot(a.upper - a.retention, b.retention - b.lower),
  };
}

interface Compared {
  readonly group: PooledGroup;
  readonly id: unknown;
  readonly estimate: RetentionEstimate;
}

function pairOf(a: Compared, b: Compared) {
  const { test, p } = retentionTest(a.estimate, b.estimate);
  const chi = logRank(a.group.total, b.group.total);
  return {
    a,
    b,
    difference: a.estimate.retention - b.estimate.retention,
    ...differenceBounds(a.estimate, b.estimate),
    ...{ test, p, chi },
  };
}

function pairsOf(compared: readonly Compared[]) {
  return compared.flatMap((a, index) => compared.slice(index + 1).map((b) => pairOf(a, b)));
}

function tableOf(pairs: ReturnType<typeof pairsOf>, month: number): DataFrame {
  const numbers = (value: (pair: typeof pairs[number]) => number) =>
    Float64Array.from(pairs, value);
  const text = (value: unknown) => value === null ? null : String(value);
  const table = numberColumns({
    month: numbers(() => month),
    retention_a: numbers(({ a }) => a.estimate.retention),
    retention_b: numbers(({ b }) => b.estimate.retention),
    difference: numbers(({ difference }) => difference),
    lower: numbers(({ lower }) => lower),
    upper: numbers(({ upper }) => upper),
    p_value: numbers(({ p }) => p),
    p_adjusted: Float64Array.from(benjaminiHochberg(pairs.map(({ p }) => p))),
    log_rank: numbers(({ chi }) => chi),
    log_rank_p_value: numbers(({ chi }) => normalTails(Math.sqrt(chi))),
  }).withColumns(
    pl.col("month").cast(pl.Int64),
    utf8("group_a", pairs.map(({ a }) => text(a.id))),
    utf8("group_b", pairs.map(({ b }) => text(b.id))),
    utf8("test", pairs.map(({ test }) => test)),
  );
  return table.select(
    ...["group_a", "group_b", "month", "retention_a", "retention_b", "difference", "lower"],
    ...["upper", "test", "p_value", "p_adjusted", "log_rank", "log_rank_p_value"],
  );
}

/**
 * Compares the retention of projects or market sectors in one month: one row for each two of them,
 * the groups in the order in which they first appear.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `group_a`, `group_b` | String | the ids of the two |
 * | `month` | Int64 | the month, in every row |
 * | `retention_a`, `retention_b` | Float64 | the retention of each, pooled over its cohorts; null where it has none |
 * | `difference` | Float64 | `retention_a - retention_b`, -1 to 1 |
 * | `lower`, `upper` | Float64 | bounds of the difference: those of each retention, as in `pooledRetention`, combined by square-and-add (Newcombe 1998, Statistics in Medicine 17, 873-890, method 10, with bounds by clusters in place of Wilson's) |
 * | `test` | String | how `p_value` was found: `"welch"`, Welch's t test of the logits, where a group has bounds by clusters, else `"score"`, of two proportions |
 * | `p_value` | Float64 | how often a difference as large comes by chance, if both are alike |
 * | `p_adjusted` | Float64 | likewise, for all pairs of the frame together: below 0.05 in those of which 5 % are expected to be false (Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57, 289-300) |
 * | `log_rank` | Float64 | the log-rank statistic of the whole curves, from `at_risk` and `lost` of every month: chi-squared with one degree of freedom (Mantel 1966). It ignores clusters, and null where more users came back to a group in a month than left it |
 * | `log_rank_p_value` | Float64 | its p value, for users independent of one another: too small where projects and cohorts differ |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95 % |
 *
 * An error of a cluster is never taken to be smaller than that of independent users. A group whose
 * users are independent in a Welch test (one cluster) has the error of its users, with half a user
 * added to both sides where nobody or everybody is retained.
 *
 * @example Which sectors differ in their third month?
 * ```ts
 * import { cohortAnalysis, compareRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const pairs = compareRetention(curves, { by: "market_sector_id", month: 3 });
 * console.log(pairs.sort("p_adjusted").toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, a value is impossible, an option is none that it can
 * be, or the frame has no such month.
 * @throws {TypeError} when a column that has to hold numbers does not.
 * @category Analysis
 */
export function compareRetention(
  curves: DataFrame,
  options: CompareRetentionOptions = {},
): DataFrame {
  const asker = "compareRetention";
  const rules = {
    by: oneOf(GROUPS),
    month: aWhole(0, LONGEST),
    cluster: oneOf(RETENTION_CLUSTERS),
    leftTruncated: oneOf(LEFT_TRUNCATED),
    confidence: aConfidence,
  };
  const { by = "project_id", month = 1, cluster, leftTruncated = "drop", confidence = 0.95 } =
    checkOptions(options, rules, asker);
  const columns = groupColumns(by);
  const keys = cluster === undefined || cluster === "none" ? columns : [...columns, cluster];
  const pooled = pooledGroups(cohortMonths(curves, { asker, keys, leftTruncated }), {
    by,
    cluster,
  });
  const ids = pooled.keys.getColumn(by).toArray() as unknown[];
  const compared = pooled.groups.map((group, index): Compared => {
    const at = group.months.indexOf(month);
    if (at === -1) {
      throw new RangeError(
        `${asker}: month: must be one of the frame's, ${group.months.join(", ")}: ${month}`,
      );
    }
    return { group, id: ids[index], estimate: retentionEstimate(group, at, confidence) };
  });
  const pairs = tableOf(pairsOf(compared), month);
  const stated = pl.lit(confidence).cast(pl.Float64).alias("confidence");
  return carry(curves, pairs.withColumn(stated), asker);
}
