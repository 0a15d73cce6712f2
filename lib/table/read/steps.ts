import { dayText, everyOf } from "../../schema/period.ts";
import { dtypeNames } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import type { Panel } from "./panel.ts";
import { spacingOf } from "./spacing.ts";
import { timesIn } from "./times.ts";

/** Returns whether some days are the labels of periods that directly follow each other. */
function areSuccessive(days: Float64Array, count: number): boolean {
  const known = [...new Set(days)].sort((a, b) => a - b);
  const { every, periodOf } = spacingOf(known);
  return every !== null && every !== "day" && known.length === count &&
    known.every((day, at) => at === 0 || periodOf(known[at - 1]!).end + 1 === periodOf(day).start);
}

/** Returns the line that makes first days of successive periods of a column of dates. It is tried on the column. */
function truncation(frame: DataFrame, date: string, count: number): string | undefined {
  if (!dtypeNames(frame)[frame.columns.indexOf(date)]!.startsWith("Date")) return undefined;
  const length = (["1y", "1q", "1mo", "1w"] as const).find((length) => {
    const made = pl.DataFrame([frame.getColumn(date)]).select(pl.col(date).dt.truncate(length));
    return areSuccessive(timesIn(made, date).days, count);
  });
  const column = `pl.col(${JSON.stringify(date)})`;
  return length && `frame.withColumns(${column}.dt.truncate("${length}"))`;
}

/**
 * Throws a RangeError if it is not known which period precedes another one: the dates of a panel lie at nearly equal
 * distances, but are neither first nor last days of periods, or its periods have several lengths of the calendar. With
 * `until`, periods can have any length.
 */
export function requireSteps({ fn, frame, date, starts, ends, every, isKnown }: Panel): void {
  if (!isKnown) {
    const line = truncation(frame, date, starts.length);
    throw new RangeError(
      `${fn}: ${date}: ${dayText(starts[0]!)} and ${
        dayText(starts[1]!)
      } are neither first nor last ` +
        "days of periods; add a column until, the last day of each period" +
        (line === undefined ? "" : `, or write ${line}`),
    );
  }
  if (every !== null) return;
  const lengths = new Set(Array.from(starts, (start, at) => everyOf({ start, end: ends[at]! })));
  if (lengths.has(null) || lengths.size < 2) return;
  throw new RangeError(
    `${fn}: ${date}, until: expected days, weeks, months, quarters or years of one length; got ` +
      [...lengths].join(", "),
  );
}
