import type { GroupBy, MetricInterval } from "../../schema/vocabulary.ts";
import { groupValues, groupValuesInWindows } from "../datasets/group_values.ts";
import { aggregationsOf, type Grouping, GROUPINGS, type Metric } from "../datasets/metric.ts";
import { addDays, type Span, type WindowBounds, windowBounds } from "../datasets/window_value.ts";
import type { Binding, Database, Row } from "../engine/duckdb.ts";
import { ENTITY_LIST_NAMES, ENTITY_LISTS, type EntityList } from "./entity_list.ts";

function intervalStart(interval: MetricInterval, { first_day, last_day }: Span): string {
  if (interval === "max") return first_day;
  if (interval === "ytd") return `${last_day.slice(0, 4)}-01-01`;
  return addDays(last_day, interval === "24h" ? 0 : 1 - Number.parseInt(interval));
}

/**
 * Returns the window of an interval. This window ends with the last day of the data.
 *
 * If `start` or `end` is given, the interval is ignored. The window then contains the days from `start` to `end`, by
 * default from the first to the last day of the data. Days outside the data are left out. Null means that none is left.
 */
export function breakdownWindow(
  interval: MetricInterval,
  dates: { start?: string | undefined; end?: string | undefined },
  span: Span,
): WindowBounds | null {
  const given = dates.start !== undefined || dates.end !== undefined;
  const from = given ? dates.start ?? span.first_day : intervalStart(interval, span);
  const to = given ? dates.end ?? span.last_day : span.last_day;
  const start = given && from < span.first_day ? span.first_day : from;
  const end = to > span.last_day ? span.last_day : to;
  return start > end ? null : windowBounds(start, end);
}

/** A breakdown request from which unknown entities are removed. */
export interface BreakdownQuery {
  readonly metrics: readonly Metric[];
  readonly group_by: GroupBy;
  readonly filters: { readonly [list in EntityList]?: readonly string[] | undefined };
}

// For each kind of group, the filters that select only whole groups. Other filters can select a part of a group.
const WHOLE_GROUP_FILTERS: Readonly<Record<Grouping["data_id"], readonly EntityList[]>> = {
  product_id: ["product_ids", "project_ids", "market_sector_ids"],
  project_id: ["project_ids", "market_sector_ids"],
  market_sector_id: ["market_sector_ids"],
  chain_id: ["chain_ids"],
};

function selection(table: string, lists: readonly EntityList[]): string {
  const conditions = lists.map((list) => `list_contains($${list}, ${ENTITY_LISTS[list].id})`);
  return conditions.length === 0
    ? table
    : `(SELECT * FROM ${table} AS selected WHERE ${conditions.join(" AND ")})`;
}

function wholeEntities(grouping: Grouping, given: readonly EntityList[]): string | null {
  const { entity } = grouping;
  if (
    entity === null || given.some((list) => !WHOLE_GROUP_FILTERS[`${entity}_id`].includes(list))
  ) {
    return null;
  }
  return selection(`data.${entity}`, given);
}

function selectsGroups({ data_id, chain_id }: Grouping, list: EntityList): boolean {
  return WHOLE_GROUP_FILTERS[data_id].includes(list) || (chain_id !== null && list === "chain_ids");
}

// All products with their project and sector, and all projects and sectors that have no products.
const PLACES = `(SELECT market_sector_id, project_id, product_id
  FROM data.market_sector LEFT JOIN data.project USING (market_sector_id)
  LEFT JOIN data.product USING (project_id))`;

// Returns SQL of the groups that have no product on any chain. A grouping or a filter by chain leaves out such groups.
function otherGroups(grouping: Grouping, given: readonly EntityList[]): string | null {
  if (grouping.chain_id !== null || given.includes("chain_ids")) return null;
  return `(SELECT * FROM ${
    selection(PLACES, given)
  } AS places WHERE ${grouping.data_id} IS NOT NULL)`;
}

// The window to use if the requested window has no day of the data. It is before all data, so all values are null.
const NO_WINDOW = windowBounds("1969-12-31", "1969-12-31");

// Returns a function that turns a row into an item of a metric breakdown (INTERFACE 2.1).
function itemOf(metrics: readonly Metric[]) {
  const columns = metrics.map(({ metric_id, kind }) => ({
    metric_id,
    names: aggregationsOf(kind).map((name) => [name, `${metric_id}_${name}`] as const),
  }));
  return (row: Row) => {
    const values: Record<string, Row> = {};
    for (const { metric_id, names } of columns) {
      const value: Row = values[metric_id] = {};
      for (const [name, column] of names) value[name] = row[column]!;
    }
    const { data_id, chain_id, product_id } = row;
    return { data_id, chain_id, product_id, metrics: values };
  };
}

/** The items of a metric breakdown. */
export type BreakdownItems = ReturnType<ReturnType<typeof itemOf>>[];

/** Computes metric breakdowns from daily values, one for each window: one item per group that passes the filters. */
export async function readBreakdowns(
  database: Database,
  query: BreakdownQuery,
  windows: readonly (WindowBounds | null)[],
): Promise<BreakdownItems[]> {
  const { metrics, filters } = query;
  if (metrics.length === 0) return windows.map(() => []);
  const grouping = GROUPINGS[query.group_by];
  const given = ENTITY_LIST_NAMES.filter((list) => filters[list] !== undefined);
  const bounds = windows.map((window) => window ?? NO_WINDOW);
  const columns = metrics.flatMap((metric) =>
    aggregationsOf(metric.kind).map((statistic) => (
      { name: `${metric.metric_id}_${statistic}`, metric, statistic }
    ))
  );
  const groups = {
    group_by: query.group_by,
    cells: selection("data.cell", given),
    entities: wholeEntities(grouping, given),
    others: otherGroups(grouping, given),
    wholeGroups: given.every((list) => selectsGroups(grouping, list)),
  };
  const bindings: Record<string, Binding> = {};
  for (const list of given) bindings[list] = filters[list] ?? [];
  const [only, ...others] = bounds;
  const sql = others.length === 0
    ? groupValues(groups, columns.map((column) => ({ ...column, bounds: only! })))
    : groupValuesInWindows(groups, columns, bounds);
  const items: BreakdownItems[] = bounds.map(() => []);
  const item = itemOf(metrics);
  for (const row of await database.rows(sql, bindings)) {
    items[others.length === 0 ? 0 : Number(row.window_no)]!.push(item(row));
  }
  return items;
}
