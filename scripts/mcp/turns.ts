/** Maximum number of calls that run at once, and of calls that wait. */
const MOST_RUNNING = 4;
const MOST_WAITING = 64;

/**
 * Returns a function that runs calls, at most four at once. Up to 64 further calls wait for their turn. A call whose
 * signal is aborted stops waiting.
 *
 * @throws {RangeError} when 64 calls wait already.
 */
export function createTurns(): <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting = new Set<() => void>();
  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      waiting.add(resolve);
      signal.addEventListener("abort", () => waiting.delete(resolve) && reject(signal.reason));
    });
  return async (signal, work) => {
    if (running < MOST_RUNNING) running++;
    else if (waiting.size < MOST_WAITING) await turn(signal);
    else {
      throw new RangeError(
        `too many calls: ${MOST_RUNNING} run and ${MOST_WAITING} wait; repeat the call when results have arrived`,
      );
    }
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) running--;
      else {
        // The next call takes over the place of this call.
        waiting.delete(next);
        next();
      }
    }
  };
}

/**
 * Runs work with a signal that is aborted with `signal`, or after `longest` milliseconds. Rejects at once when it is
 * aborted, also if the work continues.
 */
export async function inTime<T>(
  signal: AbortSignal,
  longest: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooLong = new AbortController();
  const message = `ended after ${longest / 1_000} s: request fewer periods or entities`;
  const timer = setTimeout(() => tooLong.abort(new Error(message)), longest);
  const ending = AbortSignal.any([signal, tooLong.signal]);
  const ended = new Promise<never>((_, reject) => {
    ending.addEventListener("abort", () => reject(ending.reason), { once: true });
  });
  try {
    return await Promise.race([work(ending), ended]);
  } finally {
    clearTimeout(timer);
  }
}
