import type { Answer } from "../http/answer.ts";
import { settingsOf } from "../http/connection.ts";
import { ResponseError } from "../http/errors/response_error.ts";
import { redactValue } from "../http/redact.ts";
import type { Mismatch } from "../table/mismatch.ts";
import type { Answered } from "./answered.ts";

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
