import { integer, string } from "../../platform/check_options.ts";
import { dateOfDay, periodAt } from "../../schema/period.ts";
import { dateColumn, utf8 } from "../../table/columns/cell_values.ts";
import { OTHER, restOf } from "../../table/read/largest.ts";
import { type Panel, panelOf, panelValues } from "../../table/read/panel.ts";
import { noteWeekday } from "../../table/read/periods.ts";
import { entityTexts, readingOf } from "../../table/read/reading.ts";
import { noteTotal, numberingOf } from "../../table/read/totals.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { columnNames, requireColumns } from "../../table/read/requirements.ts";
import { trackedCohorts, WASHOUT } from "../retention/cohort_counts.ts";
import { arraysIn, inGroups, numberOfColumn } from "../columnar.ts";
import {
  monthAfter,
  refuseImpossibleRows,
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

/**
 * Returns, for each entity and date, the retention in the given month after first use. The date is the calendar month
 * in which this retention was observed.
 */
function retentionByDate(
  frame: DataFrame,
  { fn, entity: named, month }: {
    readonly fn: string;
    readonly entity: readonly string[] | undefined;
    readonly month: number;
  },
): Panel {
  requireColumns(frame, {
    fn,
    source: "a frame of retentionCurves",
    columns: ["cohort_date"],
    numbers: USERS,
  });
  const { entity } = readingOf(frame, { fn, entity: named });
  requireCohortDates(frame, fn);
  refuseImpossibleRows(frame, fn);
  const [size, retained] = [numberOfColumn("size"), numberOfColumn("retained")];
  const curves = trackedCohorts(frame, WASHOUT).filter(
    pl.col("month").eq(month).and(size.gt(0)).and(retained.isNotNull())
      .and(pl.col("cohort_date").isNotNull()),
  );
  const { day } = arraysIn(curves.select(pl.col("cohort_date").cast(pl.Date).alias("day")), [
    "day",
  ]);
  const months = Array.from(day, (each) => monthAfter(each, month));
  const dates = dateColumn("date", months.map(dateOfDay));
  // Every third month would be a quarter.
  const ends = dateColumn("until", months.map((each) => dateOfDay(periodAt(each, "month").end)));
  const rows = inGroups(curves.withColumns(dates, ends), [...entity, "date"], [
    pl.col("until").first(),
    retained.sum().div(size.sum()).alias("retention"),
  ]);
  return panelOf(rows, { fn, entity });
}

/**
 * Reads the values of a study: those of `field`, or with `month` the retention of curves. `values` has, for each id, one
 * number for each complete period. NaN means null. `place` counts all periods. `entity` is the column of ids of `frame`,
 * which has the given rows.
 */
export function studyPanel(
  given: DataFrame,
  fn: string,
  { month, field = month === undefined ? undefined : "retention", entity, date }: {
    readonly [Name in keyof typeof STUDY_RULES]?: ReturnType<typeof STUDY_RULES[Name]>;
  },
) {
  if (field === undefined) {
    throw new RangeError(
      `${fn}: field: is required: the column of values`,
    );
  }
  const panel = month === undefined
    ? panelOf(given, { fn, entity, date })
    : retentionByDate(given, { fn, entity, month });
  noteWeekday(panel.weekday, fn);
  const source = "a frame of entities over time";
  requireColumns(panel.frame, { fn, source, numbers: [field] });
  const { keys, starts, ends, complete, entity: columns } = panel;
  if (columns.length === 0) {
    throw new RangeError(`${fn}: entity: must name the column of entities; the frame has none`);
  }
  if (month === undefined) noteTotal(given, { fn, field, reading: numberingOf(panel) });
  const column = columns.join(" · ");
  // The rest of topN is no entity: never a donor or a control.
  const hasRest = restOf(given) > 0;
  const kept = [...keys.keys()].filter((at) => !hasRest || !keys[at]!.startsWith(OTHER.id));
  const places = [...starts.keys()].filter((place) => complete[place] === 1);
  const values = panelValues(panel, field);
  return {
    field,
    entity: column,
    ids: kept.map((at) => keys[at]!),
    frame: given.withColumns(utf8(column, entityTexts(given, { entity: columns }))),
    dates: places.map((place) => ({ place, start: starts[place]!, end: ends[place]! })),
    values: Float64Array.from(
      kept.flatMap((at) => places.map((place) => values[at * starts.length + place]!)),
    ),
  };
}

/** The values of a study. */
export type Study = ReturnType<typeof studyPanel>;
