import type { Settings } from "./options.ts";
import { type Clock, orAborted } from "./clock.ts";

/** Called with the wait of a request in milliseconds, and with 0 when the request continues. */
export type Waiting = (ms: number) => void;

/** The rate limiter of a connection. */
export type Pace = ReturnType<typeof createPace>;

// Half a second more than a minute, because network delays vary and the service counts requests on arrival.
const MINUTE = 60_500;

/**
 * Creates a rate limiter: a maximum number of requests in any sliding minute, and of concurrent requests.
 *
 * p-queue's `strict` window does the same. But it reads the global clock, which cannot be injected and jumps when the
 * machine's clock is set, and it cannot delay the whole queue after a 429.
 */
export function createPace(
  { requestsPerMinute, concurrency }: { requestsPerMinute: number; concurrency: number },
  clock: Clock,
) {
  let free = concurrency;
  // Callers wait in order of arrival.
  const queue = new Set<() => void>();
  // A ring buffer with the times of the last requests. The next index holds the oldest time.
  const sent: number[] = [];
  let count = 0;
  let heldUntil = -Infinity;

  const wait = () => {
    const oldest = sent[count % requestsPerMinute] ?? -Infinity;
    return Math.max(oldest + MINUTE, heldUntil) - clock.elapsed();
  };

  const turn = async (signal: AbortSignal, waiting: Waiting) => {
    let waited = false;
    // Waits again if a 429 or another request has arrived in the meantime.
    for (let ms = wait(); ms > 0; ms = wait()) {
      waited = true;
      waiting(ms);
      await clock.sleep(ms, signal);
    }
    if (waited) waiting(0);
    if (requestsPerMinute === Infinity) return;
    sent[count % requestsPerMinute] = clock.elapsed();
    count++;
  };

  const leave = () => {
    const [next] = queue;
    if (next === undefined) return void free++;
    queue.delete(next);
    next();
  };

  return {
    /** Waits until a request that is already in progress can be sent again. */
    turn,
    /** Waits until one more request can be sent within both limits. */
    enter: async (signal: AbortSignal, waiting: Waiting) => {
      signal.throwIfAborted();
      if (free > 0) free--;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        queue.add(resolve);
        await orAborted(promise, signal).catch((reason) => {
          // This caller may have got a free slot just before the signal fired.
          if (!queue.delete(resolve)) leave();
          throw reason;
        });
      }
      try {
        await turn(signal, waiting);
      } catch (reason) {
        leave();
        throw reason;
      }
    },
    /** Records that a request is no longer in progress. */
    leave,
    /** Delays all requests by this many milliseconds. */
    hold: (ms: number) => {
      heldUntil = Math.max(heldUntil, clock.elapsed() + ms);
    },
  };
}

const paces = new WeakMap<Clock, Map<string, Pace>>();

/** Returns the rate limiter of a connection. Connections to the same address share one, unless they have no limit. */
export function paceOf(
  { baseUrl, requestsPerMinute, concurrency, clock }: Pick<
    Settings,
    "baseUrl" | "requestsPerMinute" | "concurrency" | "clock"
  >,
): Pace {
  const limits = { requestsPerMinute, concurrency };
  if (requestsPerMinute === Infinity) return createPace(limits, clock);
  const known = paces.get(clock) ?? new Map<string, Pace>();
  paces.set(clock, known);
  const key = `${baseUrl} ${requestsPerMinute} ${concurrency}`;
  const pace = known.get(key) ?? createPace(limits, clock);
  known.set(key, pace);
  return pace;
}
