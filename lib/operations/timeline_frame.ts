import { type ApiResponse, mismatchError } from "../http/response.ts";
import type { Warn } from "../platform/terminal.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import { dateOfDay, dayOf, dayText, type Period } from "../schema/period.ts";
import { dateColumn } from "../table/columns/cell_values.ts";
import { columnsOf, computedColumns, setColumns } from "../table/track/descriptions.ts";
import { type DataFrame, type Frame, pl } from "../table/columns/polars.ts";
import { annotate, annotationOf } from "../table/track/provenance.ts";
import { track } from "../table/track/track.ts";
import { rowsIn } from "./fetch_frame.ts";

/** A period and the response to its request. */
interface Answered {
  readonly period: Period;
  readonly response: ApiResponse;
}

const rowsOf = (response: ApiResponse) => rowsIn(ENDPOINTS.metric_breakdown, response);

function isComplete({ period, response: { checked_at, data_through, data_since } }: Answered) {
  const since = data_since === null ? -Infinity : dayOf(data_since);
  // The day of the check was not over, so the last complete day is the day before.
  const over = dayOf(checked_at) - 1;
  const through = data_through === null ? over : dayOf(data_through);
  return period.start >= since && period.end <= through;
}

function isAfterData({ period, response: { checked_at, data_through } }: Answered) {
  return period.start > dayOf(data_through ?? checked_at);
}

/** If fewer periods have identical data, this can be chance. */
const FEWEST_ALIKE = 5;

/** Shows a warning if periods are after the data, or if the service seems to ignore the requested periods. */
export function warnOfPeriods(answered: readonly Answered[], warn: Warn): void {
  const of = `of ${answered.length} periods`;
  const after = answered.filter(isAfterData);
  if (after.length > 0) {
    const first = dayText(after[0]!.period.start);
    warn(`timeline: ${after.length} ${of} are after the data: ${first} and later`);
  }
  const alike = Map.groupBy(answered, ({ response }) => response.sha256);
  const worst = [...alike.values()].find((same) =>
    same.length >= FEWEST_ALIKE &&
    // Small numbers are often equal by chance.
    /[:[]-?[0.]*[1-9][\d.]*\d[\d.]*\d/.test(JSON.stringify(rowsOf(same[0]!.response)))
  );
  if (worst === undefined) return;
  const days = worst.slice(0, 3).map(({ period }) => dayText(period.start)).join(", ");
  warn(
    `timeline: ${worst.length} ${of} returned identical data (${days}, …): ` +
      "the service may ignore start and end",
  );
}

/**
 * Adds the columns `date`, `until` and `complete` before the columns of the breakdown.
 *
 * @throws {ResponseError} when the service sent a field named `date`, `until` or `complete`.
 */
export function addPeriods(frame: DataFrame, answered: readonly Answered[]): Frame {
  const taken = ["date", "until", "complete"].find((name) => frame.columns.includes(name));
  if (taken !== undefined) {
    const expected = "no field of this name, because it is a column of the period";
    const mismatch = { row: null, field: taken, expected, got: "a field of this name" };
    throw mismatchError(answered[0]!.response, mismatch);
  }
  const rows = answered.flatMap((each) => {
    const complete = isComplete(each);
    return rowsOf(each.response).map(() => ({ ...each.period, complete }));
  });
  const made = pl.DataFrame([
    dateColumn("date", rows.map(({ start }) => dateOfDay(start))),
    dateColumn("until", rows.map(({ end }) => dateOfDay(end))),
    pl.Series("complete", rows.map(({ complete }) => complete), pl.Bool),
    ...frame.getColumns(),
  ]);
  const columns = computedColumns([["time", "date", "until"], ["note", "complete"]]);
  return setColumns(
    track(annotate(made, annotationOf(frame)!)),
    new Map([...columns, ...columnsOf(frame)]),
  );
}
