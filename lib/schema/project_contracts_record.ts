import type { Field } from "./field.ts";

const IDENTITY = [
  "project_id",
  "project_name",
  "market_sector_id",
  "market_sector_name",
  "chain_id",
  "chain_name",
  "account_address",
  "account_title",
  "account_creation_timestamp",
] as const;

const NUMBERS = [
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
] as const;

const MOST = [
  "most_emitted_event_1d_name",
  "most_emitted_event_1d_signature",
  "most_transferred_asset_1d_symbol",
] as const;

/** The name of a field of a project contracts record. */
export type ProjectContractsField =
  | typeof IDENTITY[number]
  | typeof NUMBERS[number]
  | typeof MOST[number];

/** The fields of a project contracts record (INTERFACE 2.5): 12 String and 16 Float64. */
export const PROJECT_CONTRACTS_RECORD: readonly Field<ProjectContractsField>[] = [
  ...IDENTITY.map((name) => ({ name, dtype: "String" as const })),
  ...NUMBERS.map((name) => ({ name, dtype: "Float64" as const })),
  ...MOST.map((name) => ({ name, dtype: "String" as const })),
];
