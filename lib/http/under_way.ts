import type { Answer } from "./answer.ts";
import type { Waiting } from "./pace.ts";

/** A question that is being answered, and who waits for it. */
export interface UnderWay {
  readonly answer: Promise<Answer>;
  readonly listeners: Set<Waiting>;
  /** Ends its waits and retries, once nobody wants it any more. */
  readonly stop: AbortController;
}

/** A share in an answer that is on its way. */
export interface Share {
  readonly answer: Promise<Answer>;
  /** Says that the answer is no longer wanted. An attempt under way still ends, and is kept. */
  readonly leave: () => void;
}

/** Waits for the answer of a question that is under way already, or starts it. */
export function share(
  underWay: Map<string, UnderWay>,
  key: string,
  waiting: Waiting,
  start: (stop: AbortSignal, waiting: Waiting) => Promise<Answer>,
): Share {
  let entry = underWay.get(key);
  if (entry === undefined || entry.stop.signal.aborted) {
    const listeners = new Set<Waiting>();
    const stop = new AbortController();
    const answer = start(stop.signal, (ms) => listeners.forEach((listener) => listener(ms)));
    const made: UnderWay = { answer, listeners, stop };
    const remove = () => underWay.get(key) === made && underWay.delete(key);
    answer.then(remove, remove);
    underWay.set(key, made);
    entry = made;
  }
  const { answer, listeners, stop } = entry;
  // A function of its own: the same caller may ask twice.
  const listener: Waiting = (ms) => waiting(ms);
  listeners.add(listener);
  return {
    answer,
    leave: () => {
      listeners.delete(listener);
      if (listeners.size === 0) stop.abort();
    },
  };
}
