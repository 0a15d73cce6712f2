import { firstDays } from "./first_days.ts";
import { groupingKeys, usersOfGroups, usersOfSets } from "./group_users.ts";
import { dailyType, type Grouping, type Metric } from "./metric.ts";
import { aggregateColumns, type Aggregates, segmentOf, type WindowBounds } from "./window_value.ts";

/** The source tables of the groups and their daily values. */
interface GroupSources {
  readonly grouping: Grouping;
  /** Rows of `data.cell`. */
  readonly cells: string;
  /** Rows of `data.project` or `data.chain`; null if the filters select parts. */
  readonly entities: string | null;
  /**
   * Rows with the ids of groups without a cell.
   * @default only groups with cells or daily values of their own
   */
  readonly others?: string | null;
  /** Whether each group has all of its cells. */
  readonly wholeGroups: boolean;
  /**
   * A condition on `day`.
   * @default every day
   */
  readonly during?: string;
}

/** The requested values of the groups. */
interface GroupFigures {
  readonly metrics: readonly Metric[];
  readonly windows: readonly WindowBounds[];
  /** SQL of named values, over the aggregates. */
  readonly columns: readonly string[];
  readonly aggregates: Aggregates;
}

// Group numbers are assigned once by comparing strings; daily values are then grouped by numbers. No join is
// used, because DuckDB would misestimate its size and plan badly.
function tables({ grouping, cells, entities, others = null }: GroupSources): string {
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

// Flows are added over cells and days at once. For levels, counts the days on which any part of the group is
// known; for a group of one part, no combination is needed.
function addedUp(metrics: readonly Metric[], daily: string, segment: string): string {
  const sums = metrics.map(({ metric_id }) => `sum(${metric_id}) AS ${metric_id}`);
  return `SELECT ${["group_no", `${segment} AS segment`, ...sums].join(", ")}
    FROM (${daily}) AS daily GROUP BY group_no, segment`;
}

function levels(metrics: readonly Metric[], daily: string, segment: string): string {
  const known = metrics.map(({ metric_id }) =>
    `sum(${metric_id}) AS ${metric_id}, count(${metric_id}) AS ${metric_id}_known`
  );
  return `SELECT ${["group_no", `${segment} AS segment`, ...known].join(", ")}
    FROM (${daily}) AS daily GROUP BY group_no, segment`;
}

function dayByDay(metrics: readonly Metric[], parts: string): string {
  const names = metrics.map(({ metric_id }) => metric_id);
  return `SELECT group_no, day${names.map((name) => `, sum(${name}) AS ${name}`).join("")}
    FROM (${parts}) AS parts
    WHERE ${names.map((name) => `${name} IS NOT NULL`).join(" OR ")}
    GROUP BY group_no, day`;
}

// A table without rows that has the columns of all metrics with their types.
function nothing(metrics: readonly Metric[]): string {
  const columns = metrics.map((metric) => {
    const { metric_id } = metric;
    return `, CAST(NULL AS ${dailyType(metric)}) AS ${metric_id}, 0::BIGINT AS ${metric_id}_known,
      CAST(NULL AS DATE) AS ${metric_id}_since`;
  });
  return `SELECT 0::INTEGER AS group_no, CAST(NULL AS DATE) AS segment${columns.join("")}
    WHERE false`;
}

function parts(sources: GroupSources, { metrics, windows }: GroupFigures): string[] {
  const { grouping, entities, wholeGroups, during = "true" } = sources;
  const segment = segmentOf(windows);
  const of = (kept: Metric["kept"], kind: Metric["kind"]) =>
    metrics.filter((metric) => metric.kept === kept && metric.kind === kind);
  const from = (table: string, things: string, key: string) =>
    `SELECT * FROM data.${table} JOIN ${things} USING (${key}) WHERE ${during}`;
  const { data_id, chain_id, product_id, entity } = grouping;
  const found: string[] = [];
  const flows = of("cell", "flow");
  if (flows.length > 0) found.push(addedUp(flows, from("cell_daily", "member", "cell"), segment));
  const users = of("user_set", "users");
  if (users.length > 0) {
    const daily = wholeGroups
      ? usersOfGroups(grouping, "member", during)
      : usersOfSets("member", during);
    found.push(addedUp(users, `SELECT *, users AS active_users FROM (${daily}) AS users`, segment));
  }
  const addLevels = (some: readonly Metric[], parts: string, alone: boolean) => {
    if (some.length > 0) found.push(levels(some, alone ? parts : dayByDay(some, parts), segment));
  };
  addLevels(
    of("cell", "level"),
    from("cell_daily", "member", "cell"),
    chain_id !== null && product_id !== null,
  );
  if (entity !== null && entities !== null) {
    const daily = from(`${entity}_daily`, "whole", `${entity}_id`);
    addLevels(of("entity", "level"), daily, data_id === `${entity}_id`);
  }
  return found;
}

/**
 * Returns SQL of values of groups: one row per group, with `data_id`, `chain_id`, `product_id` and the
 * requested columns, sorted by ids.
 */
export function groupValues(sources: GroupSources, figures: GroupFigures): string {
  const { metrics, columns, aggregates } = figures;
  const whole = sources.entities === null ? null : sources.grouping.entity;
  return `${tables(sources)}
  SELECT data_id, chain_id, product_id, ${columns.join(",\n  ")}
  FROM item LEFT JOIN (
    SELECT group_no, ${aggregateColumns(aggregates)}
    FROM (
      ${
    [nothing(metrics), ...parts(sources, figures), ...firstDays(metrics, whole)]
      .join("\n      UNION ALL BY NAME ")
  }
    ) AS segments
    GROUP BY group_no
  ) AS aggregates USING (group_no)
  ORDER BY group_no`;
}
