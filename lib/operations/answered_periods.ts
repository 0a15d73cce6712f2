import type { Warn } from "../platform/terminal.ts";
import type { Answer } from "../http/envelope.ts";
import { dateOfDay, dayOf, dayText, type Period } from "../schema/period.ts";
import { dateColumn, type Reject } from "../table/columns.ts";
import { type DataFrame, pl, type Series } from "../table/polars.ts";
import { listOfRows } from "../table/columns.ts";

/** A period, and what was answered about it. */
interface Told {
  readonly period: Period;
  readonly answer: Answer;
}

/** The last day that an answer knows of, and the first, where the service says. */
function known({ checked_at, data_through, data_since }: Answer): Period {
  return {
    start: data_since === null ? -Infinity : dayOf(data_since),
    // A day is over once the next has begun.
    end: data_through === null ? dayOf(checked_at) - 1 : dayOf(data_through),
  };
}

function isComplete({ period, answer }: Told): boolean {
  const { start, end } = known(answer);
  return period.start >= start && period.end <= end;
}

function isOutside({ period, answer: { checked_at, data_through, data_since } }: Told): boolean {
  const last = dayOf(data_through ?? checked_at);
  return period.start > last || (data_since !== null && period.end < dayOf(data_since));
}

/** Whether an item says anything: a number other than 0, which an empty period brings, too. */
function hasValues(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(hasValues);
  return typeof value === "number" && value !== 0;
}

function rowsOf(answer: Answer): readonly unknown[] {
  return listOfRows(answer.data()) ?? [];
}

function warnOfOutside(told: readonly Told[], warn: Warn): void {
  const outside = told.filter(isOutside).map(({ period }) => dayText(period.start));
  if (outside.length === 0) return;
  const days = outside.length < 4 ? outside.join(", ") : `${outside[0]} to ${outside.at(-1)}`;
  const lie = `${outside.length} of ${told.length} periods ${
    outside.length === 1 ? "lies" : "lie"
  }`;
  warn(`timeline: ${lie} wholly outside the data: ${days}`);
}

/** A service that takes no start and end answers every period alike. */
function warnOfAlike(told: readonly Told[], warn: Warn): void {
  const alike = Map.groupBy(told, ({ answer }) => answer.sha256);
  const [worst] = [...alike.values()].sort((a, b) => b.length - a.length)
    .filter((same) =>
      same.length > 2 && rowsOf(same[0]!.answer).some((row) => {
        const { metrics } = row as { metrics?: unknown };
        return hasValues(metrics);
      })
    );
  if (worst === undefined) return;
  const days = worst.slice(0, 3).map(({ period }) => dayText(period.start)).join(", ");
  warn(
    `timeline: ${worst.length} of ${told.length} periods brought the same bytes (${days}, …): the service may not obey start and end`,
  );
}

/** The columns that come before those of a breakdown: as many rows of each as its answer has. */
function periodColumns(told: readonly Told[]): Series[] {
  const rows = told.flatMap((each) => {
    const complete = isComplete(each);
    return rowsOf(each.answer).map(() => ({ ...each.period, complete }));
  });
  return [
    dateColumn("date", rows.map(({ start }) => dateOfDay(start))),
    dateColumn("until", rows.map(({ end }) => dateOfDay(end))),
    pl.Series("complete", rows.map(({ complete }) => complete), pl.Bool),
  ];
}

const ADDED = ["date", "until", "complete"];

/** The frame of a breakdown with the columns of its periods in front. */
export function withPeriods(frame: DataFrame, told: readonly Told[], reject: Reject): DataFrame {
  const taken = ADDED.find((name) => frame.columns.includes(name));
  if (taken !== undefined) {
    const expected = "no field of this name, since it is the period's";
    reject({ row: null, field: taken, expected, got: "a field of this name" });
  }
  return pl.DataFrame([...periodColumns(told), ...frame.getColumns()]);
}

/** Warns of periods outside the data, and of a service that seems to take no notice of periods. */
export function warnOfPeriods(told: readonly Told[], warn: Warn): void {
  warnOfOutside(told, warn);
  warnOfAlike(told, warn);
}
