import { COHORT_MONTHS } from "../../schema/vocabulary.ts";
import { addDays, type Span } from "./window_value.ts";

// The month of the last day counts as over when the day after it is in another month.
function lastWholeMonth({ last_day }: Span): number {
  const [year, month] = addDays(last_day, 1).split("-").map(Number) as [number, number];
  return year * 12 + month - 1;
}

/**
 * Retention by month of first use. The users of a project who were first seen in a month are a
 * cohort; month k is the share of them seen again k months later, null where that month is not over.
 */
export function cohortAnalysis(span: Span): string {
  const months = COHORT_MONTHS.map((k) =>
    `CASE WHEN first_month + ${k} <= ${
      lastWholeMonth(span)
    } THEN seen_${k} / users END AS month_${k}`
  );
  const seen = COHORT_MONTHS.map((k) =>
    `sum(CASE WHEN has(seen, seen[1] + ${k}) THEN 1 ELSE 0 END) AS seen_${k}`
  );
  return `
SELECT project_name, project_id, market_sector_id, market_sector_name,
  concat(toString(intDiv(first_month - 1, 12)),
    CASE WHEN (first_month - 1) % 12 < 9 THEN '-0' ELSE '-' END,
    toString((first_month - 1) % 12 + 1)) AS cohort,
  users AS initial_cohort_size,
  ${months.join(",\n  ")}
FROM (
  SELECT project_id, seen[1] AS first_month, count(*) AS users,
    ${seen.join(",\n    ")}
  FROM (
    SELECT project_id, user_id, arraySort(groupUniqArray(month)) AS seen
    FROM (
      SELECT project_id, user_id, toRelativeMonthNum(day) AS month
      FROM facts.activity JOIN work.contract USING (contract_no)
    ) AS used
    GROUP BY project_id, user_id
  ) AS users_seen
  GROUP BY project_id, seen[1]
) AS cohorts
JOIN work.project_named USING (project_id)
`;
}
