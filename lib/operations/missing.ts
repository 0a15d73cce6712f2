import { type Connection, settingsOf } from "../http/connect.ts";
import { cut, NotFoundError } from "../http/errors.ts";
import type { Redact } from "../http/redact.ts";
import type { ApiResponse } from "../http/response.ts";
import { nearest } from "../platform/check_options.ts";
import { meantWord } from "../platform/option_words.ts";
import { listed, notify, terminalText } from "../platform/terminal.ts";
import { measureNames } from "../schema/dictionary.ts";
import type { Endpoint } from "../schema/endpoints.ts";
import { ERROR_RECORD } from "../schema/records.ts";
import { isRow, utf8 } from "../table/columns/cell_values.ts";
import { type DataFrame, type Frame, pl } from "../table/columns/polars.ts";
import { sharedNames } from "../table/read/names.ts";
import { errorsOf, responseOf } from "../table/track/provenance.ts";
import { track } from "../table/track/track.ts";
import { type CheckedQuery, idsOf } from "./check_query.ts";

/** An entity that was not found, as `errorsOf` returns it. */
interface EntityError {
  readonly code: string | null;
  readonly field: string | null;
  readonly value: string | null;
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const isText = typeof value === "string" ? value.isWellFormed() : typeof value !== "object";
  return isText ? String(value) : JSON.stringify(value);
}

/** Reads one item of `errors`. An item that is not an object becomes the text `value`. */
function entityErrorOf(item: unknown, redact: Redact): EntityError {
  const safe = (value: unknown) => {
    const text = textOf(value);
    return text === null ? null : redact(text);
  };
  if (!isRow(item)) return { code: null, field: null, value: safe(item) ?? "null" };
  const own = (name: string) => Object.hasOwn(item, name) ? safe(item[name]) : null;
  return { code: own("code"), field: own("field"), value: own("value") };
}

/**
 * Returns the entity errors that the responses list, without duplicates. Sorts them by parameter, then in the order of
 * the requested ids, so that a split request gives the same order.
 */
