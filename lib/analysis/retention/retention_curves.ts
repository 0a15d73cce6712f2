import {
  checkOptions,
  integer,
  oneOf,
  type Refuse,
  type Rule,
} from "../../platform/check_options.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import {
  arraysIn,
  numberColumns,
  numberOfColumn,
  refuseFirst,
  refuseTaken,
  refuseWhere,
  rowsAt,
} from "../columnar.ts";
import { withAbsentRows } from "./absent_rows.ts";
import { cohortDates } from "./cohort_dates.ts";
import { LONGEST } from "./curve_table.ts";
import { hideUnobserved, refuseMonthsFromOne } from "./observed_months.ts";
import { readingOf } from "../../table/read/reading.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { dateOfDay, daysNamed, momentNamed } from "../../schema/period.ts";
import {
  amountUnit,
  fractionInUnit,
  readRetentionUnit,
  RETENTION_UNITS,
  STATE_AMOUNTS,
  wholeUsers,
} from "../../table/read/retention_unit.ts";
import { columnIn, computedColumns } from "../../table/track/descriptions.ts";
import { notify } from "../../platform/terminal.ts";
import { withProvenance } from "../../table/show/show.ts";
import { aConfidence, wilsonBounds } from "../intervals.ts";
import type { AtStage, Staged } from "./stage.ts";

/** Accepts a month: a Date, a text, or null if the month is unknown. A Date means its month in UTC. */
function aMonth(value: unknown, refuse: Refuse): Date | null {
  if (value === null) return null;
  const named = typeof value === "string" && value.length === 7 ? daysNamed(value) : null;
  // A text with a time zone also means its month in UTC.
  const moment = named === null ? momentNamed(value, "start") : dateOfDay(named.start);
  return moment ?? refuse("must be a month, such as 2025-01");
}

const COMPUTED = [
  ...["cohort_date", "month", "size", "retained", "retention", "lower", "upper"],
  ...["left_truncated", "tracked_months", "confidence"],
];
const LONG = ["month", "size", "retained"];
const AMOUNTS_RULE =
  "retentionCurves: amounts are finite and 0 or more, and month 0 is the size; got";

/**
 * Returns the columns of numbers that a frame of cohorts has. In the wide form, these are the size and one column per
 * month. In the long form, each row is one month of a cohort.
 */
function formOf(cohorts: DataFrame) {
  const columns = pl.DataFrame.isDataFrame(cohorts) ? cohorts.columns : [];
  const months = columns.filter((name) => /^month_(0|[1-9]\d{0,3})$/.test(name))
    .sort((a, b) => monthIn(a) - monthIn(b));
  if (months.length === 0 && LONG.every((name) => columns.includes(name))) {
    return { long: true, size: "size", values: ["retained"] };
  }
  const values = months.length === 0 ? ["month_0"] : months;
  return { long: false, size: "initial_cohort_size", values };
}

function monthIn(name: string): number {
  return Number(name.slice("month_".length));
}

/** Reads the numbers of a cohort frame: one array element per cohort and month, in this order. NaN means null. */
function numbersOf(
  cohorts: DataFrame,
  { long, size: sizeName, values: names }: ReturnType<typeof formOf>,
  { unit: given, confidence }: {
    readonly unit: typeof RETENTION_UNITS[number] | undefined;
    readonly confidence: number;
  },
) {
  const amount = amountUnit(cohorts, sizeName);
  const isUnstated = columnIn(cohorts, sizeName)?.unit == null;
  const { [sizeName]: sizes = new Float64Array(), ...months } = arraysIn(
    cohorts,
    [sizeName, ...names],
  );
  const values = names.map((name) => months[name]!);
  const first = months.month_0 ?? sizes.map(() => NaN);
  const later = values.filter((each) => each !== first);
  const unit = given ?? (long ? "count" : readRetentionUnit(sizes, [first, ...later]));
  const bounds = wilsonBounds(confidence);
  if (unit === "count") refuseOtherUnit(cohorts, sizeName, names);
  const numbers = () => new Float64Array(sizes.length * values.length);
  const [size, retained, retention] = [numbers(), numbers(), numbers()];
  const [lower, upper] = [numbers(), numbers()];
  for (let row = 0; row < size.length; row++) {
    const [cohort, at] = [Math.floor(row / values.length), row % values.length];
    const [all, value] = [sizes[cohort]!, values[at]![cohort]!];
    const fraction = fractionInUnit(value, all, unit);
    const isLater = long || names[at] !== "month_0";
    const isMore = amount === null
      ? fraction > 1 + 1e-9
      : fraction === Infinity || !isLater && Math.abs(fraction - 1) > 1e-9;
    if (isMore || fraction < 0 || all < 0 || all === Infinity) {
      const ids = ["project_id", "cohort", "month"].filter((name) =>
        cohorts.columns.includes(name)
      );
      refuseFirst(cohorts.slice(cohort, 1), {
        message: amount === null
          ? `retentionCurves: unit "${unit}" requires retention from 0 to 1 and a size of 0 or more; got`
          : AMOUNTS_RULE,
        shown: [...ids, sizeName, names[at]!],
        then: amount !== null
          ? ""
          : isMore && unit === "count"
          ? `; pass another unit; ${STATE_AMOUNTS}`
          : "; pass another unit",
      });
    }
    if (isUnstated && wholeUsers(all) % 1 > 0) {
      refuseFirst(cohorts.slice(cohort, 1), {
        message: `retentionCurves: ${sizeName} of persons must be whole; got`,
        shown: [sizeName],
        then: `; ${STATE_AMOUNTS}`,
      });
    }
    if (amount !== null) {
      size[row] = all;
      retained[row] = unit === "count" && all > 0 ? value : fraction * all;
      retention[row] = fraction;
      lower[row] = upper[row] = NaN;
      continue;
    }
    const share = Math.min(1, fraction);
    const users = wholeUsers(unit === "count" && all > 0 ? value : share * all);
    size[row] = all;
    retained[row] = Math.min(users, all);
    retention[row] = share;
    ({ lower: lower[row], upper: upper[row] } = bounds(share, all));
  }
  return { size, retained, retention, lower, upper };
}

