import { type ApiResponse, mismatchError } from "../http/response.ts";
import type { Warn } from "../platform/terminal.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import { dateOfDay, dayOf, dayText, type Period } from "../schema/period.ts";
import { dateColumn } from "../table/build/cell_values.ts";
import { columnsOf, computedColumns, setColumns } from "../table/track/descriptions.ts";
import { type DataFrame, type Frame, pl } from "../table/build/polars.ts";
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

function isOutside({ period, response: { checked_at, data_through, data_since } }: Answered) {
  const last = dayOf(data_through ?? checked_at);
  return period.start > last || (data_since !== null && period.end < dayOf(data_since));
}

/** If fewer periods have identical data, this can be chance. */
const FEWEST_ALIKE = 5;

/** Returns whether a value contains a number of three digits or more. Small numbers are often equal by chance. */
function hasValues(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasValues);
  const digits = typeof value === "number" ? /^[\d.]*/.exec(`${Math.abs(value)}`)![0] : "";
  return digits.replace(/^[0.]+|\./g, "").length > 2;
}

/** Shows a warning if periods are outside the data, or if the service seems to ignore the requested periods. */
export function warnOfPeriods(answered: readonly Answered[], warn: Warn): void {
  const startsOf = (some: readonly Answered[]) => some.map(({ period }) => dayText(period.start));
  const of = `of ${answered.length} periods`;
  const outside = startsOf(answered.filter(isOutside));
  if (outside.length > 0) {
    const days = outside.length < 4 ? outside.join(", ") : `${outside[0]} to ${outside.at(-1)}`;
    const lie = outside.length === 1 ? "lies" : "lie";
    warn(`timeline: ${outside.length} ${of} ${lie} wholly outside the data: ${days}`);
  }
  const alike = Map.groupBy(answered, ({ response }) => response.sha256);
  const [worst] = [...alike.values()].sort((a, b) => b.length - a.length).filter((same) =>
    same.length >= FEWEST_ALIKE &&
    rowsOf(same[0]!.response).some((row) => hasValues((row as { metrics?: unknown }).metrics))
  );
  if (worst === undefined) return;
  const days = startsOf(worst.slice(0, 3)).join(", ");
  warn(
    `timeline: ${worst.length} ${of} returned identical data (${days}, …): the service may ignore start and end`,
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