function statedErrors(
  responses: readonly ApiResponse[],
  { parameters }: Endpoint,
  query: CheckedQuery,
): EntityError[] {
  const items = new Map(
    responses.flatMap(({ errors }) => errors).map((item) => [JSON.stringify(item), item]),
  );
  const errors = [...items.values()].map((item) => entityErrorOf(item, responses[0]!.redact));
  const ids = Object.keys(parameters).flatMap((field) =>
    idsOf(query, field).map((id) => `${field} ${id}`)
  );
  const places = new Map(ids.map((id, place) => [id, place]));
  const placeOf = ({ field, value }: EntityError) => places.get(`${field} ${value}`) ?? places.size;
  return errors.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns the name of the column that corresponds to a query key, such as `project_id` for `project_ids`. */
function columnOf(field: string): string {
  return field.replace(/s$/, "");
}

function idsIn(frame: DataFrame, column: string): string[] {
  if (!frame.columns.includes(column)) return [];
  return frame.getColumn(column).unique({ maintainOrder: true }).toArray() as string[];
}

/**
 * Returns an error for each requested id that has no row, because datasets omit unknown ids without an error. The code
 * `NOT_IN_ANSWER` is not from the API. The id `all` (INTERFACE 4.6) counts as found if there are rows. If the query has
 * a `limit`, an id without a row may exist, so no error is returned.
 */
function notInAnswer(
  { parameters, unknown }: Endpoint,
  query: CheckedQuery,
  { frame, errors }: { readonly frame: DataFrame; readonly errors: readonly EntityError[] },
): EntityError[] {
  if (unknown !== "left out" || query.params.limit !== undefined) return [];
  const lists = Object.keys(parameters).filter((name) => parameters[name]!.kind === "ids");
  return Object.keys(query.params).filter((name) => lists.includes(name)).flatMap((field) => {
    const there = new Set(idsIn(frame, columnOf(field)));
    for (const error of errors) if (error.field === field) there.add(error.value ?? "");
    if (frame.height > 0) there.add("all");
    return idsOf(query, field).filter((id) => !there.has(id))
      .map((value) => ({ code: "NOT_IN_ANSWER", field, value }));
  });
}

/**
 * Returns the entities that were not found: entities in the `errors` of a response, projects whose request got status
 * 404, and requested ids without a row.
 */
export function entityErrorsOf({ endpoint, query, responses, frame }: {
  readonly endpoint: Endpoint;
  readonly query: CheckedQuery;
  readonly responses: readonly ApiResponse[];
  readonly frame: DataFrame;
}): EntityError[] {
  const stated = statedErrors(responses, endpoint, query);
  const missing = idsOf(query, "project_id").filter((_, index) => responses[index]?.status === 404)
    .map((value) => ({ code: "NOT_FOUND", field: "project_id", value }));
  const errors = [...stated, ...missing];
  return [...errors, ...notInAnswer(endpoint, query, { frame, errors })];
}

/** Returns the frame of entity errors. */
export function errorFrame(errors: readonly EntityError[]): DataFrame {
  const columns = ERROR_RECORD.map(({ name }) => utf8(name, errors.map((error) => error[name])));
  return track(pl.DataFrame(columns));
}

/** Returns the notes of a provenance, such as unknown members of responses, and texts read as null. */
export function notesOf({ responses, remarks, noNumbers }: {
  readonly responses: readonly ApiResponse[];
  /** The notes that were made while the rows were read. */
  readonly remarks: ReadonlySet<string>;
  /** The texts that were read as null, by field. */
  readonly noNumbers: ReadonlyMap<string, readonly string[]>;
}): string[] {
  const ofItems = responses.flatMap(({ errors }) => errors).filter((item) =>
    isRow(item) &&
    Object.keys(item).some((name) => !ERROR_RECORD.some((field) => field.name === name))
  ).map((item) => `errors: ${JSON.stringify(item)}`);
  const nulls = [...noNumbers].map(([field, texts]) => {
    const distinct = [...new Set(texts)].map((text) => JSON.stringify(text)).join(", ");
    return `${field}: ${texts.length} read as null: ${distinct}`;
  });
  const all = [
    ...responses.flatMap(({ notes }) => notes),
    ...ofItems,
    ...remarks,
    ...nulls,
  ];
  const redact = responses[0]!.redact;
  return [...new Set(all.map(redact))];
}

/** Maximum number of missing entities that a message names, and maximum length of a note in it. */
const MOST_SHOWN = 5;
const LONGEST_SHOWN = 200;

function describe({ code, field, value }: EntityError, connection: Connection): string {
  const column = columnOf(field ?? "");
  const named = [...sharedNames(connection).get(column)?.keys() ?? []];
  const ids = column === "metric_id" ? measureNames() : named;
  const near = value === null ? undefined : meantWord(value, ids) ?? nearest(value, ids);
  const about = [
    code === null || code === "NOT_FOUND" ? null : code,
    near === undefined || near === value ? null : `nearest: ${near}`,
  ].filter((text) => text !== null);
  const name = [field, value].filter((text) => text !== null).join(" ") || "(not named)";
  return about.length === 0 ? name : `${name} (${about.join(", ")})`;
}

/**
 * Shows the notes of a frame, reports missing entities as `onMissing` requires, and returns the frame.
 *
 * @throws {NotFoundError} if entities are missing and `onMissing` is `"throw"`. The error contains the frame of missing
 * entities.
 */
export function reportMissing(
  frame: Frame,
  responses: readonly ApiResponse[],
  connection: Connection,
): Frame {
  const { redact, warn } = settingsOf(connection);
  const { operation, notes, url } = responseOf(frame)!;
  if (notes.length > 0) {
    const list = listed(notes.map((note) => cut(note, LONGEST_SHOWN)));
    warn(terminalText(`chainframe: ${operation}: see provenanceOf(frame).notes: ${list}`));
  }
  if (connection.onMissing === "ignore") return frame;
  const errors = errorsOf(frame);
  if (errors.height === 0) return frame;
  const items = errors.toRecords() as unknown as EntityError[];
  // Only the entities that are named, because finding similar ids takes time.
  const texts = items.map((item, at) => at < MOST_SHOWN ? describe(item, connection) : "");
  // Some gateways return 404 with JSON for every path, so the base URL can be wrong.
  const hint = responses.some(({ status }) => status === 200) || connection.target === "sample"
    ? ""
    : `; none was found, so check the address: ${connection.baseUrl}`;
  const message = terminalText(
    redact(`${operation}: not found: ${listed(texts, MOST_SHOWN)}${hint}`),
  );
  if (connection.onMissing === "throw") {
    const cause = responses.find(({ notFound }) => notFound !== null)?.notFound ?? undefined;
    const { status, attempts } = cause ?? {};
    throw new NotFoundError(message, { operation, url, errors, status, attempts, cause });
  }
  notify(`${message}; errorsOf(frame) lists them, catalog() the known ids`);
  return frame;
}