/** Throws a RangeError if the amount of month 0 in the long form is not the size of its cohort. */
function refuseOtherStart(
  rows: DataFrame,
  { size, retained }: ReturnType<typeof numbersOf>,
  ages: Float64Array,
): void {
  const row = ages.findIndex((age, at) =>
    age === 0 && Math.abs(retained[at]! - size[at]!) > 1e-9 * size[at]!
  );
  if (row < 0) return;
  refuseFirst(rows.slice(row, 1), {
    message: AMOUNTS_RULE,
    shown: ["cohort", ...LONG],
  });
}

/** Throws a RangeError if retained values and sizes do not have the same unit of amounts. */
function refuseOtherUnit(cohorts: DataFrame, size: string, names: readonly string[]): void {
  const whole = amountUnit(cohorts, size);
  const stated = (unit: string | null) => unit === null ? "counts persons" : `is in ${unit}`;
  for (const name of names) {
    const unit = amountUnit(cohorts, name);
    if (unit === whole) continue;
    throw new RangeError(
      `retentionCurves: ${name}: ${stated(unit)}, ${size} ${stated(whole).replace("is in", "in")}`,
    );
  }
}

/** Returns the month of each row of a frame in the long form. */
function monthsOfRows(cohorts: DataFrame): DataFrame {
  const month = numberOfColumn("month");
  const whole = month.eq(month.floor()).and(month.gtEq(0)).and(month.ltEq(LONGEST));
  refuseWhere(cohorts, whole.fillNull(pl.lit(false)).not(), {
    message: `retentionCurves: month must be a whole number from 0 to ${LONGEST}; got`,
    shown: ["cohort", "month"],
  });
  return cohorts.select(pl.col("month").cast(pl.Int64));
}

