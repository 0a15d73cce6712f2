import { BLOCKCHAIN_COMPARISON_RECORD } from "../../schema/blockchain_comparison_record.ts";
import { COHORT_ANALYSIS_RECORD } from "../../schema/cohort_analysis_record.ts";
import type { Field } from "../../schema/field.ts";
import { PROJECT_CONTRACTS_RECORD } from "../../schema/project_contracts_record.ts";
import type { EntityList } from "./entity_list.ts";

/** One of the three prebuilt datasets: what it holds and how it can be asked for. */
export interface Dataset {
  readonly name: "blockchain_comparison" | "project_contracts" | "cohort_analysis";
  readonly fields: readonly Field[];
  /** The lists of entities that select its rows. */
  readonly filters: readonly EntityList[];
  /** The fields that name a row: its order when none is asked for, and the order of ties. */
  readonly ids: readonly string[];
}

/** The three prebuilt datasets. */
export const DATASETS: readonly Dataset[] = [
  {
    name: "blockchain_comparison",
    fields: BLOCKCHAIN_COMPARISON_RECORD,
    filters: ["chain_ids"],
    ids: ["chain_id"],
  },
  {
    name: "project_contracts",
    fields: PROJECT_CONTRACTS_RECORD,
    filters: ["project_ids", "chain_ids", "market_sector_ids"],
    ids: ["project_id", "chain_id", "account_address"],
  },
  {
    name: "cohort_analysis",
    fields: COHORT_ANALYSIS_RECORD,
    filters: ["project_ids", "market_sector_ids"],
    ids: ["project_id", "cohort"],
  },
];
