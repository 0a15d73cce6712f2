import { requireColumns } from "../table/require_columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";

const MEASURED = ["month", "cohorts", "size", "retained", "retention", "lower", "upper"];

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

function refuse(asker: string, rows: DataFrame): void {
  const again = pl.struct([pl.col(GROUP), pl.col("month")]).isDuplicated();
  const cases = [
    {
      wrong: pl.col("month").isNull().or(pl.col("month").lt(0)).or(pl.col("month").gt(LONGEST))
        .or(pl.col("month").neq(pl.col("month").floor())),
      rule: `month is a whole number from 0 to ${LONGEST}`,
    },
    {
      wrong: pl.col("retention").lt(0).or(pl.col("retention").gt(1)),
      rule: "retention lies between 0 and 1",
    },
    { wrong: pl.col("size").lt(0), rule: "size is 0 or more" },
    { wrong: again, rule: "a month stands once in each group; pool the curves first" },
  ];
  for (const { wrong, rule } of cases) {
    const [row] = rows.filter(wrong).drop(GROUP).head(1).toRecords();
    if (row !== undefined) throw new RangeError(`${asker}: ${rule}: ${JSON.stringify(row)}`);
  }
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
  const keys = pooled.columns.filter((name) => !MEASURED.includes(name));
  const row = pl.col("(row)").cast(pl.Int64);
  const [first, ...others] = keys;
  const group = first === undefined ? pl.lit(0).cast(pl.Int64) : row.min().over(first, ...others);
  const rows = pooled.withColumns(
    ...["month", "size", "retention"].map((name) =>
      pl.col(name).cast(pl.Float64).fillNan(pl.lit(null))
    ),
  ).withRowIndex("(row)").withColumn(group.alias(GROUP)).drop("(row)");
  refuse(asker, rows);
  return { keys, rows: rows.sort([GROUP, "month"]) };
}
