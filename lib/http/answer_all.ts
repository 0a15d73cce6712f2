import type { Answer } from "./answer.ts";
import { answerOf } from "./answer_of.ts";
import type { Line } from "./line.ts";
import { createProgress } from "./progress.ts";
import type { Question } from "./question.ts";
import { questionKey } from "./question_key.ts";
import { share } from "./under_way.ts";

/**
 * Answers the questions of one call, so many at a time, and brings what `settle` makes of each answer, in
 * the order of the questions. The first failure ends the call: answers that came before it are in the
 * cache, and when the call has failed, nothing of it goes on.
 */
export async function answerAll<T>(
  questions: readonly Question[],
  line: Line,
  settle: (answer: Promise<Answer>) => Promise<T>,
): Promise<T[]> {
  const { settings, underWay } = line;
  const first = questions[0];
  if (first === undefined) return [];
  settings.signal?.throwIfAborted();
  const progress = createProgress(first.operation, questions.length, line);
  const settled: T[] = [];
  const leaving = new Set<() => void>();
  let failure: { readonly reason: unknown } | null = null;
  let next = 0;

  const work = async () => {
    while (failure === null && next < questions.length) {
      const index = next++;
      const question = questions[index]!;
      const key = questionKey(settings.baseUrl, question);
      const { answer, leave } = share(
        underWay,
        key,
        progress.waiting,
        (stop, waiting) => answerOf(question, line, stop, waiting),
      );
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
