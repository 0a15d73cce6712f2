import type { Answer } from "./answer.ts";

const removals = new WeakMap<Answer, () => Promise<void>>();

/** Notes how an answer that is kept would be removed. */
export function noteRemoval(answer: Answer, remove: () => Promise<void>): void {
  removals.set(answer, remove);
}

/**
 * Removes answers from the cache that turned out to be malformed, so that the next call asks the service
 * again. Offline nothing is removed: there the folder is all there is.
 */
export async function forget(answers: readonly Answer[]): Promise<void> {
  for (const answer of answers) await removals.get(answer)?.();
}
