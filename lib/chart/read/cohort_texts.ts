import type { DataFrame } from "../../table/polars.ts";
import { formatMonth } from "../text/format_month.ts";
import { textValues } from "./text_values.ts";

/** The cohort of each row: as a month where it names one, else as it came. */
export function cohortTexts(frame: DataFrame): (string | null)[] {
  const texts = textValues(frame, "cohort");
  if (!frame.columns.includes("cohort_date")) return texts;
  const dates = textValues(frame, "cohort_date");
  return texts.map((text, row) => {
    const date = dates[row];
    return date === null || date === undefined ? text : formatMonth(new Date(date));
  });
}
