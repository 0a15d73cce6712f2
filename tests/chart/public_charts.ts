import * as chainframe from "../../mod.ts";

/** The names of the public functions that draw charts, so that a new chart cannot miss a list of tests. */
export function publicCharts(): string[] {
  return Object.keys(chainframe).filter((name) => /^plot[A-Z]/.test(name)).toSorted();
}
