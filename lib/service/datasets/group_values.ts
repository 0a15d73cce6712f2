import { type Aggregation, GROUP_BYS, type GroupBy } from "../../schema/vocabulary.ts";
import { dailyType, type Grouping, GROUPINGS, type Metric, METRICS } from "./metric.ts";
import {
  WINDOW_COLUMNS,
  type WindowBounds,
  windowRowValues,
  type WindowValues,
  windowValues,
} from "./window_value.ts";

/** The groups of a result, and the tables from which their daily values are read. */
interface Groups {
  readonly group_by: GroupBy;
  /**
   * SQL of the rows of `data.cell` (products on a chain) that belong to the groups.
   * @default all rows
   */
  readonly cells?: string;
  /**
   * SQL of the rows of `data.project` or `data.chain` that belong to the groups; null if the filters select parts of
   * these entities.
   * @default all rows if the grouping has an `entity`, otherwise null
   */
  readonly entities?: string | null;
  /**
   * SQL that selects the ids of additional groups, which have no cells; null if there are no such groups.
   * @default null
   */
  readonly others?: string | null;
  /**
   * Whether `cells` contains all cells of each group.
   * @default true
   */
  readonly wholeGroups?: boolean;
}

/** A column of the result: an aggregation of a metric. */
interface WindowColumn {
  readonly name: string;
  readonly metric: Metric;
  readonly statistic: Aggregation;
}

/** A column of the result: an aggregation of a metric in a window, or (`known`) whether the metric has any fact. */
export interface GroupColumn extends Omit<WindowColumn, "statistic"> {
  readonly statistic: Aggregation | "known";
  readonly bounds: WindowBounds;
}

function keptIn(where: Metric["kept"], metrics: readonly Metric[] = METRICS): readonly Metric[] {
  return metrics.filter(({ kept }) => kept === where);
}

function firstDayOf(table: string, key: string, metrics: readonly Metric[]): string {
  const days = metrics.map(({ metric_id }) =>
    `min(CASE WHEN ${metric_id} IS NOT NULL THEN day END) AS ${metric_id}`
  );
  return `SELECT ${key}, ${days.join(", ")} FROM data.${table} GROUP BY ${key} ORDER BY ${key}`;
}

/**
 * Stores the first day of each metric for each cell (a product on a chain), project and chain. With these days, a
 * request needs to read only daily values in its window.
 */
export const FIRST_DAYS = `
CREATE TABLE data.cell_first AS
  SELECT flows.*, active_users FROM (${firstDayOf("cell_daily", "cell", keptIn("cell"))}) AS flows
  LEFT JOIN (SELECT cell, min(day) AS active_users FROM data.user_set GROUP BY cell) AS users
    USING (cell)
  ORDER BY cell;
${
  ["project", "chain"].map((entity) =>
    `CREATE TABLE data.${entity}_first AS
  ${firstDayOf(`${entity}_daily`, `${entity}_id`, keptIn("entity"))};`
  ).join("\n")
}
`;

// Returns SQL of the first day of each metric in each group, in columns `<metric>_since`.
function firstDays(metrics: readonly Metric[], table: string, keys: string): string[] {
  const days = metrics.map(({ metric_id }) => `min(${metric_id}) AS ${metric_id}_since`);
  return metrics.length === 0
    ? []
    : [`SELECT group_no, ${days.join(", ")} FROM data.${table} JOIN ${keys} GROUP BY group_no`];
}

/**
 * Returns SQL that counts the users of each group on each day. For each day and each set of cells, `data.user_set` has
 * the number of users of exactly this set. A group has the users of all sets with at least one cell of the group.
 *
 * @param keys a table with the group of each cell, in the columns `cell` and `group_no`
 */
function usersOfSets(keys: string, during: string): string {
  // A set can contain several cells of a group, but its users must count once. So the SQL uses DISTINCT for such sets.
  const touched = (which: string, sets: string) =>
    `SELECT ${which} users, day, group_no FROM data.user_set JOIN ${keys} USING (cell)
      WHERE ${during} AND ${sets}`;
  return `SELECT group_no, day, sum(users)::BIGINT AS users
    FROM (
      ${touched("", "set_no < 0")} UNION ALL BY NAME
      SELECT * EXCLUDE (set_no) FROM (${touched("DISTINCT set_no,", "set_no > 0")})
    ) AS touched
    GROUP BY group_no, day`;
}

