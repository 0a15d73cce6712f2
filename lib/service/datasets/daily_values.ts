import { groupingKeys, usersOfGroups, usersOfSets } from "./group_users.ts";
import { dailyType, ENTITY_METRICS, type Grouping, type Metric } from "./metric.ts";

/** What of the data the daily values are made from: SQL of tables that are filtered or not. */
export interface DailySources {
  /** Rows of `data.cell`. */
  readonly cells: string;
  /** Rows of `data.project` or `data.chain`; null when the filters leave no whole things. */
  readonly entities: string | null;
  /** Whether a group that has one of the cells has all of its cells among them. */
  readonly wholeGroups: boolean;
  /**
   * A condition on `day`.
   * @default every day
   */
  readonly during?: string;
}

function columns(metrics: readonly Metric[], kept: Metric["kept"], total?: string): string {
  return metrics.map((metric) =>
    `, ${
      metric.kept === kept
        ? total ?? `sum(${metric.metric_id})`
        : `CAST(NULL AS ${dailyType(metric)})`
    } AS ${metric.metric_id}`
  ).join("");
}

function cellPart(
  grouping: Grouping,
  metrics: readonly Metric[],
  { cells, during = "true" }: DailySources,
): string {
  return `SELECT data_id, chain_id, product_id, day${columns(metrics, "cell")}
    FROM data.cell_daily JOIN (SELECT cell, ${
    groupingKeys(grouping)
  } FROM ${cells} AS cells) AS keys
      USING (cell)
    WHERE ${during}
    GROUP BY data_id, chain_id, product_id, day`;
}

function userPart(
  grouping: Grouping,
  metrics: readonly Metric[],
  { cells, wholeGroups, during = "true" }: DailySources,
): string {
  const users = wholeGroups ? usersOfGroups : usersOfSets;
  return `SELECT data_id, chain_id, product_id, day${columns(metrics, "user_set", "users")}
    FROM (${users(grouping, cells, during)}) AS users`;
}

function entityPart(
  grouping: Grouping,
  metrics: readonly Metric[],
  { entities, during = "true" }: DailySources,
): string {
  const id = `${grouping.entity}_id`;
  const kept = ENTITY_METRICS.map(({ metric_id }) => metric_id).join(", ");
  return `SELECT data_id, chain_id, product_id, day${columns(metrics, "entity")}
    FROM (SELECT ${id} AS entity_id, day, ${kept} FROM data.${grouping.entity}_daily) AS daily
      JOIN (SELECT ${id} AS entity_id, ${
    groupingKeys(grouping)
  } FROM ${entities} AS entities) AS keys
      USING (entity_id)
    WHERE ${during}
    GROUP BY data_id, chain_id, product_id, day`;
}

/**
 * SQL of the daily values of metrics, one row per group and day and one column per metric. A day that
 * only some metrics know has null for the others.
 */
export function dailyValues(
  grouping: Grouping,
  metrics: readonly Metric[],
  sources: DailySources,
): string {
  const needs = (kept: Metric["kept"]) => metrics.some((metric) => metric.kept === kept);
  const parts: string[] = [];
  if (needs("cell")) parts.push(cellPart(grouping, metrics, sources));
  if (needs("user_set")) parts.push(userPart(grouping, metrics, sources));
  if (needs("entity") && grouping.entity !== null && sources.entities !== null) {
    parts.push(entityPart(grouping, metrics, sources));
  }
  if (parts.length === 0) {
    parts.push(`${cellPart(grouping, metrics, sources)} LIMIT 0`);
  }
  return `SELECT data_id, chain_id, product_id, day${
    metrics.map(({ metric_id }) => `, max(${metric_id}) AS ${metric_id}`).join("")
  }
  FROM (${parts.join("\n    UNION ALL ")}) AS parts
  GROUP BY data_id, chain_id, product_id, day`;
}
