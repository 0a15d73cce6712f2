import type { Answer } from "./answer.ts";
import { answerAll } from "./answer_all.ts";
import { type Connection, lineOf } from "./connection.ts";
import { NotFoundError } from "./errors/not_found_error.ts";
import type { Question } from "./question.ts";

/**
 * Sends several questions about one thing each, and brings their answers in the same order; where the
 * thing does not exist, the `NotFoundError` stands in place of its answer.
 *
 * @throws {ChainframeError} the first failure but a 404.
 */
export function askEach(
  questions: readonly Question[],
  connection: Connection,
): Promise<(Answer | NotFoundError)[]> {
  return answerAll<Answer | NotFoundError>(
    questions,
    lineOf(connection),
    (answer) =>
      answer.catch((error) => {
        if (error instanceof NotFoundError) return error;
        throw error;
      }),
  );
}
