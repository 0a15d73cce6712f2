import { pl, type Series } from "./polars.ts";

/**
 * Makes a column of times from milliseconds since 1970 as Float64: a Date column if all times are midnight in UTC, otherwise
 * a Datetime column. Null and NaN become null.
 */
export function timeColumn(milliseconds: Series): Series {
  const time = pl.col("time");
  const moments = pl.DataFrame([milliseconds.rename("time")])
    .select(time.fillNan(pl.lit(null)).cast(pl.Int64).cast(pl.Datetime("ms")).alias("time"));
  const days = moments.select(time.cast(pl.Date).alias("time"));
  const [others] = moments.select(
    time.neq(time.cast(pl.Date).cast(pl.Datetime("ms"))).sum().cast(pl.Float64).alias("others"),
  ).row(0);
  return (others ? moments : days).getColumn("time").rename(milliseconds.name);
}
