import type { Clock } from "./clock.ts";

/** A number of places, taken one by one and given back; who comes first is served first. */
interface Slots {
  /** Waits for a free place; rejects with the signal's reason when it fires first. */
  readonly take: (signal: AbortSignal) => Promise<void>;
  /** Gives a place back. */
  readonly give: () => void;
}

/** Makes so many places. */
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

/** Called with the milliseconds that a request now waits, and 0 when it continues. */
export type Waiting = (ms: number) => void;

/** What keeps the requests of a connection apart. */
export interface Pace {
  /** Waits until one more request may be under way, and may be sent. */
  readonly enter: (signal: AbortSignal, waiting: Waiting) => Promise<void>;
  /** Waits until one more request may be sent by who is under way already. */
  readonly turn: (signal: AbortSignal, waiting: Waiting) => Promise<void>;
  /** Says that a request is no longer under way. */
  readonly leave: () => void;
  /** Sends nothing for so long. */
  readonly hold: (ms: number) => void;
}

// Half a second more than a minute: requests do not all travel equally fast, and the service counts
// them where they arrive.
const MINUTE = 60_500;

/**
 * Makes a pace: so many requests in any sliding minute, and so many at a time.
 *
 * p-queue's `strict` window does the same, but reads the global clock, which cannot be injected and which
 * jumps when the machine's clock is set; and it cannot hold the whole queue back after a 429.
 */
export function createPace(
  { requestsPerMinute, concurrency }: { requestsPerMinute: number; concurrency: number },
  clock: Clock,
): Pace {
  const slots = createSlots(concurrency);
  // A ring of the moments of the last requests: its next place holds the oldest.
  const sent: number[] = [];
  let count = 0;
  let heldUntil = -Infinity;

  const wait = () => {
    const oldest = sent[count % requestsPerMinute] ?? -Infinity;
    return Math.max(oldest + MINUTE, heldUntil) - clock.elapsed();
  };

  const turn = async (signal: AbortSignal, waiting: Waiting) => {
    let waited = false;
    // Again and again: a 429 may have come in between, or another request may have taken the turn.
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

/** Returns the pace of a connection. Connections to the same address share a limited one. */
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
