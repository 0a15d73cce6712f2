import { COMPARISON_FIELDS, type ComparisonField } from "../../schema/comparison_fields.ts";
import { groupValues } from "./group_values.ts";
import { type Metric, METRIC_BY_ID } from "./metric.ts";
import { addDays, type Span, trailingBounds } from "./window_value.ts";

// Returns the metric from which a field is computed; undefined for the number of projects, which is not a metric.
function metricOf({ measure }: ComparisonField): Metric | undefined {
  return METRIC_BY_ID.get(measure.replace(/^ecosystem_|_daily$/g, ""));
}

// The number of projects includes each project that has a transaction within this number of days.
const PROJECT_COUNT_DAYS = 30;

/** Returns SQL with one row per chain: the 95 fields of INTERFACE 2.4. Every window ends with the last day. */
export function blockchainComparison(span: Span): string {
  const since = addDays(span.last_day, 1 - PROJECT_COUNT_DAYS);
  const columns = COMPARISON_FIELDS.flatMap((field) => {
    const { name, statistic, window } = field;
    const metric = metricOf(field);
    const bounds = trailingBounds(window ?? "1d", span);
    return metric === undefined ? [] : [{ name, metric, statistic, bounds }];
  });
  const fields = COMPARISON_FIELDS.map((field) =>
    metricOf(field) === undefined ? `coalesce(projects, 0) AS ${field.name}` : field.name
  );
  return `
SELECT chain_id, chain_name,
  ${fields.join(",\n  ")}
FROM data.chain
JOIN (
  SELECT * EXCLUDE (data_id, product_id)
  FROM (${groupValues({ group_by: "chains" }, columns)}) AS figures
) AS figures USING (chain_id)
LEFT JOIN (
  SELECT chain_id, count(DISTINCT project_id) AS projects
  FROM data.cell_daily JOIN data.cell USING (cell)
  WHERE day >= DATE '${since}' AND transaction_count > 0
  GROUP BY chain_id
) AS counted USING (chain_id)
`;
}
