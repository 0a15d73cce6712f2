import type { Rule } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { momentNamed } from "../schema/period.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import type { Note } from "./words.ts";

/**
 * The option of charts over dates that marks events.
 *
 * @category Charts
 */
export interface EventOptions {
  /**
   * Events that vertical lines mark: a list such as `[{ date: "2025-03-01", label: "fork" }]`, or a frame with the
   * columns `date` and `label`.
   * @default {none}
   */
  readonly events?: readonly { readonly date: string | Date; readonly label: string }[] | DataFrame;
}

/** An event: its time in milliseconds, and its name. */
export interface EventLine {
  readonly x: number;
  readonly label: string;
}

/** Accepts a list of events, or a frame with the columns `date` and `label`. */
export const someEvents: Rule<EventLine[]> = (value, refuse) => {
  const rows = pl.DataFrame.isDataFrame(value) ? value.toRecords() : value;
  if (!Array.isArray(rows)) refuse("must list events, each { date, label }");
  return (rows as ({ date?: unknown; label?: unknown } | null)[]).map((row, at) => {
    const date = momentNamed(row?.date, "start");
    if (date !== null && typeof row?.label === "string") {
      return { x: date.getTime(), label: row.label };
    }
    const wrong = date === null
      ? `date: must be a day, such as "2025-03-01"; element ${at} has ${shown(row?.date)}`
      : `label: must be a text; element ${at} has ${shown(row?.label)}`;
    return refuse(`must list events, each { date: "2025-03-01", label: "fork" }; ${wrong}`);
  });
};

/** Returns the events between the first and the last drawn date, in order, and a note on the others. */
export function drawnEvents(
  events: readonly EventLine[] = [],
  [low, high]: readonly [number, number],
): { readonly rules: readonly EventLine[]; readonly note: Note } {
  const rules = events.filter(({ x }) => x >= low && x <= high).toSorted((a, b) => a.x - b.x);
  const outside = events.length - rules.length;
  return { rules, note: outside > 0 && `Events outside the drawn dates: ${outside}.` };
}
