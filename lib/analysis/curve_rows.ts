import { requireColumns } from "../table/require_columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { arraysIn, type Expr, numberOfColumn } from "./columns.ts";
import { wholeUsers } from "./retention_unit.ts";

/** The columns that say something about a month of a curve, and not whose curve it is. */
const MEASURED = new Set([
  ...["month", "cohorts", "size", "retained", "retention", "lower", "upper"],
  ...["at_risk", "lost", "net_activity", "net_activity_lower", "net_activity_upper"],
  ...["cluster", "clusters", "dispersion", "bounds", "left_out", "left_truncated", "confidence"],
  ...["tracked_months", "tau2"],
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
function refuseImpossibleRows(asker: string, rows: DataFrame): void {
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

/** What tells one cohort from another. */
const IDENTITY = ["project_id", "market_sector_id", "cohort"];

/**
 * The rows of retention curves, cohort by cohort and month by month, as arrays. NaN stands for null.
 */
export interface CohortMonths {
  /** One row for each cohort, with all its columns that are not counted; numbered from 0. */
  readonly cohorts: DataFrame;
  /** The number of each row's cohort. */
  readonly cohort: Int32Array;
  /** Where each row stood in the frame. */
  readonly place: Float64Array;
  readonly month: Float64Array;
  readonly size: Float64Array;
  readonly retained: Float64Array;
  /**
   * The users who could be lost: those retained in the last month that was observed of the cohort
   * before this one; NaN in month 0. Every cohort begins whole.
   */
  readonly atRisk: Float64Array;
  /** Whether the row counts: it has a retention, of a size above 0, and was not left out. */
  readonly counted: Uint8Array;
  /** Whether the row would count, and was left out as left-truncated. */
  readonly leftOut: Uint8Array;
}

type Columns = [
  ...[Float64Array, Float64Array, Float64Array, Float64Array],
  ...[Float64Array, Float64Array, Float64Array],
];

function begins(identity: readonly string[]): Expr {
  const text = (name: string) => pl.col(name).cast(pl.Utf8).fillNull(pl.lit("\u0000"));
  const later = pl.col("month").gt(pl.col("month").shift(1));
  return identity.map((name) => text(name).eq(text(name).shift(1)))
    .reduce((all, same) => all.and(same), later)
    .fillNull(pl.lit(false)).not().cast(pl.Float64).alias("(begins)");
}

/**
 * The frame with its cohorts in one piece each. As `retentionCurves` gives it, it is that already,
 * which shows in every piece beginning with the same month; else cohorts of the same name are told
 * apart by how often each month has come.
 */
function inPieces(frame: DataFrame, identity: readonly string[]): DataFrame {
  const pieces = frame.withColumn(begins(identity));
  const firsts = pieces.filter(pl.col("(begins)").eq(1));
  if (firsts.getColumn("month").nUnique() <= 1) return pieces;
  const columns = [...identity, "month"];
  const again = pl.col("month").cumCount().over(...columns as [string]).alias("(again)");
  const sorted = frame.withColumn(again).sort([...identity, "(again)", "month"]);
  const other = pl.col("(again)").eq(pl.col("(again)").shift(1)).fillNull(pl.lit(true)).not();
  return sorted.withColumn(
    pl.when(other).then(pl.lit(1)).otherwise(begins(identity)).alias("(begins)"),
  );
}

/**
 * Reads retention curves, cohort by cohort. `retained` is taken from the frame where it has it, and
 * else from `retention` and `size`.
 *
 * @throws {RangeError} when columns are missing or a value is impossible.
 * @throws {TypeError} when a column that has to hold numbers does not.
 */
export function cohortMonths(
  curves: DataFrame,
  { asker, keys, leftTruncated }: {
    readonly asker: string;
    /** Columns that have to be there, to group by. */
    readonly keys: readonly string[];
    readonly leftTruncated: "drop" | "keep";
  },
): CohortMonths {
  const has = (name: string) => curves.columns.includes(name);
  requireColumns(curves, {
    asker,
    source: "a frame of retentionCurves",
    columns: keys,
    numbers: ["month", "size", "retention"],
  });
  const identity = IDENTITY.filter(has);
  const texts = [...new Set([...identity, ...keys])];
  const truncated = has("left_truncated")
    ? pl.col("left_truncated").fillNull(pl.lit(false)).cast(pl.Float64)
    : pl.lit(0);
  const rows = inPieces(
    curves.withRowIndex("(place)").select(
      ...[...texts, "(place)", "month", "size", "retention"].map((name) => pl.col(name)),
      (has("retained") ? pl.col("retained").cast(pl.Float64) : pl.lit(NaN)).alias("retained"),
      truncated.alias("(truncated)"),
    ),
    identity,
  );
  const [begin, place, month, size, retention, retained, left] = arraysIn(rows, [
    ...["(begins)", "(place)", "month", "size", "retention", "retained", "(truncated)"],
  ]) as Columns;
  const cohort = new Int32Array(rows.height);
  const atRisk = new Float64Array(rows.height).fill(NaN);
  const counted = new Uint8Array(rows.height);
  const leftOut = new Uint8Array(rows.height);
  let number = -1;
  let before = NaN;
  for (let row = 0; row < cohort.length; row++) {
    const [at, part, users] = [month[row]!, retention[row]!, size[row]!];
    const possible = at >= 0 && at <= LONGEST && at % 1 === 0 && users !== Infinity;
    const impossible = part < 0 || part > 1 || users < 0 || retained[row]! < 0 ||
      retained[row]! > users * (1 + 1e-9);
    if (!possible || impossible) refuseImpossibleRows(asker, curves);
    if (begin[row] === 1) {
      number += 1;
      before = NaN;
    }
    cohort[row] = number;
    if (!(part >= 0 && users > 0)) continue;
    if (Number.isNaN(retained[row]!)) retained[row] = wholeUsers(part * users);
    if (leftTruncated === "drop" && left[row] === 1) {
      leftOut[row] = 1;
      continue;
    }
    counted[row] = 1;
    if (at > 0) atRisk[row] = Number.isNaN(before) ? users : before;
    before = retained[row]!;
  }
  return {
    cohorts: rows.filter(pl.col("(begins)").eq(1)).select(...texts.map((name) => pl.col(name))),
    ...{ cohort, place, month, size, retained, atRisk, counted, leftOut },
  };
}
