import type { Field } from "./field.ts";

/** The names of the fields of a project contracts record, in the order of INTERFACE 2.5. */
export const PROJECT_CONTRACTS_FIELDS = [
  "project_id",
  "project_name",
  "market_sector_id",
  "market_sector_name",
  "chain_id",
  "chain_name",
  "account_address",
  "account_title",
  "account_creation_timestamp",
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
  // The interface spells it so, and says that it means it.
  "outfows_1d_sum_trend",
  "net_flows_1d_sum_trend",
  "most_emitted_event_1d_name",
  "most_emitted_event_1d_signature",
  "most_transferred_asset_1d_symbol",
] as const;

/** The name of a field of a project contracts record. */
export type ProjectContractsField = typeof PROJECT_CONTRACTS_FIELDS[number];

const FIRST_NUMBER = PROJECT_CONTRACTS_FIELDS.indexOf("gas_used_1d_sum");
const LAST_NUMBER = PROJECT_CONTRACTS_FIELDS.indexOf("net_flows_1d_sum_trend");

/** The fields of a project contracts record: 12 String and 16 Float64. */
export const PROJECT_CONTRACTS_RECORD: readonly Field<ProjectContractsField>[] =
  PROJECT_CONTRACTS_FIELDS.map((name, index) => ({
    name,
    dtype: index < FIRST_NUMBER || index > LAST_NUMBER ? "String" : "Float64",
  }));
