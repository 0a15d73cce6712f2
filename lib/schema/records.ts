import { COMPARISON_FIELDS } from "./comparison_fields.ts";
import { COHORT_MONTHS } from "./vocabulary.ts";

/**
 * The type of a field's column.
 *
 * - `String`, `Float64`, `List(String)`: the polars dtype.
 * - `Json`: a String column of JSON text, for values whose shape is not specified.
 * - `TextOrJson`: a String column. Texts are kept, and other values are written as JSON.
 * - `{ struct: [...] }`: a List(Struct) column whose struct fields are String.
 */
type Dtype =
  | "String"
  | "Float64"
  | "List(String)"
  | "Json"
  | "TextOrJson"
  | { readonly struct: readonly string[] };

/** A field of a record: its name in JSON and as a column, and its type. */
export interface Field<Name extends string = string> {
  readonly name: Name;
  readonly dtype: Dtype;
}

/**
 * The fields of those operations that return a typed frame. For each operation, the fields are grouped by dtype.
 *
 * @category Vocabulary
 */
export interface Fields {
  /** Fields of a metric breakdown. The columns of metrics depend on the query. */
  readonly metric_breakdown: {
    readonly text: "data_id" | "chain_id" | "product_id";
    readonly number: never;
    readonly list: never;
  };
  /** Fields of metric aggregations. The client adds `value_number`. */
  readonly metric_aggregations: {
    readonly text:
      | "project_name"
      | "project_id"
      | "metric_id"
      | "metric_aggregation_name"
      | "value";
    readonly number: "value_number";
    readonly list: never;
  };
  /** Fields of a chain. */
  readonly blockchain_comparison: {
    readonly text: "chain_id" | "chain_name";
    readonly number:
      | `${
        | "market_cap_fd"
        | "market_cap_circ"
        | "active_users_daily"
        | "core_developers"
        | "ecosystem_tvl"
        | "ecosystem_active_loans"}_${
        | "latest"
        | `${"1d" | "7d" | "30d" | "90d" | "180d" | "365d"}_change`}`
      | `transaction_count_${
        | "max"
        | `${"1d" | "7d" | "30d" | "90d" | "180d" | "365d"}${"" | "_trend"}`}`
      | `${
        | "ecosystem_fees"
        | "ecosystem_revenue"
        | "ecosystem_dex_trading_volume"}_${
        | "max_sum"
        | `${"1d" | "7d" | "30d" | "90d" | "180d" | "365d"}_${"sum" | "trend"}`}`
      | "ecosystem_project_count_latest";
    readonly list: never;
  };
  /** Fields of a contract. */
  readonly project_contracts: {
    readonly text:
      | "project_id"
      | "project_name"
      | "market_sector_id"
      | "market_sector_name"
      | "chain_id"
      | "chain_name"
      | "account_address"
      | "account_title"
      | "account_creation_timestamp"
      | "most_emitted_event_1d_name"
      | "most_emitted_event_1d_signature"
      | "most_transferred_asset_1d_symbol";
    readonly number:
      | "gas_used_1d_sum"
      | "transaction_count_1d_sum"
      | "active_addresses_1d_distinct_count"
      | "transaction_gas_1d_avg"
      | "gas_market_share_1d_avg"
      | "inflows_1d_sum"
      | "outflows_1d_sum"
      | "net_flows_1d_sum"
      | "gas_used_1d_sum_trend"
      | "transaction_count_1d_sum_trend"
      | "active_addresses_1d_distinct_count_trend"
      | "transaction_gas_1d_avg_trend"
      | "gas_market_share_1d_avg_trend"
      | "inflows_1d_sum_trend"
      | "outfows_1d_sum_trend"
      | "net_flows_1d_sum_trend";
    readonly list: never;
  };
  /** Fields of a cohort. */
  readonly cohort_analysis: {
    readonly text:
      | "project_name"
      | "project_id"
      | "market_sector_id"
      | "market_sector_name"
      | "cohort";
    readonly number:
      | "initial_cohort_size"
      | `month_${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11}`;
    readonly list: never;
  };
  /** Fields of a project. */
  readonly project: {
    readonly text:
      | "name"
      | "project_id"
      | "symbol"
      | "description"
      | "market_sectors"
      | "aggregate_by_options"
      | "metric_availability";
    readonly number: never;
    readonly list: "chains" | "links" | "metric_definitions" | "metric_sources";
  };
}

