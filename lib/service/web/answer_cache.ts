import type { Answer } from "./answer.ts";

/** The answers made from one snapshot, by request. */
export interface AnswerCache {
  get(key: string): Answer | undefined;
  set(key: string, answer: Answer): void;
}

const MAX_BYTES = 32_000_000;
const MAX_KEY_LENGTH = 4_096;

/** A cache of bounded size: who was used longest ago goes first. Twice the bytes are counted for gzip. */
export function createAnswerCache(maxBytes: number = MAX_BYTES): AnswerCache {
  const answers = new Map<string, Answer>();
  let size = 0;
  const weight = (key: string, { bytes }: Answer) => 2 * key.length + 2 * bytes.length;
  return {
    get(key) {
      const answer = answers.get(key);
      if (answer === undefined) return undefined;
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    set(key, answer) {
      if (key.length > MAX_KEY_LENGTH || weight(key, answer) > maxBytes / 4) return;
      const old = answers.get(key);
      if (old !== undefined) size -= weight(key, old);
      answers.delete(key);
      answers.set(key, answer);
      size += weight(key, answer);
      for (const [oldest, value] of answers) {
        if (size <= maxBytes) break;
        answers.delete(oldest);
        size -= weight(oldest, value);
      }
    },
  };
}

const OF_SNAPSHOT = new WeakMap<object, AnswerCache>();

/** The answers made from a snapshot so far: they go when it goes. */
export function answersOf(snapshot: object): AnswerCache {
  let answers = OF_SNAPSHOT.get(snapshot);
  if (answers === undefined) OF_SNAPSHOT.set(snapshot, answers = createAnswerCache());
  return answers;
}
