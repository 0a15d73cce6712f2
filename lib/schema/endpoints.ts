import {
  BLOCKCHAIN_COMPARISON_RECORD,
  COHORT_ANALYSIS_RECORD,
  type Field,
  METRIC_AGGREGATIONS_RECORD,
  METRIC_BREAKDOWN_RECORD,
  PROJECT_CONTRACTS_RECORD,
  PROJECT_RECORD,
} from "./records.ts";
import { GROUP_BYS, INTERVALS, type Operation, ORDER_DIRECTIONS } from "./vocabulary.ts";

/** The rule of a query parameter. */
export interface Parameter {
  /**
   * `ids`: one id or a list of ids. `word`: one of `words`, to which a service may add. `direction`: one of `words`.
   * `date`: a date. `field`: the name of a response field. `count`: a whole number of at least 1.
   */
  readonly kind: "ids" | "word" | "direction" | "date" | "field" | "count";
  /**
   * Whether a query without the parameter is invalid.
   * @default {false}
   */
  readonly required?: boolean;
  /** The words of a parameter of the kind `word` or `direction`. */
  readonly words?: readonly string[];
  /** The default value. */
  readonly default?: readonly string[];
}

/** One of the six operations: its request, its response, and the columns that identify and sort its rows. */
export interface Endpoint {
  readonly operation: Operation;
  readonly method: "GET" | "POST";
  /** The path; `{project_id}` is replaced by the id. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** The documented columns. */
  readonly record: readonly Field[];
  /** The columns that identify a row. */
  readonly keys: readonly string[];
  /**
   * The columns by which a response is sorted if the query has no `order_by`. If the list is empty, and one query needs
   * several requests, their responses are concatenated without sorting.
   */
  readonly sortedBy: readonly string[];
  /** The shape of `data` in a response: a list of rows, or one row. `list or one` allows both shapes. */
  readonly data: "list" | "one" | "list or one";
  /** The effect of an unknown entity: an item in `errors`, a missing row without an error, or the status 404. */
  readonly unknown: "errors" | "left out" | "404";
}

const IDS: Parameter = { kind: "ids" };
const REQUIRED_IDS: Parameter = { kind: "ids", required: true };

/** The parameters that all datasets have in common. Each dataset also has parameters that are lists of ids. */
const ORDER = {
  order_by: { kind: "field" },
  order_direction: { kind: "direction", words: ORDER_DIRECTIONS },
  limit: { kind: "count" },
} as const satisfies Endpoint["parameters"];

/** The six operations (INTERFACE 4). */
export const ENDPOINTS = {
  metric_breakdown: {
    operation: "metric_breakdown",
    method: "POST",
    path: "/v2/metric-breakdown",
    parameters: {
      metric_ids: REQUIRED_IDS,
      interval: { kind: "word", words: INTERVALS, required: true },
      group_by: { kind: "word", words: GROUP_BYS, required: true },
      project_ids: IDS,
      product_ids: IDS,
      chain_ids: IDS,
      market_sector_ids: IDS,
      start: { kind: "date" },
      end: { kind: "date" },
    },
    record: METRIC_BREAKDOWN_RECORD,
    keys: ["data_id", "chain_id", "product_id"],
    sortedBy: [],
    data: "list",
    unknown: "errors",
  },
  metric_aggregations: {
    operation: "metric_aggregations",
    method: "GET",
    path: "/v2/metric-aggregations",
    parameters: { project_ids: { kind: "ids", default: ["all"] }, metric_ids: IDS },
    record: METRIC_AGGREGATIONS_RECORD,
    keys: ["project_id", "metric_id", "metric_aggregation_name"],
    sortedBy: ["project_id"],
    data: "list",
    unknown: "errors",
  },
  blockchain_comparison: {
    operation: "blockchain_comparison",
    method: "GET",
    path: "/v2/datasets/blockchain_comparison",
    parameters: { chain_ids: IDS, ...ORDER },
    record: BLOCKCHAIN_COMPARISON_RECORD,
    keys: ["chain_id"],
    sortedBy: ["chain_id"],
    data: "list",
    unknown: "left out",
  },
  project_contracts: {
    operation: "project_contracts",
    method: "GET",
    path: "/v2/datasets/project_contracts",
    parameters: { project_ids: IDS, chain_ids: IDS, market_sector_ids: IDS, ...ORDER },
    record: PROJECT_CONTRACTS_RECORD,
    keys: ["project_id", "chain_id", "account_address"],
    sortedBy: ["project_id", "chain_id", "account_address"],
    data: "list",
    unknown: "left out",
  },
  cohort_analysis: {
    operation: "cohort_analysis",
    method: "GET",
    path: "/v2/datasets/cohort_analysis",
    parameters: { project_ids: IDS, market_sector_ids: IDS, ...ORDER },
    record: COHORT_ANALYSIS_RECORD,
    keys: ["project_id", "cohort"],
    sortedBy: ["project_id", "cohort"],
    // The specification shows one record, but services send a list.
    data: "list or one",
    unknown: "left out",
  },
  project: {
    operation: "project",
    method: "GET",
    path: "/v2/projects/{project_id}",
    parameters: { project_id: REQUIRED_IDS },
    record: PROJECT_RECORD,
    keys: ["project_id"],
    sortedBy: [],
    data: "one",
    unknown: "404",
  },
} as const satisfies Readonly<Record<Operation, Endpoint>>;
