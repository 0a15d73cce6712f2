import { inWords } from "../../platform/statement.ts";
import { counted, notify } from "../../platform/terminal.ts";
import { dateOfDay, dayText } from "../../schema/period.ts";
import { rowGroups } from "../../table/read/panel.ts";
import type { RetentionUnit } from "../../table/read/retention_unit.ts";
import { lastFullDay, readingOf } from "../../table/read/reading.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { arraysIn, rowsAt } from "../columnar.ts";

const FN = "retentionCurves";

/** Returns the number of months from the year 0 to a day. */
function monthOf(day: number): number {
  const date = dateOfDay(day);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Rows that a frame of cohorts does not have: a row of their cohort, and their month. */
interface Absent {
  readonly from: number[];
  readonly months: number[];
}

/** Finds the absent rows of each group of rows, in the order of the frame. */
function absentRows(
  { numbers, first }: ReturnType<typeof rowGroups>,
  { began, months, last }: {
    readonly began: Float64Array;
    readonly months: Float64Array;
    /** The last month that is over, as a number of months from the year 0. */
    readonly last: number;
  },
): Absent {
  const longest = months.reduce((most, month) => Math.max(most, month), 0);
  const width = longest + 1;
  const known = new Set<number>();
  for (let row = 0; row < months.length; row++) known.add(numbers[row]! * width + months[row]!);
  const absent: Absent = { from: [], months: [] };
  for (const [group, row] of first.entries()) {
    if (Number.isNaN(began[row]!)) continue;
    const end = Math.min(longest, last - monthOf(began[row]!));
    for (let month = 0; month <= end; month++) {
      if (known.has(group * width + month)) continue;
      absent.from.push(row);
      absent.months.push(month);
    }
  }
  return absent;
}

/**
 * Makes rows of 0 users, and in month 0 of all users of the cohort. Columns that are not the same in all rows of a cohort
 * are null.
 */
function rowsOfZero(
  cohorts: DataFrame,
  key: readonly string[],
  { from, months, unit }: Absent & { readonly unit: RetentionUnit },
): DataFrame {
  const { size = new Float64Array() } = arraysIn(cohorts, ["size"]);
  const retained = months.map((month, at) =>
    month > 0 ? 0 : unit === "count" ? size[from[at]!]! : unit === "percent" ? 100 : 1
  );
  const distinct = (names: readonly string[]) => cohorts.unique({ subset: [...names] }).height;
  const groups = distinct(key);
  const dtypeOf = (name: string) => cohorts.getColumn(name).dtype;
  const month = pl.Series("month", months, pl.Float64).cast(dtypeOf("month"));
  const columns = rowsAt(cohorts, from).getColumns().map((column) => {
    const { name } = column;
    if (name === "month") return month;
    if (name === "retained") return pl.Series(name, retained, pl.Float64).cast(dtypeOf(name));
    const isConstant = key.includes(name) || distinct([...key, name]) === groups;
    return isConstant
      ? column
      : column.slice(0, 0).extendConstant(null, months.length).rename(name);
  });
  return pl.DataFrame(columns);
}

/**
 * Adds the absent rows of cohorts in the long form, with 0 users, but all users in month 0, if `missing` is 0; otherwise a notice counts them. A cohort
 * has the months 0 to the largest month of the frame, up to the last full month that the source states, or else the last
 * month of the frame. A row whose value is null is not absent. `began` has the first day of the cohort of each row.
 *
 * The result has the rows of the frame, and then those that are added; `from` has a row of the cohort of each added row.
 */
export function withAbsentRows(
  cohorts: DataFrame,
  { began, missing, unit }: {
    readonly began: Float64Array;
    readonly missing: 0 | undefined;
    readonly unit: RetentionUnit;
  },
): { readonly frame: DataFrame; readonly from: readonly number[] } {
  const { entity } = readingOf(cohorts, { fn: FN, repeats: true });
  const key = [...new Set([...entity, "cohort"])];
  const { month: months = new Float64Array() } = arraysIn(cohorts, ["month"]);
  const full = lastFullDay(cohorts);
  const last = full === null
    ? months.reduce((most, month, row) => Math.max(most, monthOf(began[row]!) + month || 0), 0)
    : monthOf(full + 1) - 1;
  const groups = rowGroups(cohorts, key);
  const absent = absentRows(groups, { began, months, last });
  const [row] = absent.from;
  if (row === undefined) return { frame: cohorts, from: [] };
  if (missing === 0) {
    return {
      frame: pl.concat([cohorts, rowsOfZero(cohorts, key, { ...absent, unit })]),
      from: absent.from,
    };
  }
  const { length } = absent.months;
  notify(
    `${FN}: ${counted(length, "row")} of ${counted(new Set(absent.from).size, "cohort")} ` +
      `${length === 1 ? "is" : "are"} absent, first ${dayText(began[row]!).slice(0, 7)}, month ` +
      `${absent.months[0]}; an absent row is not 0; pass ` +
      `${inWords({ flags: "--missing 0", code: "missing: 0" })} if it is`,
  );
  return { frame: cohorts, from: [] };
}
