import { USD } from "../facts/amounts.ts";
import {
  type Aggregation,
  AGGREGATIONS,
  GROUP_BYS,
  type GroupBy,
} from "../../schema/vocabulary.ts";

/**
 * How a metric behaves over days:
 *
 * - `flow`: the values of days add up. After the first fact, days without a fact are 0.
 * - `users`: counts of distinct addresses, which do not add up. After the first fact, days without a fact are 0.
 * - `level`: the value at the end of a day. Days without a fact are null.
 */
export type MetricKind = "flow" | "users" | "level";

/** Columns of `data.cell` for the three ids of a breakdown item. A cell is a product on a chain. */
export interface Grouping {
  readonly data_id: "project_id" | "chain_id" | "product_id" | "market_sector_id";
  readonly chain_id: "chain_id" | null;
  readonly product_id: "product_id" | null;
  /** Kind of entity that groups contain only as a whole, so that its daily values are added up; null for no kind. */
  readonly entity: "project" | "chain" | null;
}

function grouping(
  data_id: Grouping["data_id"],
  withChain: boolean,
  entity: Grouping["entity"] = null,
): Grouping {
  const product_id = data_id === "product_id" ? data_id : null;
  return { data_id, chain_id: withChain ? "chain_id" : null, product_id, entity };
}

/** For each grouping, the columns of its ids, and the kind of entity that its groups contain only as a whole. */
export const GROUPINGS: Readonly<Record<GroupBy, Grouping>> = {
  projects: grouping("project_id", false, "project"),
  chains: grouping("chain_id", true, "chain"),
  "chain-project": grouping("project_id", true),
  "chain-product": grouping("product_id", true),
  "chain-market-sector": grouping("market_sector_id", true),
  "market-sector": grouping("market_sector_id", false, "project"),
  product: grouping("product_id", false),
};

/** A metric of the service. */
export interface Metric {
  readonly metric_id: string;
  readonly kind: MetricKind;
  readonly unit: "USD" | "count" | "gas" | "addresses" | "people";
  /**
   * How daily values are stored: per product on a chain (`cell`), per set of cells, or per project or chain (`entity`).
   */
  readonly kept: "cell" | "user_set" | "entity";
  readonly definition: string;
  readonly source: string;
}

const ACTIVITY = "Facts of the table activity, one row per user, contract and day.";
const ENTITY = "Facts of the tables project_daily and chain_daily, one value per day.";
const PRODUCT = "Facts of the table product_daily, one value per product, chain and day.";

function flow(metric_id: string, unit: "USD" | "count" | "gas", definition: string): Metric {
  return { metric_id, kind: "flow", unit, kept: "cell", definition, source: ACTIVITY };
}

function level(
  metric_id: string,
  unit: "USD" | "people",
  kept: "cell" | "entity",
  definition: string,
): Metric {
  const source = kept === "cell" ? PRODUCT : ENTITY;
  return { metric_id, kind: "level", unit, kept, definition, source };
}

/** All metrics, in the order of responses. */
export const METRICS: readonly Metric[] = [
  flow("fees", "USD", "What users paid for using the contracts, in US dollars."),
  flow("revenue", "USD", "The part of the fees that the project keeps, in US dollars."),
  flow("dex_trading_volume", "USD", "The value of the trades on an exchange, in US dollars."),
  flow("transaction_count", "count", "The number of transactions with the contracts."),
  flow("gas_used", "gas", "The gas that those transactions used."),
  {
    metric_id: "active_users",
    kind: "users",
    unit: "addresses",
    kept: "user_set",
    definition: "The number of distinct addresses that used the contracts on a day.",
    source: ACTIVITY,
  },
  flow("inflows", "USD", "The value that moved into the contracts, in US dollars."),
  flow("outflows", "USD", "The value that moved out of the contracts, in US dollars."),
  flow("net_flows", "USD", "Inflows less outflows, in US dollars."),
  level("tvl", "USD", "cell", "The value of what is deposited at the end of a day, in US dollars."),
  level("active_loans", "USD", "cell", "The value lent out at the end of a day, in US dollars."),
  level(
    "market_cap_fd",
    "USD",
    "entity",
    "Token price times all tokens there can be, in US dollars.",
  ),
  level("market_cap_circ", "USD", "entity", "Token price times circulating tokens, in US dollars."),
  level("core_developers", "people", "entity", "The number of developers who work on the core."),
];

/** All metrics, by id. */
export const METRIC_BY_ID: ReadonlyMap<string, Metric> = new Map(
  METRICS.map((metric) => [metric.metric_id, metric]),
);

/** Returns the SQL type of the daily values of a metric. Sums of US dollars are exact. */
export function dailyType({ unit }: Metric): string {
  return unit === "USD" ? USD : "BIGINT";
}

/** Returns the aggregations that a kind of metric has. Only flows have the aggregation `days`. */
export function aggregationsOf(kind: MetricKind): readonly Aggregation[] {
  return kind === "flow" ? AGGREGATIONS : AGGREGATIONS.filter((name) => name !== "days");
}

/** Returns the groupings of a metric. Metrics that are stored per project or chain cannot be grouped by product. */
export function groupingsOf({ kept }: Metric): readonly GroupBy[] {
  return kept === "entity" ? ["projects", "chains", "market-sector"] : GROUP_BYS;
}
