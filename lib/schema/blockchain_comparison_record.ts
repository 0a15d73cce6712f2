import { COMPARISON_FIELDS, type ComparisonFieldName } from "./comparison_field.ts";
import type { Field } from "./field.ts";

/** The name of a field of a blockchain comparison record. */
export type BlockchainComparisonField = "chain_id" | "chain_name" | ComparisonFieldName;

/** The fields of a blockchain comparison record (INTERFACE 2.4): 2 String and 95 Float64. */
export const BLOCKCHAIN_COMPARISON_RECORD: readonly Field<BlockchainComparisonField>[] = [
  { name: "chain_id", dtype: "String" },
  { name: "chain_name", dtype: "String" },
  ...COMPARISON_FIELDS.map(({ name }) => ({ name, dtype: "Float64" as const })),
];
