import { type Connection, defaultConnection, settingsOf } from "../http/connect.ts";
import { ChainframeError } from "../http/errors.ts";
import { fetchAll, forget } from "../http/fetch_all.ts";
import type { Redact } from "../http/redact.ts";
import { type ApiRequest, splitRequest } from "../http/request.ts";
import { type ApiResponse, mismatchError, unreadableError } from "../http/response.ts";
import { sha256 } from "../platform/machine.ts";
import { terminalText } from "../platform/terminal.ts";
import type { Endpoint } from "../schema/endpoints.ts";
import { isRow, type Reader } from "../table/columns/cell_values.ts";
import { frameFromRows } from "../table/columns/frame_from_rows.ts";
import { shareNames } from "../table/read/names.ts";
import type { DataFrame, Frame } from "../table/columns/polars.ts";
import {
  annotate,
  type Annotation,
  dateAt,
  type ResponseProvenance,
} from "../table/track/provenance.ts";
import { track } from "../table/track/track.ts";
import { type CheckedQuery, checkQuery, idsOf } from "./check_query.ts";
import { openLock } from "../evidence/lock.ts";
import { mergeRows, type Placed } from "./merge.ts";
import { readAggregations, readBreakdown } from "./metric_values.ts";
import { entityErrorsOf, errorFrame, notesOf, reportMissing } from "./missing.ts";

/**
 * Returns the requests of a checked query. There are several requests if a list is too long for one URL. There is one
 * request per project if the path contains the project id.
 */
function requestsOf(
  { operation, method, path }: Endpoint,
  { params }: CheckedQuery,
  connection: Connection,
): ApiRequest[] {
  const { baseUrl, maxUrlLength } = settingsOf(connection);
  if (method === "POST") return [{ operation, method, path, params: {}, body: params }];
  const { project_id, ...others } = params;
  if (path.includes("{project_id}")) {
    return [project_id ?? []].flat().map((id) => {
      const own = path.replace("{project_id}", () => encodeURIComponent(id));
      return { operation, method, path: own, params: others, body: null };
    });
  }
  return splitRequest({ operation, method, path, params, body: null }, baseUrl, maxUrlLength);
}

/**
 * Returns the rows of a response, or no rows if the response has entity errors instead of data.
 *
 * @throws {ResponseError} when `data` of the response does not have the documented shape.
 */
export function rowsIn({ data }: Endpoint, response: ApiResponse): readonly unknown[] {
  const got = response.data;
  if (got === null && response.errors.length > 0) return [];
  if (data !== "one" && Array.isArray(got)) return got;
  if (data !== "list" && isRow(got)) return [got];
  const expected = data === "one" ? "an object" : "a list of rows";
  throw mismatchError(response, { row: null, field: "data", expected, got });
}

function provenanceFor(
  { operation }: Endpoint,
  { given }: CheckedQuery,
  all: readonly ApiResponse[],
): Omit<ResponseProvenance, "notes"> {
  const found = all.filter(({ status }) => status === 200);
  const responses = found.length === 0 ? all : found;
  const digests = found.map(({ sha256 }) => sha256);
  const fresh = responses.find(({ source }) => source !== "cache");
  return {
    kind: "response",
    operation,
    source: fresh?.source ?? "cache",
    sample: responses.some(({ sample }) => sample),
    url: responses[0]!.url,
    query: given,
    retrieved_at: dateAt(-1, responses.map(({ retrieved_at }) => retrieved_at))!,
    requests: found.length,
    renamed: found.flatMap(({ renamed }) => renamed),
    sha256: digests.length === 1 ? digests[0]! : sha256(digests.join("")),
    data_through: dateAt(0, found.map(({ data_through }) => data_through)),
    data_since: dateAt(-1, found.map(({ data_since }) => data_since)),
    steps: [],
  };
}

/** Removes the token from the names of columns. Side-cars and messages contain these names. */
function withoutToken(frame: DataFrame, redact: Redact): DataFrame {
  const names = frame.columns.map((name) => [name, redact(name)] as const);
  const found = names.filter(([name, safe]) => safe !== name);
  return found.length === 0 ? frame : frame.rename(Object.fromEntries(found));
}

