import type { DataFrame, JsOf, Schema } from "./polars.ts";
import { requireColumns } from "./require_columns.ts";

/**
 * A row of a frame: a value or null for each of its columns.
 *
 * @category Frames
 */
export type RowOf<Columns extends Schema> = { [Name in keyof Columns]: JsOf<Columns[Name]> | null };

/**
 * The rows of a frame as plain objects, typed where its columns are known: texts, numbers and booleans as
 * such, dates and times as `Date`, lists as arrays, structs as objects, and null as null.
 *
 * Whole numbers beyond 2^53, which no JavaScript number holds, come as polars gives them.
 *
 * @example The cohorts of a project, one by one
 * ```ts
 * import { cohortAnalysis, rowsOf } from "@chainframe/chainframe";
 *
 * const cohorts = await cohortAnalysis({ project_ids: ["tidewater"] });
 * for (const { cohort, initial_cohort_size } of rowsOf(cohorts)) {
 *   console.log(cohort, initial_cohort_size?.toLocaleString("en-US") ?? "not known");
 * }
 * ```
 *
 * @throws {RangeError} for what is no frame, such as one that was not awaited.
 * @category Frames
 */
export function rowsOf<Columns extends Schema>(frame: DataFrame<Columns>): RowOf<Columns>[] {
  requireColumns(frame, { asker: "rowsOf", source: "a frame" });
  return frame.toRecords() as RowOf<Columns>[];
}
