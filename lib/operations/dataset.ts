import { nearest, oneOf } from "../platform/check_options.ts";
import { RequestError } from "../http/errors.ts";
import { shown } from "../platform/terminal.ts";
import { defaultConnection } from "../http/connect.ts";
import type { Connection } from "../http/settings.ts";
import type { Field } from "../schema/records.ts";
import { type Operation, ORDER_DIRECTIONS, type OrderDirection } from "../schema/vocabulary.ts";
import type { RowsOf } from "../table/columns.ts";
import type { DataFrame } from "../table/polars.ts";
import type { AskedIds } from "./entity_errors.ts";
import { answering, checkQuery, fieldName, idList, positiveInteger } from "./query.ts";

/**
 * Lets `order_by` be a known field, which an editor completes, or a plain `string` variable, since
 * the interface does not list the allowed values; a literal that is no known field does not compile.
 *
 * @category Operations
 */
export type CheckedOrder<Given extends string, Known extends string> = string extends Given
  ? unknown
  : [Given] extends [Known] ? unknown
  : { readonly order_by: Known };

/**
 * What every prebuilt dataset can be asked beside its lists of ids.
 *
 * @category Operations
 */
export interface DatasetQuery<Field extends string, OrderBy extends string = Field> {
  /** The response field to sort by. */
  readonly order_by?: OrderBy | Field;
  /**
   * The direction of that sort.
   *
   * @default {"asc"}
   */
  readonly order_direction?: OrderDirection;
  /** The largest number of rows to return. */
  readonly limit?: number;
}

const RULES = {
  order_by: fieldName,
  order_direction: oneOf(ORDER_DIRECTIONS),
  limit: positiveInteger,
};

/** A dataset: its name in the path, what it can be asked, and how its answer is read. */
export interface Dataset {
  readonly operation: Operation;
  /** The query keys that take ids. */
  readonly lists: readonly string[];
  readonly fields: readonly Field[];
  /** The fields that name a row, in which it is ordered where nobody asks for another order. */
  readonly keys: readonly string[];
  readonly rowsOf: RowsOf;
}

function listsIn(params: object, lists: readonly string[]): AskedIds {
  return Object.fromEntries(
    Object.entries(params).filter(([name]) => lists.includes(name)),
  );
}

/** The error of a service that does not know the field to order by, with the nearest field in front. */
function refusedOrder(error: unknown, order_by: string | undefined, known: readonly string[]) {
  const isOrder = error instanceof RequestError && error.status === 400 &&
    error.message.includes("order_by");
  if (!isOrder || order_by === undefined || known.includes(order_by)) return error;
  const { operation, status, url, attempts } = error;
  return new RequestError(
    `${operation}: order_by: did you mean ${
      nearest(order_by, known)
    }? The service answered ${status}` +
      ` to ${shown(order_by)}; its message is the cause`,
    { operation, status, url, attempts, cause: error },
  );
}

/**
 * Asks for a prebuilt dataset and makes its frame.
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 */
export async function askDataset(
  { operation, lists, fields, keys, rowsOf }: Dataset,
  query: object = {},
  connection: Connection = defaultConnection(),
): Promise<DataFrame> {
  const listRules = Object.fromEntries(lists.map((name) => [name, idList]));
  const params = checkQuery(operation, query, { ...listRules, ...RULES });
  const { order_by, order_direction, limit } = params;
  const given = structuredClone(query);
  const path = `/v2/datasets/${operation}`;
  const question = { operation, method: "GET", path, params, body: null } as const;
  const { ask, answeredFrame, frameFromRows } = await answering();
  const answers = await ask(question, connection).catch((error) => {
    throw refusedOrder(error, order_by, fields.map(({ name }) => name));
  });
  const order = {
    fields,
    keys,
    order_by,
    descending: order_direction === "desc",
    limit: limit === undefined ? Infinity : Number(limit),
  };
  // With a limit, an id that no row carries may only have been cut off.
  const asked = limit === undefined ? listsIn(params, lists) : {};
  return answeredFrame(
    { operation, query: given, connection, answers, asked, order },
    rowsOf,
    (rows, reader) => frameFromRows(rows, fields, reader),
  );
}
