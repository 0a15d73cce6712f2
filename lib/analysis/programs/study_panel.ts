import { integer, string } from "../../platform/check_options.ts";
import { dateOfDay } from "../../schema/period.ts";
import { dateColumn, utf8 } from "../../table/build/cell_values.ts";
import { OTHER, restOf } from "../../table/read/largest.ts";
import { panelOf, panelValues } from "../../table/read/panel.ts";
import { entityTexts } from "../../table/read/reading.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { columnNames, numbersOffered, requireColumns } from "../../table/read/requirements.ts";
import { trackedCohorts, WASHOUT } from "../retention/cohort_counts.ts";
import { inGroups, numberOfColumn, numbersIn } from "../columnar.ts";
import {
  observedMonths,
  refuseImpossibleRows,
  refusePooled,
  requireCohortDates,
  USERS,
} from "../retention/curve_table.ts";

/** The rules of the options that name the values of a study. */
export const STUDY_RULES = {
  field: string,
  entity: columnNames,
  date: string,
  month: integer(1, 1200),
};

/** The options that name the values of a study, and the calling function. */
interface StudyValues {
  readonly fn: string;
  readonly field?: string;
  readonly entity?: readonly string[];
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
    retained.sum().div(size.sum()).alias("retention"),
  ]).rename({ start: "date" });
}

/**
 * Reads the values of a study: those of `field`, or with `month` the retention of curves. `values` has, for each id, one
 * number for each date. NaN means null. `entity` is the column of ids of `frame`, which has the given rows.
 */
export function studyPanel(given: DataFrame, options: StudyValues) {
  const { fn, month, field = month === undefined ? undefined : "retention" } = options;
  if (field === undefined) {
    throw new RangeError(
      `${fn}: field: is required: the column of values${numbersOffered(given)}`,
    );
  }
  if (month !== undefined && field !== "retention") {
    throw new RangeError(
      `${fn}: field: must be retention with month; got ${JSON.stringify(field)}`,
    );
  }
  const { entity: [project = "project_id"] = [], date } = options;
  const panel = month === undefined
    ? panelOf(given, { fn, entity: options.entity, date })
    : panelOf(retentionByDate(given, { fn, entity: project, month }), { fn, entity: project });
  const source = "a frame of entities over time";
  requireColumns(panel.frame, { fn, source, numbers: [field] });
  const { keys, starts, ends, complete, entity: columns } = panel;
  if (columns.length === 0) {
    throw new RangeError(`${fn}: entity: must name the column of entities; the frame has none`);
  }
  const entity = columns.join(" · ");
  // The rest of topN is no entity: never a donor or a control.
  const hasRest = restOf(given) > 0;
  const kept = [...keys.keys()].filter((at) => !hasRest || !keys[at]!.startsWith(OTHER.id));
  const [values, periods] = [panelValues(panel, field), starts.length];
  return {
    ...{ field, entity, ids: kept.map((at) => keys[at]!) },
    frame: columns.length === 1
      ? given
      : given.withColumns(utf8(entity, entityTexts(given, { entity: columns }))),
    dates: Array.from(starts, (start, at) => (
      { start, end: ends[at]!, complete: complete[at] === 1 }
    )),
    values: kept.length === keys.length ? values : Float64Array.from(
      { length: kept.length * periods },
      (_, at) => values[kept[Math.floor(at / periods)]! * periods + at % periods]!,
    ),
  };
}

/** The values of a study. */
export type Study = ReturnType<typeof studyPanel>;
