import type { Aggregation } from "../../schema/vocabulary.ts";
import { firstDays } from "./first_days.ts";
import { groupingKeys, usersOfGroups, usersOfSets } from "./group_users.ts";
import { dailyColumn, dailyType, type Grouping, type Metric } from "./metric.ts";
import { type WindowBounds, type WindowValues, windowValues } from "./window_value.ts";

/** The groups, and the source tables of their daily values. */
interface Groups {
  readonly grouping: Grouping;
  /**
   * SQL of rows of `data.cell` (products on a chain).
   * @default all
   */
  readonly cells?: string;
  /**
   * SQL of rows of `data.project` or `data.chain`; null if the filters select parts of these entities.
   * @default all, if the grouping has whole entities
   */
  readonly entities?: string | null;
  /**
   * SQL of rows with the ids of further groups, which have no cell.
   * @default only groups with cells or daily values of their own
   */
  readonly others?: string | null;
  /**
   * Whether `cells` contains all cells of each group.
   * @default true
   */
  readonly wholeGroups?: boolean;
}

/** A column of the result: a value of a metric in a window, or whether the metric has any fact. */
export interface GroupColumn {
  readonly name: string;
  readonly metric: Metric;
  readonly statistic: Aggregation | "known";
  readonly bounds: WindowBounds;
}

// Assigns group numbers once, by comparing strings. Daily values are then grouped by these numbers. DuckDB would
// misestimate the size of a join and choose a slow plan, so no join is used.
function tables({ grouping, cells, entities, others }: Required<Groups>): string {
  const keys = groupingKeys(grouping);
  const entity = `${grouping.entity}_id`;
  const things = [`SELECT cell, NULL AS entity_id, ${keys} FROM ${cells} AS cells`];
  if (entities !== null) {
    things.push(`SELECT NULL, ${entity}, ${keys} FROM ${entities} AS entities`);
  }
  if (others !== null) things.push(`SELECT NULL, NULL, ${keys} FROM ${others} AS others`);
  return `WITH thing AS MATERIALIZED (
    SELECT *, dense_rank() OVER (ORDER BY data_id, chain_id, product_id)::INTEGER AS group_no
    FROM (${things.join(" UNION ALL ")})
  ),
  member AS MATERIALIZED (SELECT cell, group_no FROM thing WHERE cell IS NOT NULL),
  whole AS (SELECT entity_id AS ${entity}, group_no FROM thing WHERE entity_id IS NOT NULL),
  item AS (SELECT DISTINCT data_id, chain_id, product_id, group_no FROM thing)`;
}

// Returns SQL of a table without rows that has typed columns for all metrics.
function emptyTable(metrics: readonly Metric[]): string {
  const columns = metrics.map((metric) => {
    const { metric_id } = metric;
    return `, CAST(NULL AS ${dailyType(metric)}) AS ${metric_id}, 0::BIGINT AS ${metric_id}_known,
      CAST(NULL AS DATE) AS ${metric_id}_since`;
  });
  return `SELECT 0::INTEGER AS group_no, 0::UTINYINT AS segment${columns.join("")}
    WHERE false`;
}

// Adds up the daily values of each segment. For levels, also counts the days with a known value.
function bySegment(
  metrics: readonly Metric[],
  daily: string,
  { segment, knownDays }: WindowValues,
): string[] {
  if (metrics.length === 0) return [];
  const sums = metrics.map(({ metric_id, kind }) => {
    const known = kind === "level" ? `, ${knownDays(metric_id)} AS ${metric_id}_known` : "";
    return `sum(${metric_id}) AS ${metric_id}${known}`;
  });
  return [`SELECT group_no, ${segment} AS segment, ${sums.join(", ")} FROM ${daily} GROUP BY ALL`];
}

function parts(
  { grouping, entities, wholeGroups }: Required<Groups>,
  metrics: readonly Metric[],
  windows: WindowValues,
): string[] {
  const { entity } = grouping;
  const { during } = windows;
  const of = (where: Metric["kept"]) => metrics.filter(({ kept }) => kept === where);
  const users = wholeGroups
    ? usersOfGroups(grouping, "member", during)
    : usersOfSets("member", during);
  const daily = (table: string, keys: string) => `data.${table} JOIN ${keys} WHERE ${during}`;
  return [
    ...bySegment(of("cell"), daily("cell_daily", "member USING (cell)"), windows),
    ...bySegment(of("user_set"), `(SELECT *, users AS active_users FROM (${users}))`, windows),
    ...(entities === null
      ? []
      : bySegment(of("entity"), daily(`${entity}_daily`, `whole USING (${entity}_id)`), windows)),
  ];
}

/**
 * Returns SQL of values of groups: one row per group, with `data_id`, `chain_id`, `product_id` and the
 * requested columns, sorted by ids.
 */
export function groupValues(groups: Groups, requested: readonly GroupColumn[]): string {
  const { entity } = groups.grouping;
  const all = {
    cells: "data.cell",
    entities: entity === null ? null : `data.${entity}`,
    others: null,
    wholeGroups: true,
    ...groups,
  };
  const windows = windowValues(requested.map(({ bounds }) => bounds));
  const columns = requested.map(({ name, metric, statistic, bounds }) => {
    const value = statistic === "known"
      ? `${windows.firstDay(metric.metric_id)} IS NOT NULL`
      : windows.value(statistic, dailyColumn(metric), bounds);
    return `${value} AS ${name}`;
  });
  const metrics = [...new Set(requested.map(({ metric }) => metric))];
  const sources = [
    emptyTable(metrics),
    ...parts(all, metrics, windows),
    ...firstDays(metrics, all.entities === null ? null : entity),
  ];
  return `${tables(all)}
  SELECT data_id, chain_id, product_id, ${columns.join(",\n  ")}
  FROM item LEFT JOIN (
    SELECT group_no, ${windows.aggregates()}
    FROM (
      ${sources.join("\n      UNION ALL BY NAME ")}
    ) AS segments
    GROUP BY group_no
  ) AS aggregates USING (group_no)
  ORDER BY group_no`;
}
