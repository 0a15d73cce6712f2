import type { Answer } from "./answer.ts";
import { answerAll } from "./answer_all.ts";
import { type Connection, lineOf } from "./connection.ts";
import type { Question } from "./question.ts";
import { partsOf } from "./split.ts";

/**
 * Sends a question over a connection and brings its answers: one, or several where the question is
 * too long for one request and was split.
 *
 * @throws {ChainframeError} of the class that says what went wrong.
 */
export async function ask(question: Question, connection: Connection): Promise<Answer[]> {
  const line = lineOf(connection);
  const { baseUrl, maxUrlLength } = line.settings;
  return await answerAll(partsOf(question, baseUrl, maxUrlLength), line, (answer) => answer);
}
