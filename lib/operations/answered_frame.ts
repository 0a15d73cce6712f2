import { ResponseError } from "../http/errors/response_error.ts";
import { forget } from "../http/forget.ts";
import { ERROR_RECORD } from "../schema/error_record.ts";
import { annotate } from "../table/annotation.ts";
import { frameFromRows } from "../table/frame_from_rows.ts";
import type { Reject } from "../table/mismatch.ts";
import type { DataFrame } from "../table/polars.ts";
import { show } from "../table/show.ts";
import type { Answered } from "./answered.ts";
import { mergeErrors } from "./merge_errors.ts";
import { mergeRows, type Placed } from "./merge_rows.ts";
import { provenanceFor } from "./provenance_for.ts";
import { refuseAnswer } from "./refuse_answer.ts";
import { reportMissing } from "./report_missing.ts";

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

function readErrors(answered: Answered): DataFrame {
  const { answers, query, errors = [] } = answered;
  const placed = mergeErrors([...answers.map((answer) => answer.errors), errors], query);
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
  const errors = readErrors(answered);
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
