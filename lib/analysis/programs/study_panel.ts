import { integer, string } from "../../platform/check_options.ts";
import { dateOfDay, dayText } from "../../schema/period.ts";
import { dateColumn } from "../../table/build/columns.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { numbersOffered, requireColumns } from "../../table/read/require_columns.ts";
import { trackedCohorts, WASHOUT } from "../retention/cohort_counts.ts";
import { arraysIn, inGroups, numberOfColumn, numbersIn } from "../columns.ts";
import {
  observedMonths,
  refuseImpossibleRows,
  refusePooled,
  requireCohortDates,
  USERS,
} from "../retention/curve_table.ts";
import { entityPanel, PANEL_RULES } from "../entity_panel.ts";

/** Squares of larger numbers could overflow. */
const LARGEST = 1e150;

/** The rules of the options that name the values of a study. */
export const STUDY_RULES = { field: string, ...PANEL_RULES, month: integer(1, 1200) };

/** The options that name the values of a study, and the calling function. */
interface StudyValues {
  readonly fn: string;
  readonly field?: string;
  readonly entity?: string;
  readonly date?: string;
  readonly month?: number;
}

/**
 * Returns, for each entity and date, the retention in the given month after first use. The date is the calendar month
 * in which this retention was observed.
 */
function retentionByDate(
  frame: DataFrame,
  { fn, entity, month }: { fn: string; entity: string; month: number },
): DataFrame {
  refusePooled(frame, fn);
  requireColumns(frame, {
    fn,
    source: "a frame of retentionCurves",
    columns: [entity, "cohort_date"],
    numbers: USERS,
  });
  requireCohortDates(frame, fn);
  refuseImpossibleRows(frame, numbersIn(frame, USERS), fn);
  const [size, retained] = [numberOfColumn("size"), numberOfColumn("retained")];
  const curves = trackedCohorts(frame, WASHOUT).filter(
    pl.col("month").eq(month).and(size.gt(0)).and(retained.isNotNull())
      .and(pl.col(entity).isNotNull()).and(pl.col("cohort_date").isNotNull()),
  );
  const seen = observedMonths(curves);
  const dates = (["start", "end"] as const).map((side) =>
    dateColumn(side, seen.map((period) => dateOfDay(period![side])))
  );
  return inGroups(curves.withColumns(...dates), [entity, "start"], [
    pl.col("end").first().alias("until"),
    size.sum(),
    retained.sum(),
    retained.sum().div(size.sum()).alias("retention"),
  ]).rename({ start: "date" });
}

/**
 * Reads the values of a study: those of `field`, or with `month` the retention of curves. `numbers` has, for each date,
 * one number for each id. The numbers of curves also have `size` and `retained`. NaN means null.
 */
export function studyPanel(frame: DataFrame, values: StudyValues) {
  const { fn, month, field = month === undefined ? undefined : "retention" } = values;
  if (field === undefined) {
    throw new RangeError(
      `${fn}: field: is required: the column of values${numbersOffered(frame)}`,
    );
  }
  if (month !== undefined && field !== "retention") {
    throw new RangeError(
      `${fn}: field: must be retention with month; got ${JSON.stringify(field)}`,
    );
  }
  const fields = month === undefined ? [field] : [field, "size", "retained"];
  const { entity: project = "project_id" } = values;
  const { entity, count, rows } = month === undefined
    ? entityPanel(frame, { ...values, fields })
    : entityPanel(retentionByDate(frame, { fn, entity: project, month }), {
      fn,
      fields,
      entity: project,
    });
  const ids = rows.head(count).getColumn(entity).toArray() as string[];
  const { date, "(end)": end, "(complete)": whole, ...numbers } = arraysIn(
    rows,
    ["date", "(end)", "(complete)", ...fields],
  ) as Record<string, Float64Array>;
  const dates = Array.from({ length: count === 0 ? 0 : rows.height / count }, (_, at) => {
    const row = at * count;
    return { start: date![row]!, end: end![row]!, complete: whole![row] === 1 };
  });
  const wild = numbers[field]!.findIndex((value) => Math.abs(value) > LARGEST);
  if (wild >= 0) {
    throw new RangeError(
      `${fn}: ${field}: needs numbers of at most ${LARGEST}; got ${numbers[field]![wild]} for ` +
        `${ids[wild % count]} on ${dayText(dates[Math.floor(wild / count)]!.start)}`,
    );
  }
  return { field, entity, ids, dates, numbers };
}

/** The values of a study. */
export type Study = ReturnType<typeof studyPanel>;