// Counts users without filters. If each group is one cell, no set has two cells of a group, so DISTINCT is not needed.
function usersOfAll({ data_id, chain_id }: Grouping): string {
  if (data_id === "product_id" && chain_id !== null) {
    return "SELECT cell AS group_no, day, sum(users)::BIGINT AS users FROM data.user_set GROUP BY cell, day";
  }
  const ids = [...new Set([data_id, chain_id ?? data_id])].join(", ");
  const first = `min(cell) OVER (PARTITION BY ${ids}) AS group_no`;
  return usersOfSets(`(SELECT cell, ${first} FROM data.cell) AS keys`, "true");
}

/** Stores the number of users of every group (without filters) on every day. `cell` is the first cell of the group. */
export const GROUP_USERS = `
CREATE TABLE data.group_users (group_by VARCHAR, cell INTEGER, day DATE, users BIGINT);
${
  [...GROUP_BYS].sort().map((group_by) =>
    `INSERT INTO data.group_users
  SELECT '${group_by}', group_no, day, users
  FROM (${usersOfAll(GROUPINGS[group_by])}) AS users ORDER BY day, group_no;`
  ).join("\n")
}
`;

// Compares strings only once, to number the groups. Daily values are then grouped by these numbers. The rows are
// combined by UNION ALL, because DuckDB would misestimate the size of a join and choose a slow plan.
function tables({ group_by, cells, entities, others }: Required<Groups>): string {
  const { data_id, chain_id, product_id, ...grouping } = GROUPINGS[group_by];
  const id = (column: string | null) => column ?? "CAST(NULL AS VARCHAR)";
  const keys = `${data_id} AS data_id, ${id(chain_id)} AS chain_id, ${
    id(product_id)
  } AS product_id`;
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

// Returns SQL of an empty table with the typed columns of all metrics.
function emptyTable(metrics: readonly Metric[]): string {
  const columns = metrics.map((metric) => {
    const { metric_id } = metric;
    return `, CAST(NULL AS ${dailyType(metric)}) AS ${metric_id}, 0::BIGINT AS ${metric_id}_known,
      CAST(NULL AS DATE) AS ${metric_id}_since`;
  });
  return `SELECT 0::INTEGER AS group_no, 0::UTINYINT AS segment${columns.join("")}
    WHERE false`;
}

// Returns SQL that adds up the daily values of each segment. The first and last days of all windows divide the days into
// segments. For metrics of the kind `level`, such as `tvl`, the SQL also counts the days with a known value.
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

/** How the sources of a result are written: which days they read, and how the values of these days are added up. */
interface Reading {
  readonly during: string;
  readonly add: (metrics: readonly Metric[], daily: string) => string[];
  readonly since: (firstDays: string) => string;
}

function parts(
  { group_by, entities, wholeGroups }: Required<Groups>,
  metrics: readonly Metric[],
  { during, add, since }: Reading,
): string[] {
  const { entity } = GROUPINGS[group_by];
  const users = wholeGroups
    ? `SELECT group_no, day, users FROM data.group_users JOIN member USING (cell)
      WHERE group_by = '${group_by}' AND ${during}`
    : usersOfSets("member", during);
  const cells = "member USING (cell)";
  const wholes = `whole USING (${entity}_id)`;
  const ofCells = keptIn("cell", metrics);
  const ofUsers = keptIn("user_set", metrics);
  const ofEntities = entities === null ? [] : keptIn("entity", metrics);
  return [
    ...add(ofCells, `data.cell_daily JOIN ${cells} WHERE ${during}`),
    ...add(ofUsers, `(SELECT *, users AS active_users FROM (${users}))`),
    ...add(ofEntities, `data.${entity}_daily JOIN ${wholes} WHERE ${during}`),
    ...firstDays([...ofCells, ...ofUsers], "cell_first", cells).map(since),
    ...firstDays(ofEntities, `${entity}_first`, wholes).map(since),
  ];
}

function completed(groups: Groups): Required<Groups> {
  const { entity } = GROUPINGS[groups.group_by];
  return {
    cells: "data.cell",
    entities: entity === null ? null : `data.${entity}`,
    others: null,
    wholeGroups: true,
    ...groups,
  };
}

/**
 * Returns SQL that computes the requested columns for each group. It has one row per group, sorted by the ids in the
 * columns `data_id`, `chain_id` and `product_id`.
 */
export function groupValues(groups: Groups, requested: readonly GroupColumn[]): string {
  const all = completed(groups);
  const windows = windowValues(requested.map(({ bounds }) => bounds));
  const columns = requested.map(({ name, metric, statistic, bounds }) => {
    const value = statistic === "known"
      ? `${windows.firstDay(metric.metric_id)} IS NOT NULL`
      : windows.value(statistic, { name: metric.metric_id, kind: metric.kind }, bounds);
    return `${value} AS ${name}`;
  });
  const metrics = [...new Set(requested.map(({ metric }) => metric))];
  const reading: Reading = {
    during: windows.during,
    add: (some, daily) => bySegment(some, daily, windows),
    since: (sql) => sql,
  };
  const sources = [emptyTable(metrics), ...parts(all, metrics, reading)];
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

// Adds up the days of each window. Days are added over the cells of a group first, so that this is done only once.
function byWindow(metrics: readonly Metric[], daily: string, windows: WindowValues): string[] {
  const days = metrics.map(({ metric_id }) => `sum(${metric_id}) AS ${metric_id}`);
  const from = `(SELECT group_no, day, ${days.join(", ")} FROM ${daily} GROUP BY group_no, day)
    AS days JOIN windows ON ${windows.during}`;
  return bySegment(metrics, from, windows).map((sql) => sql.replace("SELECT", "SELECT window_no,"));
}

/**
 * Returns SQL that computes the same columns for each group in each of several windows: one row per window and group,
 * sorted by `window_no`, the place of the window, and then as `groupValues` sorts. For many windows, one such statement
 * is much faster than a statement for each window, most of whose time is its planning.
 */
export function groupValuesInWindows(
  groups: Groups,
  requested: readonly WindowColumn[],
  bounds: readonly WindowBounds[],
): string {
  const all = completed(groups);
  const values = windowRowValues();
  const columns = requested.map(({ name, metric: { metric_id, kind }, statistic }) =>
    `${values.value(statistic, { name: metric_id, kind }, WINDOW_COLUMNS)} AS ${name}`
  );
  const metrics = [...new Set(requested.map(({ metric }) => metric))];
  const names = Object.keys(WINDOW_COLUMNS) as (keyof WindowBounds)[];
  const rows = bounds.map((window, at) =>
    `(${at}, ${names.map((name) => `DATE '${window[name]}'`).join(", ")})`
  );
  const [first] = bounds.map(({ before }) => before).sort();
  const last = bounds.map(({ end }) => end).sort().at(-1);
  const sources = [
    `SELECT 0::INTEGER AS window_no, * FROM (${emptyTable(metrics)})`,
    ...parts(all, metrics, {
      during: `day BETWEEN DATE '${first}' AND DATE '${last}'`,
      add: (some, daily) => byWindow(some, daily, values),
      since: (sql) => `SELECT window_no, since.* FROM (${sql}) AS since CROSS JOIN windows`,
    }),
  ];
  return `${tables(all)},
  windows(window_no, ${names.map((name) => WINDOW_COLUMNS[name]).join(", ")}) AS MATERIALIZED (
    VALUES ${rows.join(", ")}
  )
  SELECT window_no, data_id, chain_id, product_id, ${columns.join(",\n  ")}
  FROM item CROSS JOIN windows LEFT JOIN (
    SELECT window_no, group_no, ${values.aggregates()}
    FROM (
      ${sources.join("\n      UNION ALL BY NAME ")}
    ) AS segments
    GROUP BY window_no, group_no
  ) AS aggregates USING (window_no, group_no)
  ORDER BY window_no, group_no`;
}
