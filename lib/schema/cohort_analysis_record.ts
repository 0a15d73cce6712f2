import type { Field } from "./field.ts";

/** The names of the fields of a cohort analysis record, in the order of INTERFACE 2.6. */
export const COHORT_ANALYSIS_FIELDS = [
  "project_name",
  "project_id",
  "market_sector_id",
  "market_sector_name",
  "cohort",
  "initial_cohort_size",
  "month_0",
  "month_1",
  "month_2",
  "month_3",
  "month_4",
  "month_5",
  "month_6",
  "month_7",
  "month_8",
  "month_9",
  "month_10",
  "month_11",
] as const;

/** The name of a field of a cohort analysis record. */
export type CohortAnalysisField = typeof COHORT_ANALYSIS_FIELDS[number];

const FIRST_NUMBER = COHORT_ANALYSIS_FIELDS.indexOf("initial_cohort_size");

/** The fields of a cohort analysis record: 5 String and 13 Float64. */
export const COHORT_ANALYSIS_RECORD: readonly Field<CohortAnalysisField>[] = COHORT_ANALYSIS_FIELDS
  .map((name, index) => ({ name, dtype: index < FIRST_NUMBER ? "String" : "Float64" }));
