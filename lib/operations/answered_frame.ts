import type { Answer } from "../http/answer.ts";
import type { Connection } from "../http/connection.ts";
import { NotFoundError } from "../http/errors/not_found_error.ts";
import { ResponseError } from "../http/errors/response_error.ts";
import { notify } from "../http/notify.ts";
import { sha256 } from "../http/sha256.ts";
import { ERROR_RECORD } from "../schema/error_record.ts";
import type { Operation } from "../schema/operation.ts";
import { annotate } from "../table/annotation.ts";
import { frameFromRows } from "../table/frame_from_rows.ts";
import type { Mismatch, Reject } from "../table/mismatch.ts";
import type { DataFrame } from "../table/polars.ts";
import type { Provenance } from "../table/provenance.ts";
import { show } from "../table/show.ts";

import { nearestKnown } from "./known_ids.ts";

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
}

/** Makes a frame of the rows of all answers. */
export type ReadRows = (rows: readonly unknown[], reject: Reject) => DataFrame;

/** Takes the rows out of `data`; undefined when it is not of the promised shape. */
export type RowsOf = (data: unknown) => readonly unknown[] | undefined;

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function refuse(operation: Operation, answer: Answer | undefined, mismatch: Mismatch): never {
  const { row, field, expected, got } = mismatch;
  const place = row === null ? field : `row ${row}, ${field}`;
  throw new ResponseError(`${operation}: ${place}: expected ${expected}, got ${shown(got)}`, {
    operation,
    status: 200,
    url: answer?.url,
    attempts: answer?.attempts,
    body: answer?.body ?? "",
    ...mismatch,
  });
}

/** Reads one list of several answers, so that a mismatch names the answer and the row within it. */
function readParts(
  operation: Operation,
  answers: readonly Answer[],
  parts: readonly (readonly unknown[])[],
  read: ReadRows,
): DataFrame {
  return read(parts.flat(), (mismatch) => {
    let row = mismatch.row ?? 0;
    const index = parts.findIndex((part) => row < part.length || (row -= part.length) < 0);
    const place = mismatch.row === null ? mismatch : { ...mismatch, row };
    return refuse(operation, answers[index] ?? answers[0], place);
  });
}

function readErrors({ operation, answers, errors = [] }: Answered): DataFrame {
  const parts = [...answers.map((answer) => answer.errors), errors];
  const once = new Set<string>();
  const distinct = parts.map((part) =>
    part.filter((error) => {
      const text = JSON.stringify(error);
      return !once.has(text) && once.add(text);
    })
  );
  return show(readParts(operation, answers, distinct, (rows, reject) =>
    frameFromRows(
      rows,
      ERROR_RECORD,
      (mismatch) => reject({ ...mismatch, field: `errors.${mismatch.field}` }),
    )));
}

async function provenanceFor(
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
  };
}

function reportMissing({ operation, connection }: Answered, errors: DataFrame, url: string): void {
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
  const { operation, answers } = answered;
  const parts = answers.map((answer) =>
    rowsOf(answer.data) ?? refuse(operation, answer, {
      row: null,
      field: "data",
      expected: operation === "project" ? "an object" : "a list of rows",
      got: answer.data,
    })
  );
  const frame = readParts(operation, answers, parts, read);
  const errors = readErrors(answered);
  const provenance = await provenanceFor(answered);
  reportMissing(answered, errors, provenance.url);
  annotate(errors, { provenance, errors });
  return show(annotate(frame, { provenance, errors }));
}
