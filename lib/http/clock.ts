import { setTimeout } from "node:timers/promises";

/** Time and randomness. Tests replace them. */
export interface Clock {
  /** Returns the time of day, in milliseconds since 1970. */
  now(): number;
  /** Returns milliseconds since a fixed moment; never decreases. */
  elapsed(): number;
  /** Waits. Rejects with the signal's reason as soon as the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a number from 0 to below 1. */
  random(): number;
}

// With a longer delay, setTimeout would fire immediately.
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

/** The time and randomness of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep,
  random: () => Math.random(),
};

/** Creates a timer whose signal fires with any of the given signals, or at the timeout. Call `end` in a `finally`. */
export function createTimer(clock: Clock, signals: readonly (AbortSignal | null)[]) {
  const timeout = new AbortController();
  const over = new AbortController();
  const others = signals.filter((signal) => signal !== null);
  let started = false;
  return {
    signal: AbortSignal.any([...others, timeout.signal]),
    /** Whether the timeout has passed. */
    expired: () => timeout.signal.aborted,
    /** Starts the timeout; later calls have no effect. */
    start: (ms: number) => {
      if (started || ms === Infinity) return;
      started = true;
      clock.sleep(ms, over.signal).then(() => timeout.abort(), () => {});
    },
    /** Cancels the timeout. */
    end: () => over.abort(),
  };
}

/** Resolves with the result of `work`, or rejects as soon as the signal fires, even if the work ignores the signal. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
