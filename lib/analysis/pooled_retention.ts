import { checkOptions, oneOf } from "../host/check_options.ts";
import { carry } from "../table/show.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Expr, inGroups, numberOfColumn, quotient, sumOrNull } from "./columns.ts";
import { aConfidence, wilsonBounds } from "./wilson_bounds.ts";

/** What {@linkcode pooledRetention} pools by: a project, a market sector, or everything at once. */
export type RetentionGroup = "project_id" | "market_sector_id" | "all";

const GROUPS: readonly RetentionGroup[] = ["project_id", "market_sector_id", "all"];

const NAME_BESIDE = { project_id: "project_name", market_sector_id: "market_sector_name" } as const;

/** Options of {@linkcode pooledRetention}. */
export interface PooledRetentionOptions {
  /**
   * What one curve stands for: `"project_id"`, `"market_sector_id"` or `"all"`.
   *
   * @default {"all"}
   */
  readonly by?: RetentionGroup;
  /**
   * The confidence of the Wilson interval, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}

/** The curves' groups in the order they first appear, each with its months in order. */
function inOrder(pooled: DataFrame, id: string | null): DataFrame {
  if (id === null) return pooled.sort("month");
  return pooled.withRowIndex("row")
    .withColumn(pl.col("row").min().over(id).alias("group"))
    .sort(["group", "month"]).drop("row", "group");
}

/**
 * Pools retention curves, each cohort weighted by its size: one row per group and month.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_id`, `project_name`, or `market_sector_id`, `market_sector_name`, or neither | String | the group, by `by` |
 * | `month` | Int64 | 0 to 11 |
 * | `cohorts` | Int64 | how many cohorts have a value in that month |
 * | `size` | Float64 | the users at risk: the sum of their sizes |
 * | `retained` | Float64 | the sum of their retained users |
 * | `retention` | Float64 | `retained / size`, 0 to 1: the mean of their retentions, weighted by size |
 * | `lower`, `upper` | Float64 | Wilson score interval of `retained` out of `size` |
 *
 * Each month rests on the cohorts that have a value in it, and so later months on fewer: `cohorts`
 * and `size` say on how many. Cohorts of size 0 or of unknown size have no weight and are not
 * counted. A month that rests on no cohort stays, with `cohorts` and `size` 0 and null in the rest.
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
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, `by` is none of the three, or `confidence` is not
 * between 0 and 1.
 * @throws {TypeError} when a column that has to hold numbers does not.
 */
export function pooledRetention(
  curves: DataFrame,
  options: PooledRetentionOptions = {},
): DataFrame {
  const { by = "all", confidence = 0.95 } = checkOptions(
    options,
    { by: oneOf(GROUPS), confidence: aConfidence },
    "pooledRetention",
  );
  const id = by === "all" ? null : by;
  const name = by === "all" ? null : NAME_BESIDE[by];
  requireColumns(curves, {
    asker: "pooledRetention",
    source: "a frame of retentionCurves",
    columns: id === null || name === null ? [] : [id, name],
    numbers: ["month", "size", "retention"],
  });
  const size = numberOfColumn("size");
  const retention = numberOfColumn("retention");
  const counted = retention.isNotNull().and(size.gt(0));
  const ifCounted = (value: Expr) => pl.when(counted).then(value).otherwise(pl.lit(null));
  const pooled = inGroups(curves, id === null ? ["month"] : [id, "month"], [
    ...(name === null ? [] : [pl.col(name).dropNulls().first()]),
    ifCounted(size).count().cast(pl.Int64).alias("cohorts"),
    ifCounted(size).sum().alias("size"),
    sumOrNull(ifCounted(retention.mul(size))).alias("retained"),
  ]).withColumn(quotient(pl.col("retained"), pl.col("size")).clip(0, 1).alias("retention"));
  const { lower, upper } = wilsonBounds(pl.col("retention"), pl.col("size"), confidence);
  const rows = pooled.withColumns(lower.alias("lower"), upper.alias("upper"));
  return carry(
    curves,
    inOrder(rows, id).select(
      ...(id === null || name === null ? [] : [pl.col(id), pl.col(name)]),
      pl.col("month").cast(pl.Int64),
      ...["cohorts", "size", "retained", "retention", "lower", "upper"].map((column) =>
        pl.col(column)
      ),
    ),
    "pooledRetention",
  );
}
