import type { Answer } from "../http/envelope.ts";
import { type Connection, settingsOf } from "../http/connection.ts";
import type { Operation } from "../schema/vocabulary.ts";
import { mergeEntityErrors, mergeRows, type Placed, type RowOrder } from "./merge.ts";
import { nearest } from "../host/nearest.ts";
import { sha256 } from "../host/file.ts";
import { annotate, type Provenance } from "../table/provenance.ts";
import { NotFoundError, ResponseError } from "../http/errors.ts";
import { redactValue } from "../http/redact.ts";
import type { Mismatch, Reject } from "../table/columns.ts";
import { notify } from "../host/notify.ts";
import type { DataFrame } from "../table/polars.ts";
import { forget } from "../http/cache.ts";
import { ERROR_RECORD } from "../schema/records.ts";
import { frameFromRows } from "../table/frame_from_rows.ts";
import { show } from "../table/show.ts";

/** What was asked, and what came. */
export interface Answered {
  readonly operation: Operation;
  /** The query as it was given. */
  readonly query: object;
  readonly connection: Connection;
  readonly answers: readonly Answer[];
  /** The URL that was asked first, for a question that nothing answered. */
  readonly url?: string;
  /** Entity errors besides those of the answers. */
  readonly errors?: readonly unknown[];
  /** How the rows of several answers become one list; as they came, where it is not given. */
  readonly order?: RowOrder;
}

/** The ids that a connection's catalog holds, by the query field that takes them. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

const known = new WeakMap<Connection, KnownIds>();

/** Keeps the ids of a catalog, once it is there. */
export function rememberIds(connection: Connection, ids: KnownIds): void {
  known.set(connection, ids);
}

/**
 * The known id that is nearest to one that was not found; undefined when the connection's catalog
 * has not been fetched. It never fetches.
 */
export function nearestKnown(
  connection: Connection,
  field: string,
  value: string,
): string | undefined {
  const ids = known.get(connection);
  const list = ids !== undefined && Object.hasOwn(ids, field) ? ids[field]! : [];
  return nearest(value, list);
}

/** The day up to which, or from which on, all answers hold; null where one does not say, or none came. */
function commonDay(
  days: readonly (Date | null)[],
  choose: (...times: number[]) => number,
): Date | null {
  const known = days.filter((day) => day !== null);
  if (known.length === 0 || known.length < days.length) return null;
  return new Date(choose(...known.map((day) => day.getTime())));
}

