import { float64 } from "../../lib/table/columns.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { utf8 } from "../../lib/table/columns.ts";

/** One cohort of a test: months that are not given are null. */
export interface Cohort {
  readonly project?: string;
  readonly sector?: string;
  readonly cohort?: string | null;
  readonly size: number | null;
  readonly months: readonly (number | null)[];
}

/** A frame as `cohortAnalysis` gives it. */
export function cohortFrame(cohorts: readonly Cohort[]): DataFrame {
  const text = (name: string, value: (cohort: Cohort) => string | null) =>
    utf8(name, cohorts.map(value));
  return pl.DataFrame([
    text("project_name", ({ project = "alder-swap" }) => `The ${project}`),
    text("project_id", ({ project = "alder-swap" }) => project),
    text("market_sector_id", ({ sector = "exchanges" }) => sector),
    text("market_sector_name", ({ sector = "exchanges" }) => `The ${sector}`),
    text("cohort", ({ cohort = "2025-01" }) => cohort),
    float64("initial_cohort_size", cohorts.map(({ size }) => size)),
    ...Array.from(
      { length: 12 },
      (_, month) => float64(`month_${month}`, cohorts.map(({ months }) => months[month] ?? null)),
    ),
  ]);
}
