import { requireColumns } from "../table/require_columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { arraysIn, type Expr } from "./columns.ts";
import { LONGEST, refuseImpossibleRows } from "./curve_groups.ts";
import { wholeUsers } from "./retention_unit.ts";

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
