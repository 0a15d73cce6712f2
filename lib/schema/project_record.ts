import type { Field } from "./field.ts";

/** The name of a field of a project record. */
export type ProjectField =
  | "name"
  | "project_id"
  | "symbol"
  | "description"
  | "market_sectors"
  | "chains"
  | "links"
  | "aggregate_by_options"
  | "metric_availability"
  | "metric_definitions"
  | "metric_sources";

/** The fields of a project record (INTERFACE 2.7). */
export const PROJECT_RECORD: readonly Field<ProjectField>[] = [
  { name: "name", dtype: "String" },
  { name: "project_id", dtype: "String" },
  { name: "symbol", dtype: "String" },
  { name: "description", dtype: "Json" },
  { name: "market_sectors", dtype: "Json" },
  { name: "chains", dtype: "List(String)" },
  { name: "links", dtype: { struct: ["summary", "url"] } },
  { name: "aggregate_by_options", dtype: "TextOrJson" },
  { name: "metric_availability", dtype: "TextOrJson" },
  { name: "metric_definitions", dtype: { struct: ["metric_id", "definition"] } },
  { name: "metric_sources", dtype: { struct: ["metric_id", "definition"] } },
];
