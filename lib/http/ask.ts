import type { Answer } from "./envelope.ts";
import { answerOf } from "./answer.ts";
import { type Session, sessionOf, share } from "./session.ts";
import { createProgress } from "./progress.ts";
import type { Connection, Settings } from "./settings.ts";
import { partsOf, type Question, questionKey } from "./question.ts";
import { NotFoundError } from "./errors.ts";

/** Who may share an answer: the cache is asked for different ones where only one may be old. */
function shareKey(question: Question, { baseUrl, cache }: Settings): string {
  const key = questionKey(baseUrl, question);
  return cache === null || question.settled === undefined
    ? key
    : `${key} ${question.settled.getTime()}`;
}

/**
 * Answers the questions of one call, so many at a time, and brings what `settle` makes of each answer, in
 * the order of the questions. The first failure ends the call: answers that came before it are in the
 * cache, and when the call has failed, nothing of it goes on.
 */
async function answerAll<T>(
  questions: readonly Question[],
  session: Session,
  settle: (answer: Promise<Answer>) => Promise<T>,
): Promise<T[]> {
  const { settings, underWay } = session;
  const first = questions[0];
  if (first === undefined) return [];
  settings.signal?.throwIfAborted();
  const progress = createProgress(first.operation, questions.length, settings);
  const settled: T[] = [];
  const leaving = new Set<() => void>();
  let failure: { readonly reason: unknown } | null = null;
  let next = 0;

  const work = async () => {
    while (failure === null && next < questions.length) {
      const index = next++;
      const question = questions[index]!;
      const key = shareKey(question, settings);
      const { answer, leave } = share(underWay, key, {
        waiting: progress.waiting,
        start: (waiters) => answerOf(question, session, waiters),
      });
      leaving.add(leave);
      try {
        settled[index] = await settle(answer);
        progress.arrived();
      } catch (reason) {
        failure ??= { reason };
        // Nothing of this call waits any longer; what is being sent may still come, and be kept.
        for (const each of leaving) each();
      } finally {
        leave();
        leaving.delete(leave);
      }
    }
  };

  const workers = Math.min(settings.concurrency, questions.length);
  await Promise.all(Array.from({ length: workers }, work));
  await progress.end();
  if (failure !== null) throw (failure as { reason: unknown }).reason;
  return settled;
}

/**
 * Sends a question over a connection and brings its answers: one, or several where the question is
 * too long for one request and was split.
 *
 * @throws {ChainframeError} of the class that says what went wrong.
 */
export async function ask(question: Question, connection: Connection): Promise<Answer[]> {
  const session = sessionOf(connection);
  const { baseUrl, maxUrlLength } = session.settings;
  return await answerAll(partsOf(question, baseUrl, maxUrlLength), session, (answer) => answer);
}

/**
 * Sends several questions of one call, each of which fits one request, and brings their answers in the same
 * order.
 *
 * @throws {ChainframeError} the first failure.
 */
export function askAll(
  questions: readonly Question[],
  connection: Connection,
): Promise<Answer[]> {
  return answerAll(questions, sessionOf(connection), (answer) => answer);
}

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
    sessionOf(connection),
    (answer) =>
      answer.catch((error) => {
        if (error instanceof NotFoundError) return error;
        throw error;
      }),
  );
}
