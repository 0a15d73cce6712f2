import type { OrderDirection } from "../../schema/order_direction.ts";
import type { Binding, Database, Row } from "../engine/duckdb.ts";
import type { Dataset } from "./dataset.ts";
import { ENTITY_LISTS, type EntityList } from "./entity_list.ts";

/** What a request asks of a dataset; its words were checked against the closed lists before. */
export type DatasetQuery =
  & { readonly [list in EntityList]?: readonly string[] | undefined }
  & {
    /**
     * A field of the dataset.
     * @default the fields that name a row
     */
    readonly order_by?: string | undefined;
    /** @default "asc" */
    readonly order_direction?: OrderDirection | undefined;
    /** @default all rows */
    readonly limit?: number | undefined;
  };

function order(dataset: Dataset, query: DatasetQuery): string {
  const field = dataset.fields.find(({ name }) => name === query.order_by);
  const direction = query.order_direction === "desc" ? "DESC" : "ASC";
  const first = field === undefined ? [] : [`${field.name} ${direction} NULLS LAST`];
  return [...first, ...dataset.ids].join(", ");
}

/** Reads rows of a prebuilt dataset: filters combine, ids that do not exist select nothing. */
export function readDataset(
  database: Database,
  dataset: Dataset,
  query: DatasetQuery,
): Promise<Row[]> {
  const bindings: Record<string, Binding> = {};
  const conditions: string[] = [];
  for (const list of dataset.filters) {
    const ids = query[list];
    if (ids === undefined) continue;
    bindings[list] = ids;
    conditions.push(`list_contains($${list}, ${ENTITY_LISTS[list].id})`);
  }
  if (query.limit !== undefined) bindings.limit = BigInt(query.limit);
  return database.rows(
    `SELECT ${dataset.fields.map(({ name }) => name).join(", ")} FROM data.${dataset.name}
     ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
     ORDER BY ${order(dataset, query)}
     ${query.limit === undefined ? "" : "LIMIT $limit"}`,
    bindings,
  );
}