/** The names of the fields of an operation's record. */
type FieldName<Operation extends keyof Fields> = Fields[Operation]["text" | "number" | "list"];

function strings<Name extends string>(...names: readonly Name[]): Field<Name>[] {
  return names.map((name) => ({ name, dtype: "String" }));
}

function numbers<Name extends string>(...names: readonly Name[]): Field<Name>[] {
  return names.map((name) => ({ name, dtype: "Float64" }));
}

/** Fields of an entity error (INTERFACE 2.2). */
export const ERROR_RECORD: readonly Field<"code" | "field" | "value">[] = strings(
  "code",
  "field",
  "value",
);

/**
 * Text fields of a metric breakdown item (INTERFACE 2.1). The `metrics` object of an item becomes Float64 columns, one
 * for each metric or aggregation.
 */
export const METRIC_BREAKDOWN_RECORD: readonly Field[] = strings(
  "data_id",
  "chain_id",
  "product_id",
);

/** Fields of a metric aggregation item (INTERFACE 2.3). `value` is text. */
export const METRIC_AGGREGATIONS_RECORD: readonly Field<FieldName<"metric_aggregations">>[] =
  strings("project_name", "project_id", "metric_id", "metric_aggregation_name", "value");

/** The fields of a blockchain comparison record (INTERFACE 2.4): 2 String and 95 Float64 columns. */
export const BLOCKCHAIN_COMPARISON_RECORD: readonly Field<FieldName<"blockchain_comparison">>[] = [
  ...strings("chain_id", "chain_name"),
  ...numbers(...COMPARISON_FIELDS.map(({ name }) => name)),
];

/** The fields of a project contracts record, in the order of INTERFACE 2.5: 12 String and 16 Float64 columns. */
export const PROJECT_CONTRACTS_RECORD: readonly Field<FieldName<"project_contracts">>[] = [
  ...strings(
    "project_id",
    "project_name",
    "market_sector_id",
    "market_sector_name",
    "chain_id",
    "chain_name",
    "account_address",
    "account_title",
    "account_creation_timestamp",
  ),
  ...numbers(
    "gas_used_1d_sum",
    "transaction_count_1d_sum",
    "active_addresses_1d_distinct_count",
    "transaction_gas_1d_avg",
    "gas_market_share_1d_avg",
    "inflows_1d_sum",
    "outflows_1d_sum",
    "net_flows_1d_sum",
    "gas_used_1d_sum_trend",
    "transaction_count_1d_sum_trend",
    "active_addresses_1d_distinct_count_trend",
    "transaction_gas_1d_avg_trend",
    "gas_market_share_1d_avg_trend",
    "inflows_1d_sum_trend",
    // The API misspells this name.
    "outfows_1d_sum_trend",
    "net_flows_1d_sum_trend",
  ),
  ...strings(
    "most_emitted_event_1d_name",
    "most_emitted_event_1d_signature",
    "most_transferred_asset_1d_symbol",
  ),
];

/** The fields of a cohort analysis record, in the order of INTERFACE 2.6: 5 String and 13 Float64 columns. */
export const COHORT_ANALYSIS_RECORD: readonly Field<FieldName<"cohort_analysis">>[] = [
  ...strings("project_name", "project_id", "market_sector_id", "market_sector_name", "cohort"),
  ...numbers("initial_cohort_size", ...COHORT_MONTHS.map((month) => `month_${month}` as const)),
];

/** The fields of a project record (INTERFACE 2.7). */
export const PROJECT_RECORD: readonly Field<FieldName<"project">>[] = [
  ...strings("name", "project_id", "symbol"),
  { name: "description", dtype: "Json" },
  { name: "market_sectors", dtype: "Json" },
  { name: "chains", dtype: "List(String)" },
  { name: "links", dtype: { struct: ["summary", "url"] } },
  { name: "aggregate_by_options", dtype: "TextOrJson" },
  { name: "metric_availability", dtype: "TextOrJson" },
  { name: "metric_definitions", dtype: { struct: ["metric_id", "definition"] } },
  { name: "metric_sources", dtype: { struct: ["metric_id", "definition"] } },
];
