import { dateOfDay, dayOf, type Every, periodAt } from "../../lib/schema/period.ts";
import { dateColumn, float64, utf8 } from "../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { described } from "../table/described.ts";

/** A row of a timeline, by a day of its period. */
export type TimelineRow = readonly [day: string, id: string, fees: number | null];

/** A frame as `timeline` returns it: the periods that begin on a day of `incomplete` are not whole. */
export function timelineFrame(
  every: Every,
  rows: readonly TimelineRow[],
  incomplete: readonly string[] = [],
): DataFrame {
  const periods = rows.map(([day]) => periodAt(dayOf(day), every));
  const frame = pl.DataFrame([
    dateColumn("date", periods.map(({ start }) => dateOfDay(start))),
    dateColumn("until", periods.map(({ end }) => dateOfDay(end))),
    pl.Series("complete", rows.map(([day]) => !incomplete.includes(day)), pl.Bool),
    utf8("data_id", rows.map(([, id]) => id)),
    utf8("chain_id", rows.map(() => null)),
    float64("fees_sum", rows.map(([, , fees]) => fees)),
  ]);
  return described(frame);
}
