import { ask } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import type { Field } from "../schema/records.ts";
import type { Operation } from "../schema/vocabulary.ts";
import { frameFromRows } from "../table/frame_from_rows.ts";
import type { DataFrame } from "../table/polars.ts";
import { answeredFrame, type RowsOf } from "./answered_frame.ts";

/**
 * Lets `order_by` be a known field, which an editor completes, or a plain `string` variable, since
 * the interface does not list the allowed values; a literal that is no known field does not compile.
 */
export type CheckedOrder<Given extends string, Known extends string> = string extends Given
  ? unknown
  : [Given] extends [Known] ? unknown
  : { readonly order_by: Known };

/** A dataset: its name in the path, and how its answer is read. */
export interface Dataset {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  /** The fields that name a row, in which it is ordered where nobody asks for another order. */
  readonly keys: readonly string[];
  readonly rowsOf: RowsOf;
}

/** The parameters of a dataset, checked. */
export interface DatasetParams {
  readonly [list: string]: string | readonly string[];
}

/** Asks for a prebuilt dataset and makes its frame. */
export async function askDataset(
  { operation, fields, keys, rowsOf }: Dataset,
  params: DatasetParams,
  query: object,
  connection: Connection,
): Promise<DataFrame> {
  const path = `/v2/datasets/${operation}`;
  const { order_by, order_direction, limit } = params as Readonly<Record<string, string>>;
  const answers = await ask({ operation, method: "GET", path, params, body: null }, connection);
  const order = {
    fields,
    keys,
    order_by,
    descending: order_direction === "desc",
    limit: limit === undefined ? Infinity : Number(limit),
  };
  return answeredFrame(
    { operation, query, connection, answers, order },
    rowsOf,
    (rows, reject) => frameFromRows(rows, fields, reject),
  );
}
