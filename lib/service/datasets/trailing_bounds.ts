import { addDays, daysBetween, type Span } from "./span.ts";
import type { Window } from "../../schema/window.ts";
import type { WindowBounds } from "./window_value.ts";

function literal(day: string): string {
  return `toDate('${day}')`;
}

/** The bounds of a window that ends with the last day of the data; `max` begins with the first. */
export function trailingBounds(window: Window | "max", span: Span): WindowBounds {
  const { first_day, last_day } = span;
  const days = window === "max" ? daysBetween(first_day, last_day) : Number.parseInt(window);
  return {
    label: window === "max" ? "max" : `${days}d`,
    start: literal(addDays(last_day, 1 - days)),
    end: literal(last_day),
    before: literal(addDays(last_day, 1 - 2 * days)),
    base: literal(addDays(last_day, -days)),
  };
}
