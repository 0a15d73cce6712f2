import { COHORT_MONTHS } from "../../schema/vocabulary.ts";
import { addDays, type Span } from "./window_value.ts";

// Returns the last complete month, counted from year 0. The month of the last day is complete if the next day is in
// another month.
function lastWholeMonth({ last_day }: Span): number {
  const [year, month] = addDays(last_day, 1).split("-").map(Number) as [number, number];
  return year * 12 + month - 1;
}

/**
 * Returns SQL of the retention of each cohort.
 *
 * A cohort is the users of a project who were first active in the same month. `month_k` is the fraction of the cohort
 * that was active k months later. It is null if that later month is not complete.
 */
export function cohortAnalysis(span: Span): string {
  const months = COHORT_MONTHS.map((k) =>
    `CASE WHEN first_month + ${k} <= ${
      lastWholeMonth(span)
    } THEN seen_${k} / users END AS month_${k}`
  );
  return `
SELECT project_name, project_id, market_sector_id, market_sector_name,
  printf('%04d-%02d', (first_month - 1) // 12, (first_month - 1) % 12 + 1) AS cohort,
  users AS initial_cohort_size,
  ${months.join(",\n  ")}
FROM work.cohort_count
JOIN work.project_named USING (project_id)
`;
}
