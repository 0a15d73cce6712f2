import { checkOptions, oneOf, type Refuse } from "../platform/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { annotationOf } from "../table/provenance.ts";
import {
  arraysIn,
  type Expr,
  numberColumns,
  numberOfColumn,
  refuseWhere,
  where,
} from "./columns.ts";
import { requireColumns } from "../table/require_columns.ts";
import { dateOfDay, daysNamed, momentNamed } from "../schema/period.ts";
import { COHORT_MONTHS } from "../schema/vocabulary.ts";
import { float64 } from "../table/columns.ts";
import { withProvenance } from "../table/show.ts";
import {
  fractionInUnit,
  readRetentionUnit,
  RETENTION_UNITS,
  wholeUsers,
} from "./retention_unit.ts";
import { aConfidence, wilsonBounds } from "./intervals.ts";
import type { AtStage, Staged } from "./stage.ts";

const TIME = "[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)? ?(?:Z|[+-]\\d{2}:?\\d{2})?";
const DAY = `^(\\d{4}-\\d{2}-\\d{2})(?:${TIME})?$`;
const MONTH = `^(\\d{4}-\\d{2})(?:-\\d{2}(?:${TIME})?)?$`;

function date(text: Expr): Expr {
  return text.str.strptime(pl.Date, "%Y-%m-%d");
}

/**
 * Returns the first day of the month that a text names. Accepts texts such as `2025-01`, `2025-01-01` and
 * `2025-01-01T00:00:00Z`, and ignores time zones. Invalid dates and all other texts give null.
 */
function cohortDate(text: Expr): Expr {
  const day = text.str.extract(DAY, 1);
  const first = date(pl.concatString([text.str.extract(MONTH, 1), pl.lit("-01")], ""));
  const impossible = day.isNotNull().and(date(day).isNull());
  return pl.when(impossible).then(pl.lit(null)).otherwise(first);
}

/** Accepts a month: a Date, a text, or null if the month is unknown. A Date means its month in UTC. */
function aMonth(value: unknown, refuse: Refuse): Date | null {
  if (value === null) return null;
  const named = typeof value === "string" && value.length === 7 ? daysNamed(value) : null;
  // A text with a time zone also means its month in UTC.
  const moment = named === null ? momentNamed(value) : dateOfDay(named.start);
  return moment ?? refuse("must be a month, such as 2025-01");
}

/** Returns the number of months from the start of tracking to a cohort: 0 for the cohort of the first tracked month. */
function trackedMonths(cohorts: DataFrame, given: Date | null | undefined): Expr {
  const stated = given === undefined ? annotationOf(cohorts)?.provenance.data_since : given;
  if (stated === undefined || stated === null) return pl.lit(null).cast(pl.Int64);
  const since = new Date(stated);
  const first = since.getUTCFullYear() * 12 + since.getUTCMonth() + 1;
  const { dt } = pl.col("cohort_date");
  return dt.year().cast(pl.Int64).mul(12).plus(dt.month().cast(pl.Int64)).minus(first);
}

const IDENTITY = [
  "project_name",
  "project_id",
  "market_sector_id",
  "market_sector_name",
  "cohort",
];
const MONTHS = COHORT_MONTHS.map((month) => `month_${month}`);

/** Returns the values of all months of the first cohort, then of the second cohort, and so on, in one array. */
function valuesIn(cohorts: DataFrame): Float64Array {
  const values = new Float64Array(cohorts.height * MONTHS.length);
  Object.values(arraysIn(cohorts, MONTHS)).forEach((column, month) => {
    column.forEach((value, row) => values[row * MONTHS.length + month] = value);
  });
  return values;
}

/** Returns the Wilson bounds of each retention. */
function boundsOf(curves: DataFrame, confidence: number): DataFrame {
  const { retention, size } = arraysIn(curves, ["retention", "size"]);
  const [lower, upper] = [new Float64Array(size.length), new Float64Array(size.length)];
  const bounds = wilsonBounds(confidence);
  for (let row = 0; row < size.length; row++) {
    ({ lower: lower[row], upper: upper[row] } = bounds(retention[row]!, size[row]!));
  }
  return numberColumns({ lower, upper });
}

