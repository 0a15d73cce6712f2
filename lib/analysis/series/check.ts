import { dtypeNames, isNumeric } from "../../table/columns/dtypes.ts";
import { timesAsText } from "../../table/read/entity_candidates.ts";
import { isKeyOfTime } from "../../table/read/date_found.ts";
import { readingOf } from "../../table/read/reading.ts";
import { timesIn } from "../../table/read/times.ts";
import { type DataFrame, type Frame, pl } from "../../table/columns/polars.ts";
import { computedColumns } from "../../table/track/descriptions.ts";
import { annotationOf } from "../../table/track/provenance.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { withProvenance } from "../../table/show/show.ts";
import { checkRows, type Finding, type Numbers } from "./check_rows.ts";
import { checkSeries } from "./check_series.ts";
import { totalIn } from "../../table/read/totals.ts";
import { arraysIn, refuseShared, rowsAt, tableOf } from "../columnar.ts";

function numbersIn(frame: DataFrame): Numbers {
  const dtypes = dtypeNames(frame);
  const names = frame.columns.filter((_, index) => isNumeric(dtypes[index]!));
  return new Map(Object.entries(arraysIn(frame, names)));
}

/** Finds entities that are the sum of the others, which sums would count twice. */
function totalsIn(
  frame: DataFrame,
  numbers: Numbers,
  reading: Parameters<typeof totalIn>[2],
): Finding[] {
  return [...numbers].flatMap(([field, values]): Finding[] => {
    const total = totalIn(frame, field, reading);
    if (total === null) return [];
    const expected = "leave it out, or sums count it twice";
    const rule = "no entity is the sum of the others";
    return [[total.row, field, rule, values[total.row]!, expected, "look"]];
  });
}

/**
 * Finds values that make no sense. One row per finding. The frame is not changed, and a frame without findings can still
 * be wrong.
 *
 * | column | dtype | |
 * |---|---|---|
 * | dates, ids | Date, String | the row; null if the finding concerns the whole frame |
 * | `field` | String | the column |
 * | `rule` | String | the rule that does not hold |
 * | `value` | Float64 | the value; null for a rule about dates or ids; the number of zeros, of missing periods, and of days that are missing at the end |
 * | `expected` | String | what the rule allows |
 * | `severity` | String | `broken` if the value cannot be right, `look` if it is unusual, `not judged` if a rule cannot be applied |
 *
 * `broken`: a value is not finite; fees, users, counts or levels are negative (not net flows, net revenue or earnings);
 * a sum or count of a longer window is smaller (not of net flows); a share is not within 0 to 1; month 0 of a cohort is
 * not whole, or a later month is above it; two rows have the same ids; gas per transaction differs from gas divided by
 * transactions. `look`: revenue above fees; circulating above fully diluted market cap; net flows that are not inflows
 * minus outflows; shares of gas on a chain that add to more than 1; a trend that compares a window with all that was
 * counted before it, which may be less than a window.
 *
 * In a frame with a column of dates (days, or texts such as `2025-01-31`), `look` also means: zeros (one row for each
 * series), if they are at most 2% of the values plus one, and at most 2% of the values are below half of their neighbors,
 * or if the median of the other values is at least 100 and none is below a tenth of it; a value that is the same for 7
 * days or 5 longer periods, with three digits or more; missing periods (one row for each series); a date before 1990 or
 * after 2100; a series that ends before the data and the others; a change that does not agree with the values; a jump of
 * the level; and a spike.
 *
 * A spike of days or weeks is a value whose logarithm differs from the median of its four neighbors (of the same weekday)
 * by more than 12 median absolute deviations of these differences, by more than log 3, and by more than three times the
 * differences of the other values, of which the largest 2% do not count. This needs at least 26 of them. A spike of months
 * or longer periods also differs from the two values before and from the two after by more than log 3. This needs 12
 * periods, and 24 for the first and last two. A jump is a change by a factor of 10 or more from one day to the next, where
 * the 7 values before and the 7 after do not overlap, and their medians differ by a factor of 10 and by more than 8 median
 * absolute deviations within the weeks. Smaller changes, such as a doubling, are not found. A value that several columns
 * of a metric have is reported once.
 *
 * `look` also means that an entity is the sum of all others, such as a row `Total`, at each date at which two or more
 * others have a value. One such date is enough if there are three others, and the total has six digits or a name such as
 * Total, World or All; else there must be four different totals, because sums of small numbers occur by chance.
 *
 * @example
 * ```ts
 * import { blockchainComparison, check } from "@chainframe/chainframe";
 *
 * const found = check(await blockchainComparison());
 * console.log(found.height); // 0
 * ```
 *
 * @param frame a frame of an operation, a timeline, or any frame with a column of dates
 * @throws {RangeError} when the value is not a frame.
 * @category Analysis
 */
export function check(frame: DataFrame): Frame {
  requireColumns(frame, { fn: "check", source: "a frame" });
  const reading = readingOf(frame, { fn: "check", repeats: true });
  const { entity, times } = reading;
  const dtypes = dtypeNames(frame);
  const isDate = (name: string) =>
    name === "date" || /^Date/.test(dtypes[frame.columns.indexOf(name)]!) && name !== "cohort" ||
    isKeyOfTime(frame, name) && timesIn(frame, name).unread.length === 0;
  const texts = timesAsText(frame);
  const date = times.find(isDate) ?? texts;
  const numbers = new Map([...numbersIn(frame)].filter(([name]) => name !== date));
  const ids = [...entity, ...times.filter((name) => name !== date)];
  const keys = date === undefined ? ids : [date, ...ids];
  // Names can repeat in a frame without dates.
  const areUnique = date !== undefined || ids.some((name) => /_(id|address)$/.test(name));
  const through = annotationOf(frame)?.provenance.data_through ?? null;
  const findings: Finding[] = [
    ...checkRows(frame, { numbers, keys: areUnique && ids.length > 0 ? keys : [] }),
    ...date === undefined ? [] : checkSeries(frame, { date, ids, numbers, through }),
    ...totalsIn(frame, numbers, reading),
  ];
  const table = tableOf(
    findings.map(([, field, rule, value, expected, severity]) => (
      { field, rule, value, expected, severity }
    )),
    [
      ["text", "field", "rule"],
      ["number", "value"],
      ["text", "expected", "severity"],
    ],
  );
  refuseShared(keys, table.columns, "check");
  // The index -1 has no row, so that the ids are null.
  const rows = findings.map(([row]) => row < 0 ? null : row);
  const made = keys.length === 0
    ? table
    : pl.concat([rowsAt(frame.select(...keys), rows as number[]), table], { how: "horizontal" });
  const columns = computedColumns([["number", "value"]]);
  return withProvenance(frame, made, { fn: "check", options: {}, columns });
}
