import { oneOf } from "../../platform/check_options.ts";
import { adds } from "./adds.ts";
import type { Panel } from "./panel.ts";

/** The rule of the option `per`. */
export const PER = oneOf(["day", "period"]);
export type Per = "day" | "period";

/**
 * Returns the columns of a panel to divide by the number of days of their periods, so that months of different length can
 * be compared.
 *
 * Without the option `per`, these are the columns that add up over days, as far as the frame knows, if the periods are
 * months, quarters or years. `"day"` also selects columns of which the frame does not know whether they add up.
 * `"period"` selects none.
 */
export function columnsPerDay(
  { fn, frame, every }: Panel,
  fields: readonly string[],
  per: Per | undefined,
): readonly string[] {
  if (per === "period") return [];
  if (per === undefined) {
    const isUnequal = every !== null && every !== "day" && every !== "week";
    return fields.filter((field) => isUnequal && adds(frame, field) === "both");
  }
  const wrong = fields.find((field) => ["groups", "none"].includes(adds(frame, field) ?? ""));
  if (wrong !== undefined) {
    throw new RangeError(`${fn}: per: only sums add over days; got the column ${wrong}`);
  }
  return fields;
}
