import { checkOptions, oneOf } from "../host/check_options.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { type Expr, numberOfColumn } from "./columns.ts";
import { COHORT_MONTHS } from "../schema/vocabulary.ts";
import { carry } from "../table/show.ts";
import {
  readRetentionUnit,
  refuseImpossible,
  RETENTION_UNITS,
  retentionInUnit,
  type RetentionUnit,
} from "./retention_unit.ts";
import { aConfidence, wilsonBounds } from "./wilson_bounds.ts";

const TIME = "[T ]\\d{2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)? ?(?:Z|[+-]\\d{2}:?\\d{2})?";
const DAY = `^(\\d{4}-\\d{2}-\\d{2})(?:${TIME})?$`;
const MONTH = `^(\\d{4}-\\d{2})(?:-\\d{2}(?:${TIME})?)?$`;

function date(text: Expr): Expr {
  return text.str.strptime(pl.Date, "%Y-%m-%d");
}

/**
 * The first day of the month that a text names, as a Date: `2025-01`, `2025-01-01` and ISO
 * timestamps name January 2025, as written and in no time zone. Null for any other text, and for a
 * date that no calendar has.
 */
function cohortDate(text: Expr): Expr {
  const day = text.str.extract(DAY, 1);
  const first = date(pl.concatString([text.str.extract(MONTH, 1), pl.lit("-01")], ""));
  const impossible = day.isNotNull().and(date(day).isNull());
  return pl.when(impossible).then(pl.lit(null)).otherwise(first);
}

const IDENTITY = [
  "project_name",
  "project_id",
  "market_sector_id",
  "market_sector_name",
  "cohort",
];
const MONTHS = COHORT_MONTHS.map((month) => `month_${month}`);

type LazyFrame = ReturnType<DataFrame["lazy"]>;

/** Options of {@linkcode retentionCurves}. */
export interface RetentionCurvesOptions {
  /**
   * The unit of `month_0` to `month_11`: `"fraction"`, `"percent"` or `"count"` of users.
   *
   * @default {read from `month_0`}
   */
  readonly unit?: RetentionUnit;
  /**
   * The confidence of the Wilson interval, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}

/** One row per cohort and month, cohort by cohort: not computed before it is collected. */
function tidy(cohorts: DataFrame): LazyFrame {
  return cohorts.lazy().select(
    ...IDENTITY.map((name) => pl.col(name)),
    cohortDate(pl.col("cohort").cast(pl.Utf8)).alias("cohort_date"),
    pl.concatList(COHORT_MONTHS.map((month) => pl.lit(month).cast(pl.Int64))).alias("month"),
    numberOfColumn("initial_cohort_size").alias("size"),
    pl.concatList(MONTHS.map((name) => numberOfColumn(name))).alias("value"),
  ).explode("month", "value");
}

/**
 * Turns a cohort frame into tidy retention curves: one row per cohort and month, cohort by cohort,
 * in the order of the frame.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_name`, `project_id`, `market_sector_id`, `market_sector_name` | String | as they came |
 * | `cohort` | String | the text as it came |
 * | `cohort_date` | Date | the first day of the month that `cohort` names (`2025-01`, `2025-01-01`, an ISO timestamp); null when it names none |
 * | `month` | Int64 | 0 to 11 |
 * | `size` | Float64 | users in the cohort |
 * | `retained` | Float64 | users still active: `retention` times `size` |
 * | `retention` | Float64 | fraction of the cohort, 0 to 1 |
 * | `lower`, `upper` | Float64 | Wilson score interval of `retention` (Wilson 1927, JASA 22, 209-212) |
 *
 * A null month stays null: it is not over yet, or was not sent. A cohort of size 0 keeps its rows,
 * with null in the last four columns. Where the size is null, so are the bounds, and what cannot be
 * told without it. Any other column of the frame is left out.
 *
 * Without `unit` the unit is read from `month_0`, over the whole frame: a cohort is whole in the
 * month it was born in, so `month_0` is 1 in every row (fraction), or 100 (percent), or
 * `initial_cohort_size` (count).
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
 * @throws {RangeError} when columns are missing; when `unit` is not given and `month_0` fits none
 * of the three or several of them; when a value is no retention in that unit; when `confidence` is
 * not between 0 and 1.
 * @throws {TypeError} when a column that has to hold numbers does not.
 */
export function retentionCurves(
  cohorts: DataFrame,
  options: RetentionCurvesOptions = {},
): DataFrame {
  const { unit: given, confidence = 0.95 } = checkOptions(
    options,
    { unit: oneOf(RETENTION_UNITS), confidence: aConfidence },
    "retentionCurves",
  );
  requireColumns(cohorts, {
    asker: "retentionCurves",
    source: "a frame of cohortAnalysis",
    columns: IDENTITY,
    numbers: ["initial_cohort_size", ...MONTHS],
  });
  const unit = given ?? readRetentionUnit(cohorts, MONTHS);
  refuseImpossible(cohorts, unit);
  const [value, size, retention] = [pl.col("value"), pl.col("size"), pl.col("retention")];
  const { lower, upper } = wilsonBounds(retention, size, confidence);
  const retained = unit === "count"
    ? pl.when(size.eq(0)).then(pl.lit(null)).otherwise(value)
    : retention.mul(size);
  const curves = tidy(cohorts)
    .withColumn(retentionInUnit(value, size, unit).clip(0, 1).alias("retention"))
    .select(
      ...[...IDENTITY, "cohort_date", "month", "size"].map((name) => pl.col(name)),
      retained.alias("retained"),
      retention,
      lower.alias("lower"),
      upper.alias("upper"),
    );
  return carry(cohorts, curves.collectSync(), "retentionCurves");
}
