import {
  BLOCKCHAIN_COMPARISON_RECORD,
  COHORT_ANALYSIS_RECORD,
  type Field,
  PROJECT_CONTRACTS_RECORD,
} from "../../schema/records.ts";
import { ENTITY_LISTS, type EntityList } from "./entity_list.ts";
import type { OrderDirection } from "../../schema/vocabulary.ts";
import type { Binding, Database, Row } from "../engine/duckdb.ts";

/** A prebuilt dataset: columns, filters and order. */
export interface Dataset {
  readonly name: "blockchain_comparison" | "project_contracts" | "cohort_analysis";
  readonly fields: readonly Field[];
  /** The names of the request fields that filter the rows by lists of ids. */
  readonly filters: readonly EntityList[];
  /**
   * Fields that identify a row. By default, rows are sorted by these fields. If `order_by` is given, these fields
   * determine the order of rows that are equal in the field `order_by`.
   */
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

/** The query of a request for a dataset. Its values are already validated. */
export type DatasetQuery =
  & { readonly [list in EntityList]?: readonly string[] | undefined }
  & {
    /**
     * The field by which rows are sorted.
     * @default the fields that identify a row
     */
    readonly order_by?: string | undefined;
    /**
     * The direction of the sort by `order_by`.
     * @default "asc"
     */
    readonly order_direction?: OrderDirection | undefined;
    /**
     * The maximum number of rows.
     * @default all rows
     */
    readonly limit?: number | undefined;
  };

function order(dataset: Dataset, query: DatasetQuery): string {
  const field = dataset.fields.find(({ name }) => name === query.order_by);
  const direction = query.order_direction === "desc" ? "DESC" : "ASC";
  const first = field === undefined ? [] : [`${field.name} ${direction} NULLS LAST`];
  return [...first, ...dataset.ids].join(", ");
}

/** Reads rows of a dataset in batches. A row must match all filters. Unknown ids select nothing. */
export function readDataset(
  database: Database,
  dataset: Dataset,
  query: DatasetQuery,
): AsyncGenerator<Row[], void> {
  const bindings: Record<string, Binding> = {};
  const conditions: string[] = [];
  for (const list of dataset.filters) {
    const ids = query[list];
    if (ids === undefined) continue;
    bindings[list] = ids;
    conditions.push(`list_contains($${list}, ${ENTITY_LISTS[list].id})`);
  }
  if (query.limit !== undefined) bindings.limit = BigInt(query.limit);
  return database.batches(
    `SELECT ${dataset.fields.map(({ name }) => name).join(", ")} FROM data.${dataset.name}
     ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
     ORDER BY ${order(dataset, query)}
     ${query.limit === undefined ? "" : "LIMIT $limit"}`,
    bindings,
  );
}
