import { firstDays } from "./first_days.ts";
import { groupingKeys, usersOfGroups, usersOfSets } from "./group_users.ts";
import { dailyColumn, dailyType, type Grouping, type Metric } from "./metric.ts";
import {
  aggregateColumns,
  type Aggregates,
  firstDay,
  segmentOf,
  type WindowBounds,
  type WindowStatistic,
  windowValue,
} from "./window_value.ts";

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
  /**
   * A condition on `day`.
   * @default every day
   */
  readonly during?: string;
}

/** A column of the result: a value of a metric in a window, or whether the metric has any fact. */
export interface GroupColumn {
  readonly name: string;
  readonly metric: Metric;
  readonly statistic: WindowStatistic | "known";
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

// Adds up the daily values of each segment (the days between two window bounds). For levels, also counts the days
// with a known value, so `daily` must then have one row per group and day.
function bySegment(metrics: readonly Metric[], daily: string, segment: string): string {
  const sums = metrics.map(({ metric_id, kind }) => {
    const known = kind === "level" ? `, count(${metric_id}) AS ${metric_id}_known` : "";
    return `sum(${metric_id}) AS ${metric_id}${known}`;
  });
  return `SELECT ${["group_no", `${segment} AS segment`, ...sums].join(", ")}
    FROM (${daily}) AS daily GROUP BY group_no, segment`;
}

function dayByDay(metrics: readonly Metric[], parts: string): string {
  const names = metrics.map(({ metric_id }) => metric_id);
  return `SELECT group_no, day${names.map((name) => `, sum(${name}) AS ${name}`).join("")}
    FROM (${parts}) AS parts
    WHERE ${names.map((name) => `${name} IS NOT NULL`).join(" OR ")}
    GROUP BY group_no, day`;
}

// Returns SQL of a table without rows that has typed columns for all metrics.
function emptyTable(metrics: readonly Metric[]): string {
  const columns = metrics.map((metric) => {
    const { metric_id } = metric;
    return `, CAST(NULL AS ${dailyType(metric)}) AS ${metric_id}, 0::BIGINT AS ${metric_id}_known,
      CAST(NULL AS DATE) AS ${metric_id}_since`;
  });
  return `SELECT 0::INTEGER AS group_no, CAST(NULL AS DATE) AS segment${columns.join("")}
    WHERE false`;
}

function parts(groups: Required<Groups>, metrics: readonly Metric[], segment: string): string[] {
  const { grouping, entities, wholeGroups, during } = groups;
  const of = (kept: Metric["kept"], kind: Metric["kind"]) =>
    metrics.filter((metric) => metric.kept === kept && metric.kind === kind);
  const from = (table: string, things: string, key: string) =>
    `SELECT * FROM data.${table} JOIN ${things} USING (${key}) WHERE ${during}`;
  const { data_id, chain_id, product_id, entity } = grouping;
  const found: string[] = [];
  const add = (some: readonly Metric[], daily: string) => {
    if (some.length > 0) found.push(bySegment(some, daily, segment));
  };
  const addLevels = (some: readonly Metric[], daily: string, alone: boolean) =>
    add(some, alone ? daily : dayByDay(some, daily));
  const ofCells = from("cell_daily", "member", "cell");
  add(of("cell", "flow"), ofCells);
  const users = wholeGroups
    ? usersOfGroups(grouping, "member", during)
    : usersOfSets("member", during);
  add(of("user_set", "users"), `SELECT *, users AS active_users FROM (${users}) AS users`);
  addLevels(of("cell", "level"), ofCells, chain_id !== null && product_id !== null);
  if (entities !== null) {
    const daily = from(`${entity}_daily`, "whole", `${entity}_id`);
    addLevels(of("entity", "level"), daily, data_id === `${entity}_id`);
  }
  return found;
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
    during: "true",
    ...groups,
  };
  const aggregates: Aggregates = new Map();
  const columns = requested.map(({ name, metric, statistic, bounds }) => {
    const value = statistic === "known"
      ? `${firstDay(metric.metric_id, aggregates)} IS NOT NULL`
      : windowValue(statistic, dailyColumn(metric), bounds, aggregates);
    return `${value} AS ${name}`;
  });
  const metrics = [...new Set(requested.map(({ metric }) => metric))];
  const segment = segmentOf(requested.map(({ bounds }) => bounds));
  const sources = [
    emptyTable(metrics),
    ...parts(all, metrics, segment),
    ...firstDays(metrics, all.entities === null ? null : entity),
  ];
  return `${tables(all)}
  SELECT data_id, chain_id, product_id, ${columns.join(",\n  ")}
  FROM item LEFT JOIN (
    SELECT group_no, ${aggregateColumns(aggregates)}
    FROM (
      ${sources.join("\n      UNION ALL BY NAME ")}
    ) AS segments
    GROUP BY group_no
  ) AS aggregates USING (group_no)
  ORDER BY group_no`;
}