/** Where the frame of these answers came from. */
export async function provenanceFor(
  { operation, query, connection, answers, url }: Answered,
): Promise<Provenance> {
  const digests = answers.map((answer) => answer.sha256);
  const times = answers.map((answer) => answer.retrieved_at.getTime());
  const fresh = answers.find((answer) => answer.source !== "cache");
  return {
    operation,
    source: fresh?.source ?? answers[0]?.source ?? connection.target,
    url: answers[0]?.url ?? url ?? connection.baseUrl,
    query: structuredClone(query) as Record<string, unknown>,
    retrieved_at: times.length === 0 ? new Date() : new Date(Math.max(...times)),
    requests: answers.length,
    renamed: answers.flatMap((answer) => answer.renamed),
    sha256: digests.length === 1
      ? digests[0]!
      : await sha256(new TextEncoder().encode(digests.join(""))),
    data_through: commonDay(answers.map((answer) => answer.data_through), Math.min),
    data_since: commonDay(answers.map((answer) => answer.data_since), Math.max),
    notes: [...new Set(answers.flatMap((answer) => answer.notes))],
    steps: [],
    inputs: [],
  };
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/**
 * Refuses an answer that is not of the promised shape.
 *
 * @throws {ResponseError} that names row, field, expected and got, and keeps the body.
 */
export function refuseAnswer(
  { operation, connection }: Answered,
  answer: Answer | undefined,
  mismatch: Mismatch,
): never {
  const { row, field, expected } = mismatch;
  const place = row === null ? field : `row ${row}, ${field}`;
  // A service that echoes the token must not make an error tell it.
  const got = redactValue(mismatch.got, settingsOf(connection).redact);
  throw new ResponseError(`${operation}: ${place}: expected ${expected}, got ${shown(got)}`, {
    operation,
    status: 200,
    url: answer?.url,
    attempts: answer?.attempts,
    body: answer?.body ?? "",
    ...mismatch,
    got,
  });
}

/**
 * Warns of entities that were not found, as the connection says.
 *
 * @throws {NotFoundError} with `onMissing: "throw"`; it carries the error frame.
 */
export function reportMissing(
  { operation, connection }: Answered,
  errors: DataFrame,
  url: string,
): void {
  if (errors.height === 0 || connection.onMissing === "ignore") return;
  const rows = errors.head(5).toRecords() as { code: string; field: string; value: string }[];
  const list = rows.map(({ code, field, value }) => {
    const nearest = nearestKnown(connection, field, value);
    const notes = [
      code === "NOT_FOUND" ? "" : ` (${code})`,
      nearest ? ` (nearest: ${nearest})` : "",
    ];
    return `${field} ${value}${notes.join("")}`;
  });
  if (errors.height > rows.length) list.push(`and ${errors.height - rows.length} more`);
  const told = `${operation}: not found: ${list.join(", ")}`;
  if (connection.onMissing === "throw") throw new NotFoundError(told, { operation, url, errors });
  notify(`${told}; errorsOf(frame) lists them`);
}

/** The rows of a `data` that must be a list. */
export function listOfRows(data: unknown): readonly unknown[] | undefined {
  return Array.isArray(data) ? data : undefined;
}

/** Makes a frame of the rows of all answers. */
export type ReadRows = (rows: readonly unknown[], reject: Reject) => DataFrame;

/** Takes the rows out of `data`; undefined when it is not of the promised shape. */
export type RowsOf = (data: unknown) => readonly unknown[] | undefined;

/** Reads rows of several answers, so that a mismatch names the answer and the row within it. */
function readPlaced(answered: Answered, placed: readonly Placed[], read: ReadRows): DataFrame {
  return read(placed.map(({ value }) => value), (mismatch) => {
    const place = mismatch.row === null ? undefined : placed[mismatch.row];
    const answer = answered.answers[place?.part ?? 0];
    return refuseAnswer(answered, answer, place ? { ...mismatch, row: place.index } : mismatch);
  });
}

function readEntityErrors(answered: Answered): DataFrame {
  const { answers, query, errors = [] } = answered;
  const placed = mergeEntityErrors([...answers.map((answer) => answer.errors), errors], query);
  return show(readPlaced(answered, placed, (rows, reject) =>
    frameFromRows(
      rows,
      ERROR_RECORD,
      (mismatch) => reject({ ...mismatch, field: `errors.${mismatch.field}` }),
    )));
}

async function readAnswered(
  answered: Answered,
  rowsOf: RowsOf,
  read: ReadRows,
): Promise<DataFrame> {
  const { operation, answers, order = null } = answered;
  const parts = answers.map((answer) =>
    rowsOf(answer.data) ?? refuseAnswer(answered, answer, {
      row: null,
      field: "data",
      expected: operation === "project" ? "an object" : "a list of rows",
      got: answer.data,
    })
  );
  const frame = readPlaced(answered, mergeRows(parts, order), read);
  const errors = readEntityErrors(answered);
  const provenance = await provenanceFor(answered);
  reportMissing(answered, errors, provenance.url);
  annotate(errors, { provenance, errors });
  return show(annotate(frame, { provenance, errors }));
}

/**
 * Makes the frame of an operation: its rows as columns, its errors and its provenance beside it.
 *
 * @throws {ResponseError} that names row, field, expected and got, and keeps the body.
 * @throws {NotFoundError} when entities were not found and the connection says `onMissing: "throw"`.
 */
export async function answeredFrame(
  answered: Answered,
  rowsOf: RowsOf,
  read: ReadRows,
): Promise<DataFrame> {
  try {
    return await readAnswered(answered, rowsOf, read);
  } catch (error) {
    if (error instanceof ResponseError) await forget(answered.answers);
    throw error;
  }
}
