import { columnOf } from "../schema/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import { arraysIn, type Expr, firstRow, GROUP, numberedGroups, numberOfColumn } from "./columns.ts";

/** Maximum length of a curve in months: a century. */
export const LONGEST = 1200;

function refuseFirst(fn: string, rows: DataFrame, wrong: Expr, rule: string): void {
  const [row] = rows.filter(wrong).head(1).toRecords();
  if (row === undefined) return;
  delete row[GROUP];
  throw new RangeError(`${fn}: ${rule}: ${JSON.stringify(row)}`);
}

/**
 * Checks for impossible months, retentions and sizes.
 *
 * @throws {RangeError} for the first impossible value, with its row.
 */
export function refuseImpossibleRows(rows: DataFrame, fn: string): void {
  const [month, retention, size] = ["month", "retention", "size"].map(numberOfColumn) as [
    ...[Expr, Expr, Expr],
  ];
  refuseFirst(
    fn,
    rows,
    month.isNull().or(month.lt(0)).or(month.gt(LONGEST)).or(month.neq(month.floor())),
    `month is a whole number from 0 to ${LONGEST}`,
  );
  refuseFirst(fn, rows, retention.lt(0).or(retention.gt(1)), "retention lies between 0 and 1");
  refuseFirst(fn, rows, size.lt(0).or(size.gt(Number.MAX_VALUE)), "size is 0 or more");
  if (!rows.columns.includes("retained")) return;
  const retained = numberOfColumn("retained");
  const wrong = retained.lt(0).or(retained.gt(size.mul(1 + 1e-9)));
  refuseFirst(fn, rows, wrong, "retained lies between 0 and size");
}

/**
 * Refuses a pooled frame, whose rows are not cohorts.
 *
 * @throws {RangeError} with a message that names the frame to pass.
 */
export function refusePooled(frame: DataFrame, fn: string): void {
  if (!pl.DataFrame.isDataFrame(frame) || !frame.columns.includes("at_risk")) return;
  throw new RangeError(
    `${fn}: expected a frame of retentionCurves, got one of pooledRetention; pass the curves, ` +
      `as in ${fn}(curves, { by: "market_sector_id" })`,
  );
}

/** One observed month of a curve. NaN means null. */
export interface CurveMonth {
  readonly month: number;
  readonly retention: number;
  readonly size: number;
  /** The number of users at risk since the previous observed month. NaN in month 0. */
  readonly atRisk: number;
  /** The number of users at risk who were lost. */
  readonly lost: number;
}

/** One curve of a frame: the numbers of its rows, sorted by month, and its months with a retention. */
interface CurveOfTable {
  readonly rows: readonly number[];
  readonly observed: readonly CurveMonth[];
}

/** The curves of a frame. */
interface CurveTable {
  readonly curves: readonly CurveOfTable[];
  /** One row per curve, with its number and the columns that identify it. */
  readonly keys: DataFrame;
  /** Returns the numbers of a column, by row. NaN means null, or that the frame lacks the column. */
  readonly numbers: (name: string) => Float64Array;
}

/** Returns whether a column identifies a curve. Columns of values, notes and months do not. */
export function isKey(name: string): boolean {
  const role = columnOf(name)?.role;
  return role !== "value" && role !== "note" && name !== "month";
}

/**
 * Reads the curves of a frame, pooled or one for each cohort, in order of appearance. If `at_risk` and `lost` are
 * missing, they are computed from `size` and `retention`, as for a single cohort. Before its first observed month, a
 * curve has all of its users.
 *
 * @throws {RangeError} when columns are missing, a month occurs twice in a curve, or a value is
 * impossible.
 * @throws {TypeError} when a column that must be numeric is not.
 */
export function curveTable(frame: DataFrame, fn: string): CurveTable {
  requireColumns(frame, {
    fn,
    source: "a frame of pooledRetention",
    numbers: ["month", "size", "retention"],
  });
  const columns = frame.columns.filter(isKey);
  refuseImpossibleRows(frame, fn);
  const again = pl.struct([...columns, "month"].map((name) => pl.col(name))).isDuplicated();
  refuseFirst(fn, frame, again, "a month occurs once in each group; pool the curves first");
  const has = (name: string) => frame.columns.includes(name);
  const numbers = (name: string) =>
    has(name) ? arraysIn(frame, [name])[0]! : new Float64Array(frame.height).fill(NaN);
  const first = firstRow(columns).alias(GROUP);
  const [group] = arraysIn(frame.withRowIndex("(row)").select(first), [GROUP]);
  const [month, size, retention, atRisk, lost] = [
    ...["month", "size", "retention", "at_risk", "lost"].map(numbers),
  ] as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  const counted = has("at_risk") && has("lost");
  const numbered = Array.from(month, (_, row) => row);
  const grouped = Map.groupBy(numbered, (row) => group![row] ?? group![0]!);
  const curves = [...grouped.values()].map((rows): CurveOfTable => {
    const ordered = rows.toSorted((a, b) => month[a]! - month[b]!);
    let before = NaN;
    const observed = ordered.flatMap((row): CurveMonth[] => {
      if (Number.isNaN(retention[row]!)) return [];
      const begins = Number.isNaN(before);
      const whole = begins ? 1 : before;
      const derived = { atRisk: size[row]! * whole, lost: size[row]! * (whole - retention[row]!) };
      const given = { atRisk: atRisk[row]!, lost: lost[row]! };
      before = retention[row]!;
      const at = { month: month[row]!, retention: retention[row]!, size: size[row]! };
      if (at.month === 0) return [{ ...at, atRisk: NaN, lost: NaN }];
      return [{ ...at, ...counted && !begins ? given : derived }];
    });
    return { rows: ordered, observed };
  });
  return { curves, keys: numberedGroups(frame, columns), numbers };
}
