import { COMPARISON_FIELDS, type ComparisonField } from "../../schema/comparison_field.ts";
import { addDays, type Span } from "./span.ts";
import { dailyValues } from "./daily_values.ts";
import { GROUPINGS } from "./grouping.ts";
import { type Metric, METRIC_BY_ID, perUnit } from "./metric.ts";
import { trailingBounds } from "./trailing_bounds.ts";
import { windowValues } from "./window_values.ts";

/** The metric that each measure of the comparison is, for the chain as a whole. */
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

// Projects that somebody used within so many days are counted.
const PROJECT_COUNT_DAYS = 30;

function measured(): Metric[] {
  return Object.values(METRIC_OF_MEASURE).flatMap((id) =>
    id === null ? [] : METRIC_BY_ID.get(id) ?? []
  );
}

function fieldSql(field: ComparisonField, span: Span): string {
  const metric = METRIC_BY_ID.get(METRIC_OF_MEASURE[field.measure] ?? "");
  if (metric === undefined) return "coalesce(max(projects), 0)";
  const column = { name: metric.metric_id, kind: metric.kind, per: perUnit(metric) };
  return windowValues(column, trailingBounds(field.window ?? "1d", span))[field.statistic];
}

/** One row per chain with the 95 fields of INTERFACE 2.4; every window ends with the last day. */
export function blockchainComparison(span: Span): string {
  const daily = dailyValues(GROUPINGS.chains, measured(), {
    cells: "data.cell",
    entities: "data.chain",
  });
  const since = addDays(span.last_day, 1 - PROJECT_COUNT_DAYS);
  const fields = COMPARISON_FIELDS.map((field) => `${fieldSql(field, span)} AS ${field.name}`);
  return `
SELECT chain_id, max(chain_name) AS chain_name,
  ${fields.join(",\n  ")}
FROM data.chain
LEFT JOIN (
  SELECT data_id AS chain_id, day, ${measured().map(({ metric_id }) => metric_id).join(", ")}
  FROM (${daily}) AS daily
) AS days USING (chain_id)
LEFT JOIN (
  SELECT chain_id, count(DISTINCT project_id) AS projects
  FROM data.cell_daily JOIN data.cell USING (cell)
  WHERE day >= toDate('${since}') AND transaction_count > 0
  GROUP BY chain_id
) AS counted USING (chain_id)
GROUP BY chain_id
`;
}
