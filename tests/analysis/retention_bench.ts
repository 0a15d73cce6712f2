import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { retentionCurves } from "../../lib/analysis/retention_curves.ts";
import type { Cohort } from "./cohort_frame.ts";
import { cohortFrame } from "./cohort_frame.ts";

/** Cohorts of 500 projects and 12 sectors, younger ones seen for fewer months. */
function cohorts(count: number): Cohort[] {
  return Array.from({ length: count }, (_, index) => ({
    project: `project-${index % 500}`,
    sector: `sector-${index % 12}`,
    cohort: `${2010 + index % 15}-${String(1 + index % 12).padStart(2, "0")}`,
    size: index % 1000,
    months: Array.from({ length: 12 - index % 9 }, (_, month) => 1 / (1 + month)),
  }));
}

const few = cohortFrame(cohorts(1_000));
const many = cohortFrame(cohorts(100_000));

Deno.bench(
  "1 000 cohorts: curves, pooled by project",
  { group: "retention", baseline: true },
  () => {
    pooledRetention(retentionCurves(few), { by: "project_id" });
  },
);

Deno.bench("100 000 cohorts: curves, pooled by sector over their projects", () => {
  pooledRetention(retentionCurves(many), { by: "market_sector_id" });
});

// Vectorized, a hundred times the rows takes less than a hundred times as long.
Deno.bench("100 000 cohorts: curves, pooled by project", { group: "retention" }, () => {
  pooledRetention(retentionCurves(many), { by: "project_id" });
});
