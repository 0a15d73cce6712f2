import { oneOf } from "../../platform/check_options.ts";
import { adds } from "./adds.ts";
import type { Panel } from "./panel.ts";

/** The rule of the option `per`. */
export const PER = oneOf(["period"]);

/**
 * Returns the columns of a panel to divide by the number of days of their periods, so that months of different length can
 * be compared: the columns that add up over days, as far as the frame knows, if the periods are months, quarters or years,
 * or have lengths that `until` states. With `per`, none.
 */
export function columnsPerDay(
  { frame, every, isKnown }: Panel,
  fields: readonly string[],
  per: "period" | undefined,
): readonly string[] {
  const isUnequal = isKnown && every !== "day" && every !== "week";
  return fields.filter((field) => isUnequal && per === undefined && adds(frame, field) === "both");
}
