/** The six operations of the service, by the last segment of the path that names them. */
export const OPERATIONS = [
  "metric_breakdown",
  "metric_aggregations",
  "blockchain_comparison",
  "project_contracts",
  "cohort_analysis",
  "project",
] as const;

/** The name of an operation. */
export type Operation = typeof OPERATIONS[number];
