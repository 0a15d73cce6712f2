import { WINDOWS } from "../../schema/vocabulary.ts";
import { COMPARISON_FIELDS, type ComparisonField } from "../../schema/comparison_fields.ts";
import {
  addDays,
  aggregateColumns,
  type Aggregates,
  segments,
  type Span,
  trailingBounds,
  windowValue,
} from "./window_value.ts";
import { dailyValues } from "./daily_values.ts";
import { dailyColumn, GROUPINGS, type Metric, METRIC_BY_ID } from "./metric.ts";

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

function fieldSql(field: ComparisonField, span: Span, into: Aggregates): string {
  const metric = METRIC_BY_ID.get(METRIC_OF_MEASURE[field.measure] ?? "");
  if (metric === undefined) return "coalesce(projects, 0)";
  const bounds = trailingBounds(field.window ?? "1d", span);
  return windowValue(field.statistic, dailyColumn(metric), bounds, into);
}

/** One row per chain with the 95 fields of INTERFACE 2.4; every window ends with the last day. */
export function blockchainComparison(span: Span): string {
  const daily = dailyValues(GROUPINGS.chains, measured(), {
    cells: "data.cell",
    wholeGroups: true,
    entities: "data.chain",
  });
  const since = addDays(span.last_day, 1 - PROJECT_COUNT_DAYS);
  const aggregates: Aggregates = new Map();
  const fields = COMPARISON_FIELDS.map((field) =>
    `${fieldSql(field, span, aggregates)} AS ${field.name}`
  );
  return `
SELECT chain_id, chain_name,
  ${fields.join(",\n  ")}
FROM data.chain
LEFT JOIN (
  SELECT data_id AS chain_id,
    ${aggregateColumns(aggregates)}
  FROM (${
    segments(
      daily,
      { keys: "data_id", columns: measured().map(({ metric_id }) => metric_id) },
      [...WINDOWS, "max" as const].map((window) => trailingBounds(window, span)),
    )
  }) AS segments
  GROUP BY data_id
) AS aggregates USING (chain_id)
LEFT JOIN (
  SELECT chain_id, count(DISTINCT project_id) AS projects
  FROM data.cell_daily JOIN data.cell USING (cell)
  WHERE day >= DATE '${since}' AND transaction_count > 0
  GROUP BY chain_id
) AS counted USING (chain_id)
`;
}