/**
 * Converts a cohort frame to tidy retention curves: one row per cohort and month, in the order of the frame.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_name`, `project_id`, `market_sector_id`, `market_sector_name` | String | unchanged |
 * | `cohort` | String | unchanged |
 * | `cohort_date` | Date | first day of the month in `cohort` (`2025-01`, `2025-01-01`, or an ISO timestamp); null if `cohort` is not a month |
 * | `month` | Int64 | 0 to 11 |
 * | `size` | Float64 | users in the cohort |
 * | `retained` | Float64 | active users: `retention` times `size`, rounded if the product is within 1e-6 of a whole number |
 * | `retention` | Float64 | fraction of the cohort that is active, 0 to 1 |
 * | `lower`, `upper` | Float64 | Wilson score interval of `retention` (Wilson 1927, JASA 22, 209-212) |
 * | `left_truncated` | Boolean | true for the cohort of the month in which tracking began (`since`), and for earlier cohorts. Such cohorts contain people who used the project before tracking began, so pooling and forecasts leave them out. Null if `since` or the cohort's month is unknown |
 * | `tracked_months` | Int64 | number of months from the first tracked month to the month of the cohort: 0 for the cohort of the first tracked month, and negative for earlier cohorts; null if one of the two months is unknown |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * A value that is null in the frame stays null. Such a month is incomplete, or the service did not send it. A cohort of
 * size 0 keeps its rows, with null in `retained`, `retention`, `lower` and `upper`. If the size is null, all columns
 * that depend on the size are null, such as the bounds. Other columns of the frame are left out.
 *
 * If `unit` is not given, the unit is detected from `month_0`. All users of a cohort are active in its first month. So
 * `month_0` is 1 in every row if the unit is a fraction, 100 if it is percent, and `initial_cohort_size` if it is a
 * count.
 *
 * @example How well does each cohort keep its users?
 * ```ts
 * import { cohortAnalysis, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * console.log(curves.toString()); // one row per cohort and month, with bounds
 * ```
 *
 * @param cohorts a frame of `cohortAnalysis`
 * @throws {RangeError} when columns are missing; when `unit` is not given and `month_0` matches no unit or several
 * units; when a value is impossible in the unit; when `confidence` is not between 0 and 1.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionCurves<Frame extends DataFrame>(
  cohorts: Frame & AtStage<Frame, never>,
  options: {
    /**
     * The unit of `month_0` to `month_11`: `"fraction"`, `"percent"` or `"count"` of users.
     *
     * @default {detected from `month_0`}
     */
    readonly unit?: "fraction" | "percent" | "count";
    /**
     * The month in which tracking began: a Date in this month, or a text such as `2025-01`. The cohort of this month
     * includes people who had used the project earlier. Pass null if the month is unknown.
     *
     * @default {the month of the first day of the data, as the service states it}
     */
    readonly since?: string | Date | null;
    /**
     * The confidence of the Wilson interval, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  } = {},
): Staged<"curves"> {
  const { unit: given, since, confidence = 0.95 } = checkOptions(
    options,
    { unit: oneOf(RETENTION_UNITS), since: aMonth, confidence: aConfidence },
    "retentionCurves",
  );
  requireColumns(cohorts, {
    fn: "retentionCurves",
    source: "a frame of cohortAnalysis",
    columns: IDENTITY,
    numbers: ["initial_cohort_size", ...MONTHS],
  });
  const unit = given ?? readRetentionUnit(cohorts, MONTHS);
  const named = cohorts.select(
    ...IDENTITY.map((name) => pl.col(name)),
    cohortDate(pl.col("cohort").cast(pl.Utf8)).alias("cohort_date"),
    numberOfColumn("initial_cohort_size").alias("size"),
  ).withColumn(trackedMonths(cohorts, since).alias("tracked_months"))
    .withColumn(pl.col("tracked_months").ltEq(0).alias("left_truncated"));
  const month = float64("month", COHORT_MONTHS).cast(pl.Int64);
  const [value, size, retention] = [pl.col("value"), pl.col("size"), pl.col("retention")];
  const rows = pl.concat([
    named.join(pl.DataFrame([month]), { how: "cross" }),
    numberColumns({ value: valuesIn(cohorts) }),
  ], { how: "horizontal" }).withColumn(fractionInUnit(value, size, unit).alias("retention"));
  const wrong = retention.gt(1 + 1e-9).or(retention.lt(0)).or(size.lt(0)).or(size.eq(Infinity));
  refuseWhere(rows, wrong.fillNull(pl.lit(false)), {
    message:
      `retentionCurves: unit "${unit}" requires retention from 0 to 1 and a size of 0 or more; got`,
    shown: ["project_id", "cohort", "size", "month", "value"],
    then: "; pass another unit, or leave the row out",
  });
  const share = retention.clip(0, 1);
  const users = wholeUsers(unit === "count" ? where(size.neq(0), value) : share.mul(size));
  const measured = rows.withColumns(
    share.alias("retention"),
    pl.when(users.gt(size)).then(size).otherwise(users).alias("retained"),
  );
  const curves = pl.concat([measured, boundsOf(measured, confidence)], { how: "horizontal" })
    .select(
      ...[...IDENTITY, "cohort_date", "month", "size"].map((name) => pl.col(name)),
      ...["retained", "retention", "lower", "upper", "left_truncated", "tracked_months"]
        .map((name) => pl.col(name)),
      pl.lit(confidence).cast(pl.Float64).alias("confidence"),
    );
  return withProvenance(cohorts, curves, "retentionCurves");
}
