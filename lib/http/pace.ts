import type { ConnectionSettings } from "./settings.ts";
import { type Clock, orAborted } from "./clock.ts";

/** Function that is called with the wait of a request in milliseconds, and with 0 when the wait ends. */
export type Waiting = (ms: number) => void;

/** The rate limiter of a connection. */
export type Pace = ReturnType<typeof createPace>;

// Half a second is added to the minute, because network delays vary and the service counts requests on arrival.
const MINUTE = 60_500;

/**
 * Creates a rate limiter. It limits the number of requests in any period of one minute, and the number of concurrent
 * requests.
 *
 * The package p-queue has the same limits. However, it reads the machine's clock, which tests cannot replace, and which
 * jumps when the clock is set. p-queue also cannot delay the whole queue after a 429.
 */
export function createPace(
  { requestsPerMinute, concurrency }: { requestsPerMinute: number; concurrency: number },
  clock: Clock,
) {
  let free = concurrency;
  // A set keeps the order of insertion, so callers continue in order of arrival.
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
    // Waits again if, in the meantime, a 429 was received or another request was sent.
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
    /** Waits until the limits allow the next attempt of a request in progress. */
    turn,
    /** Waits until both limits allow a new request. */
    enter: async (signal: AbortSignal, waiting: Waiting) => {
      signal.throwIfAborted();
      if (free > 0) free--;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        queue.add(resolve);
        await orAborted(promise, signal).catch((reason) => {
          // This caller may have received a free slot just before the signal fired. The slot is then released.
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

/**
 * Returns the rate limiter of a connection. Connections with the same address and limits share a rate limiter, unless
 * `requestsPerMinute` is Infinity.
 */
export function paceOf(
  { baseUrl, requestsPerMinute, concurrency, clock }: Pick<
    ConnectionSettings,
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
