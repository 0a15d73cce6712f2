import type { DailySources } from "./daily_values.ts";
import { groupingKeys } from "./group_users.ts";
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
 * Keeps the first day of each metric of each cell, project and chain, so that a question about a
 * window reads the days of the window alone.
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

function part(
  grouping: Grouping,
  metrics: readonly Metric[],
  { id, table, from }: { readonly id: string; readonly table: string; readonly from: string },
): string {
  const days = metrics.map(({ metric_id }) => `, min(${metric_id}) AS ${metric_id}_since`);
  const first = metrics.map(({ metric_id }) => `, ${metric_id}`).join("");
  return `SELECT data_id, chain_id, product_id${days.join("")}
    FROM (SELECT ${id} AS thing${first} FROM ${table}) AS first_days
      JOIN (SELECT ${id} AS thing, ${groupingKeys(grouping)} FROM ${from} AS things) AS keys
      USING (thing)
    GROUP BY data_id, chain_id, product_id`;
}

/** SQL of the day since when each metric of each group is known, in columns `<metric>_since`. */
export function firstDays(
  grouping: Grouping,
  metrics: readonly Metric[],
  { cells, entities }: Pick<DailySources, "cells" | "entities">,
): string {
  const { entity } = grouping;
  const parts: string[] = [];
  const ofCells = metrics.filter(({ kept }) => kept !== "entity");
  parts.push(part(grouping, ofCells, { id: "cell", table: "data.cell_first", from: cells }));
  const whole = kept("entity", metrics);
  if (entity !== null && entities !== null && whole.length > 0) {
    const table = `data.${entity}_first`;
    parts.push(part(grouping, whole, { id: `${entity}_id`, table, from: entities }));
  }
  return parts.join("\n    UNION ALL BY NAME ");
}
