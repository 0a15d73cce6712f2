import { setTimeout } from "node:timers/promises";

/** Functions for time and random numbers. Tests replace these functions. */
export interface Clock {
  /** Returns the current time, in milliseconds since 1970. */
  now(): number;
  /** Returns the number of milliseconds since a fixed moment. The number never decreases. */
  elapsed(): number;
  /** Waits for `ms` milliseconds. Rejects with the signal's reason as soon as the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a random number of at least 0 and less than 1. */
  random(): number;
}

// The longest delay of `setTimeout`, in milliseconds. With a longer delay, the timer would fire immediately.
const LONGEST_TIMER = 2_147_483_647;

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const end = performance.now() + ms;
  for (let left = ms; left > 0; left = end - performance.now()) {
    await setTimeout(Math.min(Math.ceil(left), LONGEST_TIMER), undefined, { signal })
      .catch(() => {
        throw signal.reason;
      });
  }
}

/** The clock and the random numbers of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep,
  random: () => Math.random(),
};

/**
 * Creates a timer. The timer's signal fires when one of the given signals fires or when the timeout passes. Call `end`
 * in a `finally` block.
 */
export function createTimer(clock: Clock, signals: readonly (AbortSignal | null)[]) {
  const timeout = new AbortController();
  const over = new AbortController();
  const others = signals.filter((signal) => signal !== null);
  let started = false;
  return {
    signal: AbortSignal.any([...others, timeout.signal]),
    /** Returns whether the timeout has passed. */
    expired: () => timeout.signal.aborted,
    /** Starts the timeout. Further calls have no effect. */
    start: (ms: number) => {
      if (started || ms === Infinity) return;
      started = true;
      clock.sleep(ms, over.signal).then(() => timeout.abort(), () => {});
    },
    /** Cancels the timeout. */
    end: () => over.abort(),
  };
}

/** Resolves with the result of `work`. Rejects as soon as the signal fires, even if `work` ignores the signal. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