/** Returns the entity of cohorts. Undefined if rows repeat, or if the entity must be stated: functions of curves say so. */
function entityIn(cohorts: DataFrame): readonly string[] | undefined {
  try {
    return readingOf(cohorts, { fn: "retentionCurves" }).entity;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Converts a cohort frame to tidy retention curves: one row per cohort and month, in the order of the frame.
 *
 * The frame is the result of `cohortAnalysis`, or own data in one of two forms. The wide form has the columns `cohort`,
 * `initial_cohort_size` and any of `month_0`, `month_1`, and so on. The long form has the columns `cohort`, `month`,
 * `size` and `retained`, with one row per cohort and month. All other columns are optional.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `project_name`, `project_id`, `market_sector_id`, `market_sector_name`, `cohort`, or the columns of own data | String | unchanged |
 * | `cohort_date` | Date | first day of the month in `cohort`; null if `cohort` is not read as a month |
 * | `month` | Int64 | months since first use: 0 to 11 for `cohortAnalysis` |
 * | `size` | Float64 | users in the cohort, or its amount in month 0 |
 * | `retained` | Float64 | active users, or the amount of the month: `retention` times `size`, rounded if the product is within 1e-6 of a whole number |
 * | `retention` | Float64 | fraction of the cohort that is active, 0 to 1 |
 * | `lower`, `upper` | Float64 | Wilson score interval of `retention` (Wilson 1927, JASA 22, 209-212) |
 * | `left_truncated` | Boolean | true for the cohort of the month in which tracking began (`since`), and for earlier cohorts. Such cohorts contain people who used the project before tracking began, so pooling and forecasts leave them out. Null if `since` or the cohort's month is unknown |
 * | `tracked_months` | Int64 | number of months from the first tracked month to the month of the cohort: 0 for the cohort of the first tracked month, and negative for earlier cohorts; null if one of the two months is unknown |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The values of `cohort` have one form: months, such as `2025-01`, `Jan 2025` or `202501`, or days that are all first or
 * all last days of months: dates, texts such as `2025-01-31`, or seconds or milliseconds since 1970. A notice counts the
 * texts that are not read.
 *
 * A value that is null in the frame stays null. A value whose month of observation was not over on the last full day of
 * the data is null, too, and a notice counts such values. In the long form, a cohort should have a row for each month from 0
 * to the largest month of the frame, as far as it is over; a notice counts absent rows, and `missing: 0` adds them with 0
 * users at the end, and in month 0 with all users. Their columns are those of the cohort; columns that vary within a cohort are null. A cohort of
 * size 0 keeps its rows, with null in `retained`, `retention`, `lower` and `upper`. If the size is null, all columns
 * that depend on the size are null, such as the bounds. Other columns of the frame come first, unchanged, so that `by` can
 * name them.
 *
 * The unit of the column of sizes states what is counted. Without a unit, or with `count`, `users`, `addresses` or a word
 * like these, it is persons, who are whole. Any other unit, such as `usd` or `eth`, is an amount: `retention` can exceed 1,
 * nothing is rounded, and one cohort has no bounds. `withSource` states units.
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
 * @param cohorts a frame of `cohortAnalysis`, or own cohorts
 * @throws {RangeError} when columns are missing; when `unit` is not given and `month_0` matches no unit or several
 * units; when a value is impossible in the unit; when cohorts are days or weeks, or have times of day; when months count
 * from 1; when own data has a value of a month after its last day; when `confidence` is not between 0 and 1.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function retentionCurves<Given extends DataFrame>(
  cohorts: Given & AtStage<Given, never>,
  options: {
    /**
     * The unit of `month_0`, `month_1`, and so on, or of `retained`: `"fraction"`, `"percent"` or `"count"` of users.
     *
     * @default {detected from `month_0`; `"count"` for `retained`}
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
    /**
     * `0` states that an absent row of the long form means 0 users, as in a table of a query with GROUP BY.
     *
     * @default {an absent row is not known, and a notice counts such rows}
     */
    readonly missing?: 0;
  } = {},
): Staged<"curves"> {
  const { unit: given, since, confidence = 0.95, missing } = checkOptions(
    options,
    {
      unit: oneOf(RETENTION_UNITS),
      since: aMonth,
      confidence: aConfidence,
      missing: integer(0, 0) as Rule<0>,
    },
    "retentionCurves",
  );
  const form = formOf(cohorts);
  const inputs = [form.size, ...form.values];
  requireColumns(cohorts, {
    fn: "retentionCurves",
    source: "a frame of cohortAnalysis, or own cohorts",
    columns: ["cohort"],
    numbers: form.long ? LONG : inputs,
  });
  if (missing !== undefined && !form.long) {
    throw new RangeError(
      "retentionCurves: missing: is for the long form, with the columns month, size and retained; " +
        `got ${form.values[0]}`,
    );
  }
  const stated = cohortDates(cohorts, since);
  if (form.long) monthsOfRows(cohorts);
  const amount = amountUnit(cohorts, form.size);
  if (amount === null) {
    refuseMonthsFromOne(cohorts, {
      sizes: form.size,
      names: form.long ? null : form.values,
      unit: given ?? (form.long ? "count" : undefined),
    });
  }
  const { frame, from } = form.long
    ? withAbsentRows(cohorts, { began: stated.began, missing, unit: given ?? "count" })
    : { frame: cohorts as DataFrame, from: [] };
  const dates = pl.concat([stated.dates, rowsAt(stated.dates, from)]);
  const began = Float64Array.from([...stated.began, ...from.map((row) => stated.began[row]!)]);
  const numbers = numbersOf(frame, form, { unit: given, confidence });
  const ages = form.long
    ? arraysIn(frame, ["month"]).month!
    : Float64Array.from(numbers.size, (_, row) => monthIn(form.values[row % form.values.length]!));
  if (amount !== null) {
    if (form.long) refuseOtherStart(frame, numbers, ages);
    notify("retentionCurves: amounts of one cohort have no bounds");
  }
  hideUnobserved(cohorts, numbers, { began, ages });
  const known = new Set([...COMPUTED, ...inputs]);
  const kept = cohorts.columns.filter((name) => !known.has(name));
  const taken = COMPUTED.filter((name) => !(form.long && LONG.includes(name)));
  refuseTaken(cohorts, taken, "retentionCurves");
  const named = pl.concat(
    [frame.select(...kept), dates],
    { how: "horizontal" },
  );
  const month = pl.DataFrame([pl.Series("month", form.values.map(monthIn), pl.Int64)]);
  const curves = pl.concat([
    form.long
      ? pl.concat([named, monthsOfRows(frame)], { how: "horizontal" })
      : named.join(month, { how: "cross" }),
    numberColumns({ ...numbers, confidence: numbers.size.map(() => confidence) }),
  ], { how: "horizontal" }).select(...kept, ...COMPUTED);
  return withProvenance(cohorts, curves, {
    fn: "retentionCurves",
    options,
    entity: entityIn(cohorts),
    of: [...form.values, form.size],
    first: ["retention", "lower", "upper", "size"],
    columns: computedColumns([
      ["time", "cohort_date"],
      ["months", "month", "tracked_months"],
      [amount === null ? "users over groups" : "field over groups", "size", "retained"],
      ["fraction", "retention", "lower", "upper", "confidence"],
      ["note", "left_truncated"],
    ], columnIn(cohorts, form.size)),
  });
}
