import { ask } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import type { Field } from "../schema/field.ts";
import type { Operation } from "../schema/operation.ts";
import { frameFromRows } from "../table/frame_from_rows.ts";
import type { DataFrame } from "../table/polars.ts";
import { answeredFrame, type RowsOf } from "./answered_frame.ts";

/** A dataset: its name in the path, and how its answer is read. */
export interface Dataset {
  readonly operation: Operation;
  readonly fields: readonly Field[];
  readonly rowsOf: RowsOf;
}

/** Asks for a prebuilt dataset and makes its frame; `params` have been checked. */
export async function askDataset(
  { operation, fields, rowsOf }: Dataset,
  params: Readonly<Record<string, string | readonly string[]>>,
  query: object,
  connection: Connection,
): Promise<DataFrame> {
  const path = `/v2/datasets/${operation}`;
  const answers = await ask({ operation, method: "GET", path, params, body: null }, connection);
  return answeredFrame(
    { operation, query, connection, answers },
    rowsOf,
    (rows, reject) => frameFromRows(rows, fields, reject),
  );
}
