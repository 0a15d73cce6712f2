import { COHORT_MONTHS, type CohortMonth } from "./cohort_month.ts";
import type { Field } from "./field.ts";

const IDENTITY = [
  "project_name",
  "project_id",
  "market_sector_id",
  "market_sector_name",
  "cohort",
] as const;

/** The name of a field of a cohort analysis record. */
export type CohortAnalysisField =
  | typeof IDENTITY[number]
  | "initial_cohort_size"
  | `month_${CohortMonth}`;

/** The fields of a cohort analysis record (INTERFACE 2.6): 5 String and 13 Float64. */
export const COHORT_ANALYSIS_RECORD: readonly Field<CohortAnalysisField>[] = [
  ...IDENTITY.map((name) => ({ name, dtype: "String" as const })),
  { name: "initial_cohort_size", dtype: "Float64" },
  ...COHORT_MONTHS.map((month) => ({ name: `month_${month}` as const, dtype: "Float64" as const })),
];
