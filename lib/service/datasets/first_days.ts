import { type Grouping, type Metric, METRICS } from "./metric.ts";

function since(metrics: readonly Metric[]): string {
  return metrics.map(({ metric_id }) =>
    `min(CASE WHEN ${metric_id} IS NOT NULL THEN day END) AS ${metric_id}`
  ).join(", ");
}

function kept(where: Metric["kept"], metrics: readonly Metric[] = METRICS): readonly Metric[] {
  return metrics.filter(({ kept }) => kept === where);
}

/**
 * Stores the first day of each metric of each cell (a product on a chain), project and chain, so that a request reads
 * only the days of its window.
 */
export const FIRST_DAYS = `
CREATE TABLE data.cell_first AS
  SELECT cell, ${kept("cell").map(({ metric_id }) => metric_id).join(", ")}, active_users
  FROM (SELECT cell, ${since(kept("cell"))} FROM data.cell_daily GROUP BY cell) AS flows
  LEFT JOIN (SELECT cell, min(day) AS active_users FROM data.user_set GROUP BY cell) AS users
    USING (cell)
  ORDER BY cell;
CREATE TABLE data.project_first AS
  SELECT project_id, ${since(kept("entity"))} FROM data.project_daily
  GROUP BY project_id ORDER BY project_id;
CREATE TABLE data.chain_first AS
  SELECT chain_id, ${since(kept("entity"))} FROM data.chain_daily
  GROUP BY chain_id ORDER BY chain_id;
`;

/**
 * Returns SQL of the first days of the metrics of each group, in columns `<metric>_since`. Each list element is the
 * SQL of one table.
 */
export function firstDays(metrics: readonly Metric[], entity: Grouping["entity"]): string[] {
  const part = (some: readonly Metric[], table: string, keys: string) => {
    const days = some.map(({ metric_id }) => `, min(${metric_id}) AS ${metric_id}_since`).join("");
    return some.length === 0
      ? []
      : [`SELECT group_no${days} FROM data.${table} JOIN ${keys} GROUP BY group_no`];
  };
  const ofCells = metrics.filter(({ kept }) => kept !== "entity");
  const wholes = entity === null ? [] : kept("entity", metrics);
  return [
    ...part(ofCells, "cell_first", "member USING (cell)"),
    ...part(wholes, `${entity}_first`, `whole USING (${entity}_id)`),
  ];
}
