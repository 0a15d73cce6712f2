import { COMPARISON_FIELDS, type ComparisonField } from "../../schema/comparison_fields.ts";
import { groupValues } from "./group_values.ts";
import { METRIC_BY_ID } from "./metric.ts";
import { addDays, type Span, trailingBounds } from "./window_value.ts";

/** The metric of each measure for the whole chain; null for the number of projects, which is not a metric. */
const METRIC_OF_MEASURE: Readonly<Record<ComparisonField["measure"], string | null>> = {
  market_cap_fd: "market_cap_fd",
  market_cap_circ: "market_cap_circ",
  active_users_daily: "active_users",
  core_developers: "core_developers",
  ecosystem_tvl: "tvl",
  ecosystem_active_loans: "active_loans",
  transaction_count: "transaction_count",
  ecosystem_fees: "fees",
  ecosystem_revenue: "revenue",
  ecosystem_dex_trading_volume: "dex_trading_volume",
  ecosystem_project_count: null,
};

// Number of days in which a project must have a transaction to be counted.
const PROJECT_COUNT_DAYS = 30;

/** Builds one row per chain with the 95 fields of INTERFACE 2.4. Every window ends with the last day. */
export function blockchainComparison(span: Span): string {
  const since = addDays(span.last_day, 1 - PROJECT_COUNT_DAYS);
  const columns = COMPARISON_FIELDS.flatMap(({ name, measure, statistic, window }) => {
    const metric = METRIC_BY_ID.get(METRIC_OF_MEASURE[measure] ?? "");
    const bounds = trailingBounds(window ?? "1d", span);
    return metric === undefined ? [] : [{ name, metric, statistic, bounds }];
  });
  const fields = COMPARISON_FIELDS.map(({ name, measure }) =>
    METRIC_OF_MEASURE[measure] === null ? `coalesce(projects, 0) AS ${name}` : name
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
