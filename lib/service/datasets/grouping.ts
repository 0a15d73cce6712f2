import type { GroupBy } from "../../schema/group_by.ts";

/** The columns of a cell that the three ids of a breakdown item are read from; null stays null. */
export interface Grouping {
  readonly data_id: "project_id" | "chain_id" | "product_id" | "market_sector_id";
  readonly chain_id: "chain_id" | null;
  readonly product_id: "product_id" | null;
  /** Where the daily values of whole things of this kind are kept, if they are. */
  readonly entity: "project" | "chain" | null;
}

/** What an item of each grouping stands for. */
export const GROUPINGS: Readonly<Record<GroupBy, Grouping>> = {
  projects: { data_id: "project_id", chain_id: null, product_id: null, entity: "project" },
  chains: { data_id: "chain_id", chain_id: "chain_id", product_id: null, entity: "chain" },
  "chain-project": { data_id: "project_id", chain_id: "chain_id", product_id: null, entity: null },
  "chain-product": {
    data_id: "product_id",
    chain_id: "chain_id",
    product_id: "product_id",
    entity: null,
  },
  "chain-market-sector": {
    data_id: "market_sector_id",
    chain_id: "chain_id",
    product_id: null,
    entity: null,
  },
  "market-sector": {
    data_id: "market_sector_id",
    chain_id: null,
    product_id: null,
    entity: "project",
  },
  product: { data_id: "product_id", chain_id: null, product_id: "product_id", entity: null },
};
