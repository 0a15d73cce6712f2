import type { Answer } from "../http/envelope.ts";
import { type Connection, settingsOf } from "../http/settings.ts";
import type { Operation } from "../schema/vocabulary.ts";
import { mergeRows, type Placed, type RowOrder } from "./merge.ts";
import {
  type AskedIds,
  type EntityError,
  entityErrorsOf,
  errorFrame,
  type NoNumbers,
  notInAnswer,
  rememberIds,
  reportMissing,
  tellBlanks,
  tellNotes,
} from "./entity_errors.ts";
import { sha256 } from "../platform/machine.ts";
import { annotate, type Annotation, type Provenance } from "../table/provenance.ts";
import { NotFoundError, ResponseError } from "../http/errors.ts";
import { redactCause, redactValue } from "../http/redact.ts";
import type { Mismatch, Reader, RowsOf } from "../table/columns.ts";
import type { DataFrame } from "../table/polars.ts";
import { forget } from "../http/cache.ts";
import { remember } from "../table/remember.ts";

export { ask, askAll, askEach } from "../http/ask.ts";
export { frameFromRows } from "../table/frame_from_rows.ts";
export { readAggregations, readBreakdown } from "./metric_columns.ts";

/** What was asked, and what came. */
interface Answered {
  readonly operation: Operation;
  /** The query as it was given: a copy, since the caller may change theirs while it is answered. */
  readonly query: object;
  readonly connection: Connection;
  readonly answers: readonly Answer[];
  /** The first 404 that stands for an entity error. */
  readonly cause?: NotFoundError;
  /** Entity errors besides those of the answers. */
  readonly errors?: readonly EntityError[];
  /** The ids that rows must carry, or else are reported. */
  readonly asked?: AskedIds;
  /** What a report of missing entities says besides. */
  readonly hint?: string;
  /** How the rows of several answers become one list; as they came, where it is not given. */
  readonly order?: RowOrder;
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
function provenanceFor(
  { operation, query, connection, answers, cause }: Answered,
  notes: readonly string[],
): Provenance {
  const digests = answers.map((answer) => answer.sha256);
  const times = answers.map((answer) => answer.retrieved_at.getTime());
  const fresh = answers.find((answer) => answer.source !== "cache");
  return {
    operation,
    source: fresh?.source ?? answers[0]?.source ?? connection.target,
    url: answers[0]?.url ?? cause?.url ?? connection.baseUrl,
    query: query as Record<string, unknown>,
    retrieved_at: times.length === 0 ? new Date() : new Date(Math.max(...times)),
    requests: answers.length,
    renamed: answers.flatMap((answer) => answer.renamed),
    sha256: digests.length === 1 ? digests[0]! : sha256(digests.join("")),
    data_through: commonDay(answers.map((answer) => answer.data_through), Math.min),
    data_since: commonDay(answers.map((answer) => answer.data_since), Math.max),
    notes,
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
function refuseAnswer(
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
    body: answer?.body() ?? "",
    ...mismatch,
    got,
  });
}

/** Makes a frame of the rows of all answers. */
type ReadRows = (rows: readonly unknown[], reader: Reader) => DataFrame;

/** The rows of one answer: none where entity errors stand in place of all data. */
function rowsIn(answered: Answered, answer: Answer, rowsOf: RowsOf): readonly unknown[] {
  const data = answer.data();
  if (data === null && answer.errors.length > 0) return [];
  return rowsOf(data) ?? refuseAnswer(answered, answer, {
    row: null,
    field: "data",
    expected: answered.operation === "project" ? "an object" : "a list of rows",
    got: data,
  });
}

/** Who reads the rows of several answers: a mismatch names the answer and the row within it. */
function readerOf(
  answered: Answered,
  placed: readonly Placed[] | null,
  noNumbers: NoNumbers,
): Reader {
  return {
    reject: (mismatch) => {
      const place = mismatch.row === null ? undefined : placed?.[mismatch.row];
      const answer = answered.answers[place?.part ?? 0];
      return refuseAnswer(answered, answer, place ? { ...mismatch, row: place.index } : mismatch);
    },
    noNumber: (field, text) => {
      const texts = noNumbers.get(field);
      if (texts === undefined) noNumbers.set(field, [text]);
      else texts.push(text);
    },
  };
}

function readAnswered(
  answered: Answered,
  rowsOf: RowsOf,
  read: ReadRows,
): DataFrame {
  const { connection, answers, cause, order = null, asked = {}, hint = "" } = answered;
  tellBlanks(answered);
  const noNumbers: NoNumbers = new Map();
  const parts = answers.map((answer) => rowsIn(answered, answer, rowsOf));
  // The rows of one answer are where they are.
  const placed = parts.length === 1 ? null : mergeRows(parts, order);
  const rows = placed?.map(({ value }) => value) ?? parts[0] ?? [];
  const frame = read(rows, readerOf(answered, placed, noNumbers));
  rememberIds(connection, frame);
  const [found, remarks] = entityErrorsOf(answered);
  const errors = [...found, ...answered.errors ?? []];
  errors.push(...notInAnswer(asked, frame, errors));

  const said = [...answers.flatMap(({ notes }) => notes), ...remarks];
  const isSilent = said.length === 0 && noNumbers.size === 0;
  const notes = isSilent ? [] : tellNotes(answered, { remarks: said, noNumbers });
  const provenance = provenanceFor(answered, notes);
  let ofErrors: DataFrame | null = null;
  const annotation: Annotation = {
    provenance,
    // Made when somebody asks for it: a frame without rows takes as long as one with some.
    get errors() {
      return ofErrors ??= annotate(errorFrame(errors), annotation);
    },
  };
  if (errors.length > 0) {
    const frame = annotation.errors;
    reportMissing(answered, { errors, frame, url: provenance.url, hint, cause });
  }
  return remember(annotate(frame, annotation));
}

/** What was thrown while an answer was read, as the error that says so. */
function unreadable({ operation, connection, answers }: Answered, cause: unknown): ResponseError {
  const { redact } = settingsOf(connection);
  const reason = redact(cause instanceof Error ? cause.message : String(cause));
  const [{ url, attempts, body } = {} as Partial<Answer>] = answers;
  return new ResponseError(`${operation}: the answer cannot be read: ${reason}`, {
    operation,
    status: 200,
    url,
    attempts,
    body: body?.() ?? "",
    cause: redactCause(cause, redact),
  });
}

/**
 * Makes the frame of an operation: its rows as columns, its errors and its provenance beside it. An
 * answer that cannot be read is removed from the cache, whatever the reason.
 *
 * @throws {ResponseError} that names row, field, expected and got, and keeps the body.
 * @throws {NotFoundError} when entities were not found and the connection says `onMissing: "throw"`.
 */
export async function answeredFrame(
  answered: Answered,
  rowsOf: RowsOf,
  read: ReadRows,
): Promise<DataFrame> {
  const { signal } = settingsOf(answered.connection);
  try {
    return readAnswered(answered, rowsOf, read);
  } catch (error) {
    if (error instanceof NotFoundError || (signal?.aborted && error === signal.reason)) throw error;
    await forget(answered.answers);
    throw error instanceof ResponseError ? error : unreadable(answered, error);
  }
}
