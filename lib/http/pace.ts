import type { Clock } from "./clock.ts";

/** A semaphore. Callers wait in order of arrival. */
interface Slots {
  /** Takes a slot, or waits until one is free. Rejects with the signal's reason if the signal fires first. */
  readonly take: (signal: AbortSignal) => Promise<void>;
  /** Releases a slot. */
  readonly give: () => void;
}

/** Creates a semaphore with this number of slots. */
function createSlots(count: number): Slots {
  let free = count;
  const queue = new Set<() => void>();
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free--;
          return resolve();
        }
        const leave = () => {
          queue.delete(enter);
          reject(signal.reason);
        };
        const enter = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        signal.addEventListener("abort", leave, { once: true });
        queue.add(enter);
      }),
    give: () => {
      const [next] = queue;
      if (next === undefined) return void free++;
      queue.delete(next);
      next();
    },
  };
}

/** Called with the wait of a request in milliseconds, and with 0 when the request continues. */
export type Waiting = (ms: number) => void;

/** The rate limiter of a connection. */
export interface Pace {
  /** Waits until one more request can be sent within both limits. */
  readonly enter: (signal: AbortSignal, waiting: Waiting) => Promise<void>;
  /** Waits until a request that is already in progress can be sent again. */
  readonly turn: (signal: AbortSignal, waiting: Waiting) => Promise<void>;
  /** Records that a request is no longer in progress. */
  readonly leave: () => void;
  /** Delays all requests by this many milliseconds. */
  readonly hold: (ms: number) => void;
}

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
): Pace {
  const slots = createSlots(concurrency);
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

  return {
    turn,
    enter: async (signal, waiting) => {
      await slots.take(signal);
      try {
        await turn(signal, waiting);
      } catch (reason) {
        slots.give();
        throw reason;
      }
    },
    leave: slots.give,
    hold: (ms) => heldUntil = Math.max(heldUntil, clock.elapsed() + ms),
  };
}

const paces = new WeakMap<Clock, Map<string, Pace>>();

/** Returns the rate limiter of a connection. Connections to the same address share one, unless they have no limit. */
export function paceOf(
  { baseUrl, requestsPerMinute, concurrency, clock }: {
    baseUrl: string;
    requestsPerMinute: number;
    concurrency: number;
    clock: Clock;
  },
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