/**
 * Makes the frame of a query from its responses, with provenance and entity errors.
 *
 * @throws {ResponseError} when a row does not have the documented shape. The error contains the row, the field, the
 * expected value, the actual value, and the body.
 */
export function frameOf(
  endpoint: Endpoint,
  query: CheckedQuery,
  responses: readonly ApiResponse[],
): Frame {
  const found = responses.filter(({ status }) => status === 200);
  let rows: readonly Placed[] = found.flatMap((response, part) =>
    rowsIn(endpoint, response).map((value, index) => ({ value, part, index }))
  );
  const noNumbers = new Map<string, string[]>();
  const remarks = new Set<string>();
  const reader: Reader = {
    reject: (mismatch) => {
      const place = mismatch.row === null ? undefined : rows[mismatch.row];
      const response = found[place?.part ?? 0]!;
      throw mismatchError(response, { ...mismatch, row: place?.index ?? mismatch.row });
    },
    noNumber: (field, text) => {
      const texts = noNumbers.get(field);
      if (texts === undefined) noNumbers.set(field, [text]);
      else texts.push(text);
    },
    note: (text) => void remarks.add(text),
  };
  if (found.length > 1 && rows.length > 0 && endpoint.sortedBy.length > 0) {
    rows = mergeRows(rows, endpoint, { ...query, reject: reader.reject });
  }
  const values = rows.map(({ value }) => value);
  const read = endpoint.operation === "metric_breakdown"
    ? readBreakdown(values, {
      metrics: idsOf(query, "metric_ids"),
      groupBy: String(query.params.group_by),
    }, reader)
    : endpoint.operation === "metric_aggregations"
    ? readAggregations(values, reader)
    : frameFromRows(values, endpoint.record, reader);
  const frame = withoutToken(read, responses[0]!.redact);
  const errors = entityErrorsOf({ endpoint, query, responses, frame });
  const notes = notesOf({ responses, remarks, noNumbers });
  const provenance = { ...provenanceFor(endpoint, query, responses), notes };
  let entityErrors: DataFrame | null = null;
  const annotation: Annotation = {
    provenance,
    // The frame of errors is created on first access, because even an empty frame takes time to create.
    get errors() {
      return entityErrors ??= annotate(errorFrame(errors), annotation);
    },
  };
  return track(annotate(frame, annotation));
}

/** Runs a function that reads responses. If the function throws, removes the responses from the cache. */
export async function orForget<T>(responses: readonly ApiResponse[], read: () => T): Promise<T> {
  try {
    return read();
  } catch (error) {
    await forget(responses);
    throw error instanceof ChainframeError ? error : unreadableError(responses[0]!, error);
  }
}

/**
 * Runs an operation: checks the query, sends its requests, makes the frame and reports missing entities. `Made` is the
 * type of the frame, whose columns the endpoint defines.
 *
 * @throws {QueryError} for a bad argument, before anything is sent.
 * @throws {NotFoundError} for an unknown entity, if `onMissing` is `"throw"`.
 * @throws {ResponseError} for a response that does not have the documented shape.
 * @throws {ChainframeError} of another class for a failed request.
 */
export async function fetchFrame<Made extends DataFrame = Frame>(
  endpoint: Endpoint,
  query: object = {},
  connection: Connection = defaultConnection(),
): Promise<Made> {
  const { target, warn } = settingsOf(connection);
  const checked = checkQuery(endpoint, query, target === "service");
  const compare = openLock(connection, (at) => fetchFrame(endpoint, query, at));
  for (const warning of checked.warnings) warn(terminalText(`chainframe: ${warning}`));
  const responses = await fetchAll(requestsOf(endpoint, checked, connection), connection);
  const frame = await orForget(responses, () => frameOf(endpoint, checked, responses));
  await compare(frame, responses);
  shareNames(connection, frame);
  return reportMissing(frame, responses, connection) as unknown as Made;
}
