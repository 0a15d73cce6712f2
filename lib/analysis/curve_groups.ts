import { requireColumns } from "../table/require_columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { type Expr, numberOfColumn } from "./columns.ts";

/** The columns that say something about a month of a curve, and not whose curve it is. */
const MEASURED = new Set([
  ...["month", "cohorts", "size", "retained", "retention", "lower", "upper"],
  ...["at_risk", "lost", "survival", "survival_lower", "survival_upper"],
  ...["cluster", "clusters", "dispersion", "bounds", "left_out", "left_truncated", "confidence"],
]);

/** The longest life of a curve in months: a century. */
export const LONGEST = 1200;

/** A name that no column of a frame is likely to have: the number of a row's group. */
export const GROUP = "(group)";

/** Retention curves in order: by group, then by month. */
interface CurveGroups {
  /** The columns that say which curve a row belongs to: all that are not measured. */
  readonly keys: readonly string[];
  /** The rows, sorted by `GROUP` and `month`. */
  readonly rows: DataFrame;
}

function refuseFirst(asker: string, rows: DataFrame, wrong: Expr, rule: string): void {
  const [row] = rows.filter(wrong).head(1).toRecords();
  if (row === undefined) return;
  delete row[GROUP];
  throw new RangeError(`${asker}: ${rule}: ${JSON.stringify(row)}`);
}

/**
 * Looks for months, retentions and sizes that cannot be.
 *
 * @throws {RangeError} for the first of them: shows the row.
 */
export function refuseImpossibleRows(asker: string, rows: DataFrame): void {
  const [month, retention, size] = ["month", "retention", "size"].map(numberOfColumn) as [
    ...[Expr, Expr, Expr],
  ];
  refuseFirst(
    asker,
    rows,
    month.isNull().or(month.lt(0)).or(month.gt(LONGEST)).or(month.neq(month.floor())),
    `month is a whole number from 0 to ${LONGEST}`,
  );
  refuseFirst(asker, rows, retention.lt(0).or(retention.gt(1)), "retention lies between 0 and 1");
  refuseFirst(asker, rows, size.lt(0).or(size.gt(Number.MAX_VALUE)), "size is 0 or more");
  if (!rows.columns.includes("retained")) return;
  const retained = numberOfColumn("retained");
  const wrong = retained.lt(0).or(retained.gt(size.mul(1 + 1e-9)));
  refuseFirst(asker, rows, wrong, "retained lies between 0 and size");
}

/**
 * Numbers the curves of a frame in the order they first appear, and sorts it by curve and month.
 *
 * @throws {RangeError} when columns are missing, a month stands twice in a group, or a value is
 * impossible.
 * @throws {TypeError} when a column that has to hold numbers does not.
 */
export function curveGroups(pooled: DataFrame, asker: string): CurveGroups {
  requireColumns(pooled, {
    asker,
    source: "a frame of pooledRetention",
    numbers: ["month", "size", "retention"],
  });
  const keys = pooled.columns.filter((name) => !MEASURED.has(name));
  const row = pl.col("(row)").cast(pl.Int64);
  const [first, ...others] = keys;
  const group = first === undefined ? pl.lit(0).cast(pl.Int64) : row.min().over(first, ...others);
  const rows = pooled.withColumns(
    ...["month", "size", "retention"].map((name) =>
      pl.col(name).cast(pl.Float64).fillNan(pl.lit(null))
    ),
  ).withRowIndex("(row)").withColumn(group.alias(GROUP)).drop("(row)");
  refuseImpossibleRows(asker, rows);
  const again = pl.struct([pl.col(GROUP), pl.col("month")]).isDuplicated();
  refuseFirst(asker, rows, again, "a month stands once in each group; pool the curves first");
  return { keys, rows: rows.sort([GROUP, "month"]) };
}

/**
 * The observed months of curves, each with the observed month before it (0 for the first) and with
 * those who could be lost since, `at_risk`, and who were, `lost`: from the frame where it has them,
 * and else from `size` and `retention`. Every curve begins whole: a first month that is not month 0
 * has lost what it lacks of its size.
 */
export function withLosses({ rows }: CurveGroups): DataFrame {
  const before = (name: string) => pl.col(name).shift(1).over(GROUP);
  const counted = ["at_risk", "lost"].every((name) => rows.columns.includes(name));
  const seen = rows.filter(pl.col("retention").isNotNull()).withColumns(
    before("month").fillNull(0).alias("month_before"),
    before("retention").alias("retention_before"),
  );
  const [month, size, retention] = [pl.col("month"), pl.col("size"), pl.col("retention")];
  const whole = pl.col("retention_before").fillNull(1);
  const derived = { at_risk: size.mul(whole), lost: size.mul(whole.minus(retention)) };
  const given = (name: "at_risk" | "lost") =>
    counted
      ? pl.when(pl.col("retention_before").isNull()).then(derived[name])
        .otherwise(numberOfColumn(name))
      : derived[name];
  const since = (name: "at_risk" | "lost") =>
    pl.when(month.gt(0)).then(given(name)).otherwise(pl.lit(null)).alias(name);
  return seen.withColumns(since("at_risk"), since("lost"));
}
